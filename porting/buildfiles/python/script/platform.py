"""Which platform a build script builds for, in a generated build script; torch is asked first."""
# The text must run on Python 3.8; its paths are strings, as in the flags they stand in.
# ruff: noqa: PTH118

from __future__ import annotations

import os
import sys

from porting.buildfiles.python.script.detection import GpuBuildError, choose
from porting.buildfiles.python.script.tables import COMPAT, CUDA_RELEASE, SELECTOR


def is_rocm() -> bool:
    """Whether this build is for ROCm."""
    return platform() == "rocm"


def platform() -> str:
    """Return "cuda", "rocm" or "none".

    An extension of torch is for the platform of the torch that the script imported.  Without one
    GPU_PLATFORM decides; unset, what is installed.  A tree that was ported by renaming is for ROCm.
    """
    asked = os.environ.get(SELECTOR, "")
    built = _torch_platform()
    if built and asked and asked != built:
        raise GpuBuildError(
            f"{SELECTOR}={asked}, but the installed torch is built for {built}; "
            f"install a torch for {asked} or unset {SELECTOR}"
        )
    if built:
        return built
    if not asked and not COMPAT:
        return "rocm"
    return choose(os.environ)[0]


def _torch_platform() -> str:
    version = getattr(sys.modules.get("torch"), "version", None)
    if getattr(version, "hip", None):
        return "rocm"
    return "cuda" if getattr(version, "cuda", None) else ""


def home(cuda_home: str | None = None) -> str | None:
    """Return the toolkit's folder: in a CUDA build what the script found itself."""
    return rocm_home() if is_rocm() else cuda_home


def rocm_home() -> str:
    """Return ROCm's folder: torch's answer where torch has one, else the detection rule's."""
    extension = sys.modules.get("torch.utils.cpp_extension")
    known = getattr(extension, "ROCM_HOME", None)
    return known or choose({**os.environ, SELECTOR: "rocm"})[1]


def compiler() -> list[str]:
    """Return the words that start a compilation of HIP: HIPCC, or what ROCm's folder has."""
    root = rocm_home()
    places = [os.path.join(root, "bin", "hipcc"), os.path.join(root, "llvm", "bin", "clang++")]
    found = os.environ.get("HIPCC") or next(filter(os.path.isfile, places), None)
    if not found:
        raise GpuBuildError(f"{root} has neither bin/hipcc nor llvm/bin/clang++; set HIPCC")
    return [*found.split(), f"--rocm-path={root}"]


def cuda_release(release: str | None) -> str | None:
    """Return torch.version.cuda; in a ROCm build the CUDA release that HIP stands in for."""
    return CUDA_RELEASE if is_rocm() else release
