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
class Outcome:
    """How a compilation ended: the header it lacked, its first error; both empty: it passed."""

    missing: str = ""
    error: str = ""

    @property
    def passed(self) -> bool:
        """Whether clang accepted the unit."""
        return not self.missing and not self.error


@dataclass(frozen=True)
class Compiler:
    """A clang, a ROCm tree, and where headers of others are."""

    clang: str
    rocm: Path
    system: tuple[Path, ...]
    jobs: int

    def run(self, work: Sequence[tuple[Path, Path, Side]], flags: Iterable[str]) -> list[Outcome]:
        """Check (root, unit, side) triples, in parallel; outcomes are in the same order."""
        extra = tuple(flags)
        with ThreadPoolExecutor(self.jobs) as pool:
            return list(pool.map(lambda item: self._one(item, extra), work))

    def _one(self, item: tuple[Path, Path, Side], flags: tuple[str, ...]) -> Outcome:
        """Compile one unit; look for its headers first, which takes a tenth of the time."""
        root, unit, side = item
        command = [*self._command(unit, side), *flags, str(unit)]
        for stage in (("-E", "-o", os.devnull), ("-fsyntax-only",)):
            done = subprocess.run(
                [*command, *stage],
                cwd=root,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=_TIMEOUT,
                check=False,
            )
            if done.returncode:
                return _failure(done.stderr)
        return Outcome()

    def _command(self, unit: Path, side: Side) -> list[str]:
        command = [self.clang, "-std=c++20", "-w", "-ferror-limit=1"]
        if unit.suffix in (".cu", ".hip"):
            command += ["-x", "hip", f"--offload-arch={ARCH}", f"--cuda-{side}-only"]
            command += ["-nogpulib", f"--rocm-path={self.rocm}"]
        command += [*_TORCH_FLAGS, f"-isystem{self.rocm / 'include'}"]
        command += [f"-isystem{folder}" for folder in self.system]
        return [*command, f"-isystem{sysconfig.get_path('include')}"]


def sides(unit: str) -> tuple[Side, ...]:
    """Return what of a unit is compiled: only CUDA sources have device code."""
    return (Side.HOST, Side.DEVICE) if unit.endswith(".cu") else (Side.HOST,)


def default_jobs() -> int:
    """Return the number of compilers to run at a time."""
    return len(os.sched_getaffinity(0))


def _failure(text: str) -> Outcome:
    """Return what clang's messages say of a unit that it refused."""
    if missing := _MISSING.search(text):
        return Outcome(missing=missing[1])
    if first := _ERROR.search(text):
        return Outcome(error=f"{_short(first[1])}:{first[2]}: {first[3]}")
    return Outcome(error=text.strip()[:200] or "clang ended without a message")


def _short(path: str) -> str:
    parts = Path(path).parts
    return "/".join(parts[-3:])
