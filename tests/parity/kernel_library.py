"""The library of tests/parity/kernels: built once for a platform and target, called from tests.

`python -m tests.parity.kernel_library` builds it for the cell that the environment names, and
prints the folder of the build, whose compile_commands.json is what an emulator starts from.
"""

import ctypes
import fcntl
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

ROOT = Path(__file__).resolve().parents[2]
SOURCES = Path(__file__).resolve().parent / "kernels"
BUILDS = ROOT / "build" / "parity" / "kernels"
# The numbers of `enum Element` in elements.h. numpy has no bfloat16: its bits are uint16.
ELEMENTS = {
    "int32": 0,
    "uint32": 1,
    "int64": 2,
    "float32": 3,
    "float64": 4,
    "float16": 5,
    "uint16": 6,
    "uint64": 7,
}
_TIMEOUT = 500
# What an emulator puts into its programs' environment is not for compilers.
_EMULATED = ("LD_LIBRARY_PATH", "LD_PRELOAD")

Array = npt.NDArray[Any]


class BuildError(Exception):
    """A command of the build failed; what it printed is the message."""


class KernelError(Exception):
    """An entry point returned another status than success."""

    def __init__(self, name: str, status: int) -> None:
        super().__init__(f"{name} returned status {status}")
        self.status = status


@dataclass(frozen=True)
class Cell:
    """What the tests run for: a platform, a GPU target, and the lanes of its warps."""

    platform: str
    target: str
    checked: str
    wave: int
    home: str

    @property
    def folder(self) -> Path:
        """Where the library for this target is built."""
        return BUILDS / f"{self.platform}-{self.target}"


def cell(environment: Mapping[str, str]) -> Cell | None:
    """Return the cell that the environment names, None where it names none."""
    platform = environment.get("ECLOSION_PARITY_PLATFORM")
    if platform is None:
        return None
    usual = {"cuda": ("sm_80", "32"), "rocm": ("gfx90a", "64")}[platform]
    return Cell(
        platform,
        environment.get("ECLOSION_PARITY_TARGET", usual[0]),
        environment.get("ECLOSION_PARITY_CHECKED", "device"),
        int(environment.get("ECLOSION_PARITY_WAVE", usual[1])),
        environment.get("ECLOSION_PARITY_HOME", ""),
    )


def build(of: Cell) -> Path:
    """Return the library for a cell; the first process builds it, others wait for that one."""
    with _locked(of.folder):
        library = of.folder / "build" / "libparity_kernels.so"
        stamp = of.folder / "digest.txt"
        digest = _digest(of)
        if not library.exists() or not stamp.exists() or stamp.read_text() != digest:
            stamp.unlink(missing_ok=True)
            _build(of)
            stamp.write_text(digest)
        return library


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _digest(of: Cell) -> str:
    """Return what changes with the sources, and for a port with the tool that makes it."""
    files = sorted(path for path in SOURCES.iterdir() if path.is_file())
    if of.platform == "rocm":
        files += [path for path in _tool() if path.suffix in {".py", ".tsv"}]
    found = hashlib.sha256(f"{of.home}\n".encode())
    for path in files:
        found.update(f"{path.relative_to(ROOT)}\n".encode() + path.read_bytes())
    return found.hexdigest()


def _tool() -> list[Path]:
    """Return the files of `porting`; the emulator has no part in a port."""
    emulator = ROOT / "porting" / "emulate"
    everything = (ROOT / "porting").rglob("*")
    return sorted(path for path in everything if emulator not in path.parents)


def _build(of: Cell) -> None:
    home = of.home or _home(of.platform)
    source = SOURCES if of.platform == "cuda" else _ported(of)
    compilers = _cuda(of, home) if of.platform == "cuda" else _rocm(of, home)
    ninja = _program("ninja")
    target = of.folder / "build"
    _run(
        [
            *(_program("cmake"), "-S", str(source), "-B", str(target), "-G", "Ninja"),
            *(f"-DCMAKE_MAKE_PROGRAM={ninja}", "-DCMAKE_BUILD_TYPE=Release", *compilers),
        ],
        {"CUDA_HOME" if of.platform == "cuda" else "ROCM_PATH": home},
    )
    _run([ninja, "-C", str(target)], {} if of.platform == "cuda" else {"ROCM_PATH": home})


def _home(platform: str) -> str:
    said = _run(
        [
            *(sys.executable, "-m", "porting", "sysroot", "find"),
            *("--platform", platform, "--format", "json"),
        ]
    )
    return str(json.loads(said)["path"])


def _cuda(of: Cell, home: str) -> list[str]:
    return [
        f"-DCMAKE_CUDA_COMPILER={home}/bin/nvcc",
        f"-DCUDAToolkit_ROOT={home}",
        f"-DCMAKE_CUDA_ARCHITECTURES={of.target.removeprefix('sm_')}",
    ]


def _rocm(of: Cell, home: str) -> list[str]:
    return [
        f"-DCMAKE_HIP_COMPILER={home}/llvm/bin/clang++",
        f"-DCMAKE_HIP_COMPILER_ROCM_ROOT={home}",
        f"-DCMAKE_PREFIX_PATH={home}",
        f"-DCMAKE_HIP_ARCHITECTURES={of.target}",
    ]


def _ported(of: Cell) -> Path:
    """Port the kernels; a finding that a person has to look at fails the build."""
    ported = of.folder / "ported"
    _run(
        [
            *(sys.executable, "-m", "porting", "port", str(SOURCES), "-o", str(ported)),
            *("--no-verify", "--force", "--arch", of.target),
        ]
    )
    return ported


def _program(name: str) -> str:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    found = shutil.which(name, path=path)
    if found is None:
        raise BuildError(f"{name} is not installed, and the kernels are built with it")
    return found


def _run(command: Sequence[str], more: Mapping[str, str] | None = None) -> str:
    inherited = {name: text for name, text in os.environ.items() if name not in _EMULATED}
    done = subprocess.run(
        command,
        env={**inherited, "CUDACXX": "", "CUDAFLAGS": "", "PYTHONPATH": str(ROOT), **(more or {})},
        capture_output=True,
        text=True,
        check=False,
        timeout=_TIMEOUT,
    )
    if done.returncode != 0:
        raise BuildError(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return done.stdout


def declared() -> list[str]:
    """Return the names of the entry points, as kernels.h has them."""
    return re.findall(r"^int (parity_\w+)\(", (SOURCES / "kernels.h").read_text(), re.MULTILINE)


class Kernels:
    """The entry points of a library that is loaded, by their names without `parity_`."""

    def __init__(self, library: Path, of: Cell) -> None:
        self._library = ctypes.CDLL(str(library))
        self.cell = of

    @property
    def wave(self) -> int:
        """The lanes of a warp."""
        return self.cell.wave

    def status(self, name: str, *arguments: Array | float) -> int:
        """Call an entry point and return its status.

        Arrays are passed as they are in memory, whole numbers as 64 bits, others as doubles.
        """
        return int(self._library[f"parity_{name}"](*map(_passed, arguments)))

    def __call__(self, name: str, *arguments: Array | float) -> None:
        """Call an entry point that has to succeed."""
        status = self.status(name, *arguments)
        if status != 0:
            raise KernelError(f"parity_{name}", status)


def _passed(value: Array | float) -> ctypes.c_void_p | ctypes.c_longlong | ctypes.c_double:
    if isinstance(value, np.ndarray):
        if not value.flags.c_contiguous:
            raise ValueError("an array with gaps is no range of memory; pass a copy")
        return ctypes.c_void_p(value.ctypes.data)
    if isinstance(value, int | np.integer):
        return ctypes.c_longlong(int(value))
    return ctypes.c_double(value)


def element(array: Array) -> int:
    """Return the number of an array's element type, as the entry points take it."""
    return ELEMENTS[array.dtype.name]


if __name__ == "__main__":
    asked = cell(os.environ)
    if asked is None:
        sys.exit("ECLOSION_PARITY_PLATFORM is not set; set it to cuda or rocm")
    sys.stdout.write(f"{build(asked).parent}\n")
