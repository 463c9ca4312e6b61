"""The two sides of the comparison, the emulator and the proof, ready to run one workload."""

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from .device_code import compile_device_code

ROOT = Path(__file__).resolve().parents[2]
_HERE = Path(__file__).parent
WORKLOAD = _HERE / "workload.cu"
_SONAME = "libcudart.so.13"
_OPTIONS = ("-std=c++17", "-O2", "-arch=sm_90")


class SideError(Exception):
    """A side could not be built or run; the message has the command's own words."""


@dataclass(frozen=True)
class Timed:
    """How long the launches of one kernel took, in one run."""

    kernel: str
    threads: int
    launches: int
    seconds: float
    cpu_seconds: float

    @property
    def rate(self) -> float:
        """Kernel threads per second."""
        return self.threads * self.launches / self.seconds

    @property
    def cpu_rate(self) -> float:
        """Kernel threads per second of a processor; other programs hardly change it."""
        return self.threads * self.launches / self.cpu_seconds


@dataclass(frozen=True)
class Side:
    """A side: the command before the workload's arguments, and variables that it needs."""

    name: str
    command: Sequence[str]
    variables: Mapping[str, str] = field(default_factory=dict)

    def run(self, side: int, seconds: float, timeout: float) -> list[Timed]:
        """Return the times of a fresh process, with side * side threads in every launch."""
        words = [*self.command, str(side), str(seconds)]
        if self.variables:
            words = ["env", *(f"{key}={value}" for key, value in self.variables.items()), *words]
        return parse(_run(words, timeout))


def parse(text: str) -> list[Timed]:
    """Return what the workload printed, a line per kernel; its name may have spaces."""
    found = []
    for line in text.splitlines():
        kernel, threads, launches, seconds, of_cpus = line.rsplit(maxsplit=4)
        found.append(Timed(kernel, int(threads), int(launches), float(seconds), float(of_cpus)))
    return found


def build(folder: Path) -> tuple[Side, Side]:
    """Return the emulator's side and the proof's, both with the same binary, made in a folder."""
    home = _cuda_home()
    program = folder / "workload"
    nvcc = str(home / "bin" / "nvcc")
    _run([nvcc, *_OPTIONS, "-cudart", "shared", str(WORKLOAD), "-o", str(program)])
    return _emulator(folder, program), _proof(folder, program, home)


def _cuda_home() -> Path:
    command = [sys.executable, "-m", "porting", "sysroot", "find", "--platform", "cuda"]
    return Path(json.loads(_run([*command, "--format", "json"], 600))["path"])


def _emulator(folder: Path, program: Path) -> Side:
    unit = {
        "directory": str(folder),
        "file": str(WORKLOAD),
        "arguments": ["nvcc", *_OPTIONS, "-c", str(WORKLOAD)],
    }
    (folder / "compile_commands.json").write_text(json.dumps([unit]))
    command = [sys.executable, "-m", "porting", "emulate", "--platform", "cuda"]
    return Side("ours", (*command, "--build-dir", str(folder), "--", str(program)))


def _proof(folder: Path, program: Path, home: Path) -> Side:
    sources = [str(_HERE / name) for name in ("fibers.cpp", "runtime.cpp")]
    versions = folder / "versions"
    versions.write_text(f"{_SONAME} {{ global: *; }};\n")
    linking = [f"-Wl,-soname,{_SONAME},--version-script={versions}", "-o", str(folder / _SONAME)]
    _run(["c++", "-std=c++17", "-O2", "-shared", "-fPIC", *sources, *linking])
    kernels = folder / "kernels.so"
    try:
        compile_device_code(WORKLOAD, home, kernels)
    except (OSError, subprocess.SubprocessError) as error:
        raise SideError(_said(error)) from error
    variables = {"LD_LIBRARY_PATH": str(folder), "PROOF_DEVICE_CODE": str(kernels)}
    return Side("proof", (str(program),), variables)


def _run(command: Sequence[str], timeout: float = 300) -> str:
    """Return a command's output."""
    try:
        done = subprocess.run(
            command, cwd=ROOT, capture_output=True, text=True, check=True, timeout=timeout
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise SideError(_said(error)) from error
    return done.stdout


def _said(error: Exception) -> str:
    """Return what went wrong with a command, and the end of what it said."""
    stderr = getattr(error, "stderr", None) or ""
    text = stderr if isinstance(stderr, str) else stderr.decode(errors="replace")
    return f"{error}\n{text.strip()[-2000:]}".strip()
