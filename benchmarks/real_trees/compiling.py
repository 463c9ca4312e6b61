"""Which units of a converted tree clang accepts, for the host and for gfx942, and what stops it."""

import os
import re
import subprocess
import sysconfig
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from benchmarks.real_trees.remembered import Outcome, Remembered

ARCH = "gfx942"
# What torch.utils.cpp_extension passes in a ROCm build.
_TORCH_FLAGS = (
    "-D__HIP_PLATFORM_AMD__=1",
    "-DUSE_ROCM=1",
    "-DHIPBLAS_V2",
    "-DCUDA_HAS_FP16=1",
    "-D__HIP_NO_HALF_OPERATORS__=1",
    "-D__HIP_NO_HALF_CONVERSIONS__=1",
    "-DHIP_ENABLE_WARP_SYNC_BUILTINS=1",
    "-DTORCH_API_INCLUDE_EXTENSION_H",
    "-DTORCH_EXTENSION_NAME=_C",
    # Thrust's headers are for complex numbers; its own CUDA back end must not be looked for.
    "-DTHRUST_DEVICE_SYSTEM=THRUST_DEVICE_SYSTEM_CPP",
)
_MISSING = re.compile(r"fatal error: '([^']+)' file not found")
_ERROR = re.compile(r"^(.*?):(\d+):\d+: (?:fatal )?error: (.*)$", re.MULTILINE)
_TIMEOUT = 600


class Side(StrEnum):
    """Which half of a unit is compiled."""

    HOST = "host"
    DEVICE = "device"


@dataclass(frozen=True)
class Compiler:
    """A clang, a ROCm tree, where headers of others are, and what is known from earlier runs."""

    clang: str
    rocm: Path
    system: tuple[Path, ...]
    jobs: int
    remembered: Remembered

    def run(self, work: Sequence[tuple[Path, Path, Side]], flags: Iterable[str]) -> list[Outcome]:
        """Check (root, unit, side) triples, in parallel; outcomes are in the same order."""
        extra = tuple(flags)
        with ThreadPoolExecutor(self.jobs) as pool:
            return list(pool.map(lambda item: self._one(item, extra), work))

    def _one(self, item: tuple[Path, Path, Side], flags: tuple[str, ...]) -> Outcome:
        """Compile one unit, unless clang has seen the same text before."""
        root, unit, side = item
        own = [*self._language(unit, side), *_TORCH_FLAGS]
        command = [self.clang, *own, *self._folders(), *flags, str(unit)]
        read = _run([*command, "-E", "-o", "-"], root)
        if read.returncode:
            return _failure(read.stderr)
        text = read.stdout.replace(str(root).encode(), b"").replace(str(self.rocm).encode(), b"")
        key = self.remembered.key(text, own)
        known = self.remembered.get(key)
        if known is None:
            done = _run([*command, "-fsyntax-only"], root)
            known = _failure(done.stderr) if done.returncode else Outcome()
            self.remembered.put(key, known)
        return known

    def _language(self, unit: Path, side: Side) -> list[str]:
        flags = ["-std=c++20", "-w", "-ferror-limit=1"]
        if unit.suffix in (".cu", ".hip"):
            flags += ["-x", "hip", f"--offload-arch={ARCH}", f"--cuda-{side}-only", "-nogpulib"]
        return flags

    def _folders(self) -> list[str]:
        python = sysconfig.get_path("include")
        places = (self.rocm / "include", *self.system, python)
        return [f"--rocm-path={self.rocm}", *(f"-isystem{place}" for place in places)]


def _run(command: list[str], folder: Path) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(command, cwd=folder, capture_output=True, timeout=_TIMEOUT, check=False)


def sides(unit: str) -> tuple[Side, ...]:
    """Return what of a unit is compiled: only CUDA sources have device code."""
    return (Side.HOST, Side.DEVICE) if unit.endswith(".cu") else (Side.HOST,)


def default_jobs() -> int:
    """Return the number of compilers to run at a time."""
    return len(os.sched_getaffinity(0))


def _failure(messages: bytes) -> Outcome:
    """Return what clang's messages say of a unit that it refused."""
    text = messages.decode(errors="replace")
    if missing := _MISSING.search(text):
        return Outcome(missing=missing[1])
    if first := _ERROR.search(text):
        return Outcome(error=f"{_short(first[1])}:{first[2]}: {first[3]}")
    return Outcome(error=text.strip()[:200] or "clang ended without a message")


def _short(path: str) -> str:
    parts = Path(path).parts
    return "/".join(parts[-3:])
