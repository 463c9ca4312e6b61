"""Which clang compiles HIP here: the order of search, and why a candidate was refused."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from porting.errors import ToolchainError

OLDEST = 17
TESTED = 19
# The tested release first, then newer ones, which may drop what old HIP headers use
# (__AMDGCN_WAVEFRONT_SIZE went in 22), then older ones.
_NUMBERED = (TESTED, 20, 21, 22, 23, 18, OLDEST)
_NAMES = (*(f"clang++-{major}" for major in _NUMBERED), "clang++")
_PROCESSORS = ("--target=amdgcn-amd-amdhsa", "-nogpulib", "--print-supported-cpus")


@dataclass(frozen=True)
class Clang:
    """A clang driver that can compile HIP for AMD GPUs.

    `text` is its version line, `archs` the AMD GPU architectures that it knows.
    """

    path: Path
    major: int
    text: str
    archs: frozenset[str] = frozenset()

    def tool(self, name: str) -> Path | None:
        """Return an LLVM tool of the same release, such as ld.lld or llvm-objdump."""
        beside = Path(os.path.realpath(self.path)).parent / name
        if beside.is_file():
            return beside
        found = shutil.which(f"{name}-{self.major}") or shutil.which(name)
        return Path(found) if found else None


@dataclass(frozen=True)
class Refused:
    """A clang that was found and is not used, with the reason."""

    path: Path
    reason: str


def candidates(rocm_home: Path | None = None) -> list[Path]:
    """Return the clang drivers to look at, best first.

    ECLOSION_CLANG (a path or a name) is the only candidate when given.  Otherwise clang++-19 on
    PATH, newer releases, older ones, plain clang++, and last the compiler of a ROCm home.
    """
    if only := os.environ.get("ECLOSION_CLANG", ""):
        return [Path(shutil.which(only) or only)]
    found = [Path(path) for name in _NAMES if (path := shutil.which(name))]
    if rocm_home is not None:
        tries = (rocm_home / "llvm/bin/clang++", rocm_home / "lib/llvm/bin/clang++")
        found += [path for path in tries if path.is_file()]
    return found


def search(paths: Iterable[Path]) -> tuple[Clang | None, tuple[Refused, ...]]:
    """Return the first usable clang of `paths` and those refused before it."""
    refused: list[Refused] = []
    for path in paths:
        result = inspect(path)
        if isinstance(result, Clang):
            return result, tuple(refused)
        refused.append(result)
    return None, tuple(refused)


def find(rocm_home: Path | None = None) -> Clang:
    """Return the clang to use; raise ToolchainError that says what was found and why not."""
    clang, refused = search(candidates(rocm_home))
    if clang is not None:
        return clang
    if refused:
        reasons = "; ".join(f"{r.path}: {r.reason}" for r in refused)
    else:
        reasons = f"none of {', '.join(_NAMES)} is on PATH"
    message = (
        f"no clang that compiles HIP ({reasons}); clang {OLDEST} or newer with the AMDGPU target "
        f"is needed: install clang-{TESTED} and lld-{TESTED}, or set ECLOSION_CLANG"
    )
    raise ToolchainError(message)


@lru_cache(maxsize=64)
def inspect(path: Path) -> Clang | Refused:
    """Run `path` and say whether it is a clang of a usable release with the AMDGPU target."""
    version = _output(path, "--version")
    if version is None:
        return Refused(path, "it cannot be run")
    first = version.partition("\n")[0].strip()
    match = re.search(r"clang version (\d+)\.", first)
    if match is None:
        return Refused(path, f"it is no clang: {first[:80] or 'no version line'}")
    major = int(match[1])
    if major < OLDEST:
        return Refused(path, f"clang {major} is too old, {OLDEST} or newer is needed")
    # Asked and not known by release: vendors' clangs know more than LLVM's of the same number.
    processors = _output(path, *_PROCESSORS) or ""
    archs = frozenset(re.findall(r"\bgfx[0-9a-f]+\b", processors))
    if not archs:
        return Refused(path, f"clang {major} was built without the AMDGPU target")
    return Clang(path, major, first, archs)


def _output(path: Path, *options: str) -> str | None:
    """Return what a program prints, on both outputs; None when it fails."""
    try:
        done = subprocess.run(
            [path, *options],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=30,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired, ValueError):
        return None
    return done.stdout if done.returncode == 0 else None
