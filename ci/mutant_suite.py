"""The parts of the suite that mutants are run against: how each is started, and what came of it.

A part is the tests of some folders in one surrounding: plain, or in an emulated cell, or with the
GPU modules on an emulated machine. All run in the copy of the checkout, and nothing that a run
began outlives it.
"""

import contextlib
import os
import select
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from xml.etree import ElementTree as ET

from ci.cells import Cell, read_matrix
from ci.errors import ParityError
from ci.junit import name_of, path_of

_GRACE = 25  # seconds that a run has to end what it began, after a signal
_MARK = "ECLOSION_MUTANTS"
_CHOSEN = "not soak and not realtime and not compiled"
_ALSO_LONG = "not realtime and not compiled"  # the emulator's tests of single functions are
# Stands among the tests for how a run ended whose tests all passed.
ENDING = "the end of"
DEVICES = "tests/runtime/devices/"
PARITY = "tests/parity/"


@dataclass(frozen=True)
class Part:
    """A surrounding for tests: `platform` is empty for the plain one."""

    kind: str
    platform: str = ""

    @property
    def name(self) -> str:
        """What the part is called."""
        return f"{self.kind} {self.platform}".strip()


# What is run whole where the tests that a mutant names let it live.
WHOLE: Mapping[str, tuple[str, ...]] = {
    "protocol": tuple(
        f"{DEVICES}test_protocol{what}.py"
        for what in ("", "_alignment", "_averages", "_devices", "_graphs", "_memory")
    ),
    "parity": ("tests/parity",),
    "emulator": ("tests/porting/emulate",),
    "mappings": tuple(
        f"tests/porting/test_mapping{what}.py"
        for what in ("", "_constants", "_headers", "_sample", "_tables")
    ),
}
# Faults of an area are looked for in these, in this order.
KINDS = {
    "gpu": ("protocol",),
    "emulator": ("parity", "emulator", "protocol"),
    "mappings": ("mappings", "parity", "protocol"),
}


class End(StrEnum):
    """How a run ended."""

    FINISHED = "finished"
    BROKE = "broke off"
    HUNG = "hung"


@dataclass(frozen=True)
class Ran:
    """A run: how it ended, and what became of each test; the end of what it said."""

    end: End
    tests: Mapping[str, bool]
    said: str = ""

    @property
    def failed(self) -> frozenset[str]:
        """The tests that did not pass."""
        return frozenset(name for name, passed in self.tests.items() if not passed)


def part_of(test: str, platform: str) -> Part:
    """Return the part that runs a test for a platform."""
    if test.startswith(DEVICES):
        return Part("protocol", platform)
    if test.startswith(PARITY):
        return Part("parity", platform)
    return Part("emulator" if test.startswith("tests/porting/emulate") else "mappings")


def parts_of(kind: str, platforms: Sequence[str]) -> list[Part]:
    """Return the parts of a kind for platforms."""
    if kind in ("protocol", "parity"):
        return [Part(kind, platform) for platform in platforms]
    return [Part(kind)]


@dataclass(frozen=True)
class Place:
    """Where mutants are run: the copy, the build of the GPU modules, reports and logs beside it."""

    root: Path

    @property
    def tree(self) -> Path:
        """The copy of the checkout."""
        return self.root / "tree"

    def build(self, platform: str) -> Path:
        """Return the build of a platform's GPU module, from which the emulator takes kernels."""
        return self.root / "gpu" / "gpu" / platform / "build"

    def environment(self, inherited: Mapping[str, str]) -> dict[str, str]:
        """Return the variables of all that runs in the copy; what a test lacks is a failure."""
        folder = str(Path(sys.executable).parent)
        return {
            **inherited,
            "PATH": os.pathsep.join((folder, inherited.get("PATH", os.defpath))),
            "PYTHONPATH": str(self.tree),
            "ECLOSION_REQUIRE_TOOLCHAIN": "1",
            "CMAKE_EXPORT_COMPILE_COMMANDS": "ON",  # the emulator starts from them
            _MARK: str(os.getpid()),
        }


def cell_of(platform: str, cells: Mapping[str, Cell]) -> Cell:
    """Return the emulated cell of `make test` with the widest waves for a platform and our Python.

    Raises ParityError where the matrix has none.
    """
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    fitting = [
        cell
        for cell in cells.values()
        if (cell.platform, cell.checked, cell.python) == (platform, "emulated", version)
        and cell.in_make_test
    ]
    if not fitting:
        raise ParityError(f"ci/matrix.toml has no emulated cell of {platform} for Python {version}")
    return max(fitting, key=lambda cell: cell.wave)


def command(part: Part, place: Place, tests: Sequence[str], report: Path) -> list[str]:
    """Return the command that runs tests of a part and leaves a JUnit report."""
    python = [sys.executable, "-m"]
    if part.kind == "parity":
        cell = cell_of(part.platform, read_matrix())
        ours = [*python, "ci.run", cell.id, "--suite", tests[0], "--junit", str(report)]
        # The device protocol is a part of its own, with modules that are built for it.
        ours += ["--prepare", "tests.parity.kernel_library"]
        others = "--ignore-glob=*/test_protocol*.py"
        return [*ours, "--", *tests[1:], others, "-p", "no:cacheprovider"]
    chosen = _ALSO_LONG if part.kind == "emulator" else _CHOSEN
    pytest = [*python, "pytest", "-q", "-n", "2", "--dist", "loadgroup", "-m", chosen]
    pytest += ["-p", "no:cacheprovider", f"--junitxml={report}", *tests]
    if part.kind != "protocol":
        return pytest
    return [*emulator(part.platform, place), *pytest, "-k", part.platform]


def emulator(platform: str, place: Place) -> list[str]:
    """Return the start of a command on an emulated machine with two devices."""
    start = [sys.executable, "-m", "porting", "emulate", "--platform", platform]
    return [*start, "--devices", "2", f"--build-dir={place.build(platform)}", "--"]


def run(part: Part, place: Place, tests: Sequence[str], seconds: float) -> Ran:
    """Run tests of a part to their end, or for so many seconds."""
    report = place.root / f"{part.name.replace(' ', '-')}.xml"
    report.unlink(missing_ok=True)
    if part.kind == "protocol":
        lay_module(place, part.platform)
    done, said = spawn(command(part, place, tests, report), place, seconds)
    if done is None:
        return Ran(End.HUNG, {}, said)
    outcomes = outcomes_of(report)
    if not outcomes:
        return Ran(End.BROKE, {}, said)
    if all(outcomes.values()):  # the emulator ends otherwise when it has found a fault
        outcomes[f"{ENDING} {part.name}"] = done == 0
    return Ran(End.FINISHED, outcomes, said)


def lay_module(place: Place, platform: str) -> None:
    """Let the copy's runtime have the GPU module of one platform alone.

    What the other one loads can leave too little static memory of threads for an emulator.
    """
    for other in (place.tree / "runtime").glob("_gpu_*.so"):
        other.unlink()
    for module in (place.build(platform) / "module").glob(f"_gpu_{platform}*.so"):
        shutil.copyfile(module, place.tree / "runtime" / module.name)


def spawn(words: Sequence[str], place: Place, seconds: float) -> tuple[int | None, str]:
    """Run a command in the copy: its status, None when it hung, and the end of what it said."""
    log = place.root / "log.txt"
    with log.open("wb") as output:
        child = subprocess.Popen(
            words,
            cwd=place.tree,
            env=place.environment(os.environ),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            process_group=0,
        )
        try:
            status: int | None = child.wait(seconds)
        except subprocess.TimeoutExpired:
            status = None
        finally:
            _end(child)
            end_marked(os.getpid())
    return status, log.read_text(encoding="utf-8", errors="replace")[-4000:]


def _end(child: "subprocess.Popen[bytes]") -> None:
    """End a command that still runs, and what is left of its group."""
    if child.poll() is None:
        os.killpg(child.pid, signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(_GRACE)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, signal.SIGKILL)
    child.wait()


def end_marked(owner: int) -> None:
    """Kill the processes that carry our mark in their environment: they left their group."""
    until = time.monotonic() + _GRACE
    while (left := _marked(owner)) and time.monotonic() < until:
        for process in left:
            with contextlib.suppress(ProcessLookupError):
                _kill(process)


def _marked(owner: int) -> list[int]:
    mark = f"{_MARK}={owner}".encode()
    found = []
    for entry in Path("/proc").iterdir():
        with contextlib.suppress(OSError):  # it has ended, or is somebody else's
            if entry.name.isdigit() and mark in (entry / "environ").read_bytes().split(b"\0"):
                found.append(int(entry.name))
    return [process for process in found if process != os.getpid()]


def _kill(process: int) -> None:
    """Kill a process and wait for its end, which is its parent's to collect."""
    handle = os.pidfd_open(process)
    try:
        signal.pidfd_send_signal(handle, signal.SIGKILL)
        select.select([handle], [], [], 1)
    finally:
        os.close(handle)


def outcomes_of(report: Path) -> dict[str, bool]:
    """Return whether each test of a JUnit report passed; none when there is no whole report.

    Skipped tests are left out. Names are as pytest takes them.
    """
    try:
        root = ET.parse(report).getroot()  # noqa: S314 our own pytest wrote it
    except (OSError, ET.ParseError):
        return {}
    found = {}
    for case in root.iter("testcase"):
        if case.find("skipped") is None:
            failed = case.find("failure") is not None or case.find("error") is not None
            found[_name(case.get("classname", ""), case.get("name", ""))] = not failed
    return found


def _name(place: str, name: str) -> str:
    """Return what pytest calls a test; a module that could not be collected has no place."""
    modules, classes = path_of(place or name)
    path = f"{'/'.join(modules)}.py"
    if not place:
        return path
    function, parameters = name_of(name)
    return "::".join([path, *classes, f"{function}[{parameters}]" if parameters else function])
