"""What a CUDA library on a link line becomes: names for -l, CMake packages and targets."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType

from porting.diagnostics import Severity
from porting.libraries import How, Interface, Library, libraries
from porting.rules.strings.sonames import NO_DROP_INS

_NO_STATIC = "libamdhip64 holds the runtime and the driver, and is a shared library only"
# Parts of CUDA that are linked beside its libraries and have no counterpart to link.
_DROPPED = {
    "cudadevrt": "HIP has no device runtime library",
    "culibos": "ROCm's libraries need no such helper",
    "cublas_device": "HIP has no BLAS that kernels can call",
    "cufilt": "ROCm's libraries need no such helper",
    "cusolver_lapack_static": "hipSOLVER brings its own",
    "cusolver_metis_static": "hipSOLVER brings its own",
    "metis_static": "hipSOLVER brings its own",
    "lapack_static": "hipSOLVER brings its own",
}
# Other names of a library: of CMake's targets, of older releases.
_ALIASES = {
    "cuda_driver": "cuda",
    "nvToolsExt": "nvtx",
    "nvtx3": "nvtx",
    "nvidia-ml": "nvml",
    "cuFile": "cufile",
    "toolkit": "cudart",
    "cufft_static_nocallback": "cufft",
    "nvrtc_builtins": "nvrtc",
    "nvrtc-builtins": "nvrtc",
    "cub": "cub",
    "npp": "nppc",
}


@dataclass(frozen=True, slots=True)
class Linked:
    """One CUDA library for ROCm.

    `link`: names for -l; none when nothing is linked.  `package` and `target`: of CMake; "" when
    ROCm has none.  `reason`: why something else than the same functions is linked, or nothing;
    `severity`: what that is worth.
    """

    cuda: str
    link: tuple[str, ...]
    package: str = ""
    target: str = ""
    reason: str = ""
    severity: Severity = Severity.NOTE


def library(name: str) -> Linked | None:
    """Return what becomes of a CUDA library by its name for -l or CMake, None for any other."""
    if name in _DROPPED:
        return Linked(name, (), reason=_DROPPED[name])
    found = _by_name().get(name)
    return None if found is None else _linked(name, found)


def link_names(name: str) -> tuple[tuple[str, ...], str]:
    """Return the names for -l and the reason, the name itself for one that is not CUDA's."""
    found = library(name)
    return ((name,), "") if found is None else (found.link, found.reason)


def _linked(name: str, found: Library) -> Linked:
    side = found.rocm
    if side.how is How.NONE:
        advice = NO_DROP_INS.get(found.id, "ROCm has no library in its place")
        reason = f"{name} has no counterpart: {advice}"
        return Linked(name, (), reason=reason, severity=Severity.ERROR)
    link = () if side.how is How.HEADERS else (side.name,)
    reason, severity = "", Severity.NOTE
    if found.interface is Interface.OWN and found.id != "nvtx":
        advice = NO_DROP_INS.get(found.id, "")
        reason = f"{side.name} takes its place, with an interface of its own"
        reason, severity = f"{reason}: {advice}" if advice else reason, Severity.WARNING
    elif side.name == "amdhip64" and name != "cudart":
        reason = _NO_STATIC
    return Linked(name, link, side.package, side.target, reason, severity)


@cache
def _by_name() -> Mapping[str, Library]:
    found: dict[str, Library] = {}
    for item in libraries().values():
        if item.cuda is None or item.id == "ibverbs":
            continue
        for name in (item.id, item.cuda.name, item.cuda.static):
            if name:
                found.setdefault(name, item)
        found.setdefault(f"{item.cuda.name or item.id}_static", item)
    found |= {alias: found[name] for alias, name in _ALIASES.items()}
    npp = ("nppial", "nppicc", "nppicom", "nppidei", "nppif", "nppig", "nppim", "nppist", "nppisu")
    found |= dict.fromkeys((*npp, "nppitc", "npps"), found["nppc"])
    return MappingProxyType(found)
