"""A stand-in for PyTorch's ROCm wheel, made of the installed CPU wheel and a ROCm tree.

The package index has no ROCm wheel.  What extensions are built with is the same in both: torch's
Python, unchanged, and its headers, converted as torch's own ROCm build converts them.  Stood in for
are `torch.version`, the count of devices (none), and the two libraries for the GPU: an extension
links against them and is loaded, and a call of a function of theirs ends the process.
"""

import importlib.util
import os
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from benchmarks.real_trees.torch_headers import thrust_headers, torch_headers
from porting.toolkits.sysroot import Sysroot

# What extensions take from the two libraries for the GPU: functions, then data.
_FUNCTIONS = {
    "c10_hip": """
        _ZN3c104cuda12device_countEv _ZN3c104cuda14ExchangeDeviceEa _ZN3c104cuda14MaybeSetDeviceEa
        _ZN3c104cuda17getStreamFromPoolEba _ZN3c104cuda17getStreamFromPoolEia
        _ZN3c104cuda20getCurrentCUDAStreamEa _ZN3c104cuda20getDefaultCUDAStreamEa
        _ZN3c104cuda20setCurrentCUDAStreamENS0_10CUDAStreamE
        _ZN3c104cuda29c10_cuda_check_implementationEiPKcS2_jb _ZN3c104cuda9GetDeviceEPa
        _ZN3c104cuda9SetDeviceEab _ZNK3c104cuda10CUDAStream11synchronizeEv
        _ZNK3c104cuda10CUDAStream5queryEv _ZNK3c104cuda10CUDAStream6streamEv
    """,
    "torch_hip": "_ZN2at4cuda26getCurrentDevicePropertiesEv",
}
_DATA = {"c10_hip": "_ZN3c104cuda20CUDACachingAllocator9allocatorE", "torch_hip": ""}
_VERSION = """\
from torch_cpu_version import __version__, debug, git_version

__all__ = ["__version__", "cuda", "debug", "git_version", "hip", "rocm", "xpu"]
cuda = None
hip = "{release}"
rocm = "{release}"
xpu = None
"""
# What a ROCm build has and a machine without a GPU answers; and it brings its libraries along.
_NO_DEVICES = """

import ctypes
import pathlib

torch._C._cuda_getDeviceCount = lambda: 0
for _name in ("libc10_hip.so", "libtorch_hip.so"):
    ctypes.CDLL(str(pathlib.Path(__file__).parents[1] / "lib" / _name))
"""
# Debian's Thrust is NVIDIA's, whose CUDA back end must not be looked for; ROCm's uses HIP.
_COMPLEX = """\
#pragma once
#ifndef THRUST_DEVICE_SYSTEM
#define THRUST_DEVICE_SYSTEM THRUST_DEVICE_SYSTEM_CPP
#endif
#include "{original}"
"""


@dataclass(frozen=True)
class RocmTorch:
    """A folder for PYTHONPATH whose `torch` is for ROCm, and the ROCm folder it is used with."""

    site: Path
    rocm: Path

    def environment(self, **more: str) -> dict[str, str]:
        """Return the environment of a process that imports this torch and this checkout."""
        root = str(Path(__file__).resolve().parents[3])
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        kept = {name: os.environ[name] for name in ("HOME", "LANG", "TMPDIR") if name in os.environ}
        return {
            **kept,
            "PATH": path,
            "PYTHONPATH": os.pathsep.join((str(self.site), root)),
            "PYTHONDONTWRITEBYTECODE": "1",
            "ROCM_HOME": str(self.rocm),
            "ROCM_PATH": str(self.rocm),
            "LD_LIBRARY_PATH": str(self.rocm / "lib"),
            **more,
        }


class MissingPartError(Exception):
    """What the stand-in is made of is not here; the text says what."""


def make(place: Path, sysroot: Sysroot, *, version: str | None = None) -> RocmTorch:
    """Make the stand-in in an empty folder.  Raises MissingPartError.

    `version` is that of the release whose torch this is, the tree's own unless it is given.
    """
    spec = importlib.util.find_spec("torch")
    if spec is None or not spec.submodule_search_locations:
        raise MissingPartError("torch is not installed here; the benchmark extra has it")
    thrust = thrust_headers()
    if thrust is None:
        raise MissingPartError("apt has no libthrust-dev, whose headers torch's need")
    original = Path(spec.submodule_search_locations[0])
    site, rocm = place / "site", place / "rocm"
    _make_torch(site, original, version or sysroot.version)
    _make_rocm(rocm, sysroot.path, thrust)
    return RocmTorch(site, rocm)


def _make_torch(site: Path, original: Path, release: str) -> None:
    torch = site / "torch"
    _link_all(original, torch, but=("version.py", "cuda", "include", "lib"))
    (torch / "version.py").write_text(_VERSION.format(release=release), encoding="utf-8")
    (site / "torch_cpu_version.py").symlink_to(original / "version.py")
    _link_all(original / "cuda", torch / "cuda", but=("__init__.py",))
    text = (original / "cuda" / "__init__.py").read_text(encoding="utf-8")
    (torch / "cuda" / "__init__.py").write_text(text + _NO_DEVICES, encoding="utf-8")
    (torch / "include").symlink_to(torch_headers())
    _link_all(original / "lib", torch / "lib")
    for name, functions in _FUNCTIONS.items():
        _make_library(torch / "lib" / f"lib{name}.so", functions.split(), _DATA[name].split())


def _make_library(file: Path, functions: Iterable[str], data: Iterable[str]) -> None:
    lines = [f"void {name}(void) {{ __builtin_trap(); }}" for name in functions]
    lines += [f"void *{name};" for name in data]
    command = ["gcc", "-shared", "-fPIC", f"-Wl,-soname,{file.name}", "-o", str(file)]
    text = "\n".join(lines)
    subprocess.run([*command, "-x", "c", "-"], input=text, text=True, check=True, timeout=60)


def _make_rocm(rocm: Path, tree: Path, thrust: Path) -> None:
    """Make a ROCm folder that has Thrust besides."""
    _link_all(tree, rocm, but=("include",))
    _link_all(tree / "include", rocm / "include")
    _link_all(thrust / "thrust", rocm / "include" / "thrust", but=("complex.h",))
    header = _COMPLEX.format(original=thrust / "thrust" / "complex.h")
    (rocm / "include" / "thrust" / "complex.h").write_text(header, encoding="utf-8")


def _link_all(source: Path, target: Path, but: tuple[str, ...] = ()) -> None:
    """Make a folder of links to what another has; caches of bytecode stay each folder's own."""
    target.mkdir(parents=True)
    for entry in source.iterdir():
        if entry.name not in (*but, "__pycache__"):
            (target / entry.name).symlink_to(entry)
