"""What this machine has of what a cell needs: a Python, a toolkit, a GPU; else the reason."""

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from ci.cells import ROOT, Cell, Toolkit
from ci.errors import CannotRunError

KFD_NODES = Path("/sys/class/kfd/kfd/topology/nodes")
NEEDED_MODULES = ("pytest", "xdist", "porting", "runtime")
_QUICK, _SLOW = 60, 1800  # seconds; finding a toolkit may download it
_ASK_PYTHON = """
import importlib.util, sys
missing = [name for name in sys.argv[1:] if importlib.util.find_spec(name) is None]
print("%d.%d" % sys.version_info[:2], *missing)
"""


@dataclass(frozen=True)
class Found:
    """An interpreter with the suite's packages, and the toolkit's folder and release."""

    python: str
    home: str
    release: str


def find(cell: Cell, python: str | None = None) -> Found:
    """Return what the cell runs with; `python` names its interpreter.

    Raises CannotRunError with what is missing. A toolkit may be made from wheels for it.
    """
    interpreter = find_python(cell.python, python)
    if cell.checked == "device":
        find_gpu(cell.platform, cell.target)
    home, release = find_toolkit(cell.toolkit, interpreter)
    return Found(interpreter, home, release)


def find_python(version: str, named: str | None) -> str:
    """Return the interpreter of this version that has what the suite imports."""
    if named is None and version == _own_version():
        named = sys.executable
    path = shutil.which(named or f"python{version}")
    if path is None:
        raise CannotRunError(
            f"Python {version} is needed, and no {named or f'python{version}'} is on PATH; "
            f"name one with --python"
        )
    asked = _ask([path, "-c", _ASK_PYTHON, *NEEDED_MODULES], _QUICK)
    found, *missing = asked.stdout.split() or [f"no Python that runs: status {asked.returncode}"]
    if found != version:
        raise CannotRunError(f"Python {version} is needed, and {path} is {found}")
    if missing:
        raise CannotRunError(
            f"{path} has no {', '.join(missing)}; make an environment with "
            f"`make setup PYTHON={path}`, and name its interpreter with --python"
        )
    return path


def find_toolkit(toolkit: Toolkit, python: str) -> tuple[str, str]:
    """Return the folder and the release of a toolkit that is installed or made from wheels."""
    platform = toolkit.platform.name
    command = [python, "-m", "porting", "sysroot", "find", "--platform", platform]
    if platform == "rocm" and not toolkit.only_newer:
        command += ["--rocm", toolkit.release]
    asked = _ask([*command, "--format", "json"], _SLOW)
    if asked.returncode:
        said = asked.stderr.strip().splitlines() or [f"status {asked.returncode}"]
        raise CannotRunError(f"{platform} {toolkit.wanted} is not in reach: {said[-1]}")
    answer = json.loads(asked.stdout)
    if not toolkit.covers(answer["release"]):
        raise CannotRunError(
            f"{platform} {toolkit.wanted} is needed, and {answer['release']} is what is here, at "
            f"{answer['path']}; run the cell with --container"
        )
    return answer["path"], answer["release"]


def find_gpu(platform: str, target: str) -> None:
    """Make sure that a GPU of this target is here."""
    targets = sorted(amd_gpus(KFD_NODES) if platform == "rocm" else nvidia_gpus())
    if target not in targets:
        found = f"{', '.join(targets)} is what is here" if targets else "no GPU of it is here"
        raise CannotRunError(f"a GPU of {target} is needed, and {found}")


def amd_gpus(nodes: Path) -> set[str]:
    """Return the targets of AMD's GPUs, which the kernel driver lists as nodes."""
    return set(gfx_targets(_text(path) for path in nodes.glob("*/properties")))


def gfx_targets(properties: Iterable[str]) -> Iterable[str]:
    """Yield the target that each node's properties tell; CPUs have the number 0.

    The number has two decimal digits each for minor and stepping: 90010 is gfx90a, whose stepping
    is a hexadecimal digit in its name.
    """
    for text in properties:
        if found := re.search(r"^gfx_target_version (\d+)$", text, re.MULTILINE):
            number = int(found[1])
            if number:
                yield f"gfx{number // 10000}{number // 100 % 100:x}{number % 100:x}"


def nvidia_gpus() -> set[str]:
    """Return the targets of NVIDIA's GPUs; none where the driver's program is missing or fails."""
    query = ["nvidia-smi", "--query-gpu=compute_cap", "--format=csv,noheader"]
    try:
        asked = _ask(query, _QUICK)
    except (OSError, CannotRunError):
        return set()
    return set(sm_targets(asked.stdout)) if asked.returncode == 0 else set()


def sm_targets(capabilities: str) -> Iterable[str]:
    """Yield the target of each line with a compute capability: 9.0 is sm_90."""
    for major, minor in re.findall(r"^(\d+)\.(\d)$", capabilities, re.MULTILINE):
        yield f"sm_{major}{minor}"


def _ask(command: list[str], seconds: float) -> "subprocess.CompletedProcess[str]":
    """Run a command to its end.  Raises CannotRunError when it takes longer than it may."""
    try:
        return subprocess.run(
            command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=seconds
        )
    except subprocess.TimeoutExpired as error:
        said = " ".join(word for word in command if "\n" not in word)
        raise CannotRunError(
            f"`{said}` has not ended in {seconds} seconds; "
            f"see what it waits for, or run again when the machine is less busy"
        ) from error


def _own_version() -> str:
    return f"{sys.version_info.major}.{sys.version_info.minor}"


def _text(path: Path) -> str:
    """Return a file of the kernel's, or nothing: other users' nodes may not be read."""
    try:
        return path.read_text(encoding="utf-8")
    except OSError:
        return ""
