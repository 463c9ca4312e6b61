"""How a cell is started: the environment its tests see, and the commands, here or in a container.

Tests learn about their cell from variables:

ECLOSION_PARITY_CELL      the cell's id
ECLOSION_PARITY_PLATFORM  cuda or rocm; GPU_PLATFORM says the same
ECLOSION_PARITY_CHECKED   device, emulated or compiled
ECLOSION_PARITY_TARGET    the GPU target, like gfx942
ECLOSION_PARITY_WAVE      the lanes of a wave on it, 32 or 64
ECLOSION_PARITY_RELEASE   the toolkit's release
ECLOSION_PARITY_HOME      the toolkit's folder
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ci.cells import Cell
from ci.found import Found

SUITE = "tests/parity"
# What the suite's tests run on the emulator: this module builds it, and prints the build folders.
PREPARE = "tests.parity.prepare"
# Cells that compile run the tests marked so, all others the rest.
COMPILED = "compiled and not soak and not realtime"
RUN = "not compiled and not soak and not realtime"


@dataclass(frozen=True)
class Session:
    """One run of pytest: its folder of tests, its JUnit file, what else it is told.

    `builds`: folders of CMake builds whose kernels the emulator is to run.  `revision`: of the
    sources, for where git cannot tell.
    """

    suite: str
    junit: Path
    more: Sequence[str] = ()
    builds: Sequence[str] = ()
    revision: str = ""


def environment(cell: Cell, found: Found, inherited: Mapping[str, str]) -> dict[str, str]:
    """Return the variables of a cell's tests; what a test needs and lacks is then a failure."""
    folder = str(Path(found.python).parent)
    return {
        **inherited,
        "PATH": os.pathsep.join((folder, inherited.get("PATH", os.defpath))),
        "GPU_PLATFORM": cell.platform,
        "ECLOSION_REQUIRE_TOOLCHAIN": "1",
        "ECLOSION_PARITY_CELL": cell.id,
        "ECLOSION_PARITY_PLATFORM": cell.platform,
        "ECLOSION_PARITY_CHECKED": cell.checked,
        "ECLOSION_PARITY_TARGET": cell.target,
        "ECLOSION_PARITY_WAVE": str(cell.wave),
        "ECLOSION_PARITY_RELEASE": found.release,
        "ECLOSION_PARITY_HOME": found.home,
    }


def command(cell: Cell, python: str, session: Session) -> list[str]:
    """Return the command that runs a cell's tests: those of an emulated one under the emulator."""
    tests = [python, "-m", "pytest", session.suite, "-q", "-n", "auto", "--dist", "loadgroup"]
    tests += ["-m", COMPILED if cell.checked == "compiled" else RUN]
    tests += ["--continue-on-collection-errors", f"--junitxml={session.junit}", *session.more]
    if cell.checked != "emulated":
        return tests
    emulator = [python, "-m", "porting", "emulate", "--platform", cell.platform]
    emulator += ["--wave", str(cell.wave), "--arch", cell.target, "--devices", "2"]
    return [*emulator, *(f"--build-dir={build}" for build in session.builds), "--", *tests]


def container_commands(cell: Cell, engine: str, session: Session) -> tuple[list[str], list[str]]:
    """Return the commands that build the cell's image and run the cell in it.

    The checkout is copied into the image; only the folder of the JUnit file is shared.
    """
    platform = cell.toolkit.platform
    tag = f"eclosion-parity:{cell.toolkit.name}-py{cell.python}"
    build = [engine, "build", "--file", platform.containerfile, "--tag", tag]
    build += ["--build-arg", f"TAG={cell.toolkit.tag}", "--build-arg", f"PYTHON={cell.python}", "."]
    run = [engine, "run", "--rm", *(platform.device if cell.checked == "device" else ())]
    run += ["--volume", f"{session.junit.parent}:/reports", tag, cell.id]
    run += ["--suite", session.suite, "--junit", f"/reports/{session.junit.name}"]
    run += ["--revision", session.revision] if session.revision else []
    return build, [*run, *(("--", *session.more) if session.more else ())]
