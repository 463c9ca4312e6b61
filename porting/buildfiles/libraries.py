"""What the link line of a CUDA library becomes for ROCm: names, CMake packages and targets."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Library:
    """One CUDA library for ROCm.

    `link`: names for -l; none when nothing is linked.  `package` and `target`: of CMake; "" when
    ROCm has none.  `reason`: why nothing, or something else than expected, is linked.
    """

    cuda: str
    link: tuple[str, ...]
    package: str = ""
    target: str = ""
    reason: str = ""


_NO_STATIC = "libamdhip64 is the runtime and the driver, and a shared library only"
_NO_DEVICE_RUNTIME = "HIP has no device runtime library"
_HEADERS_ONLY = "header-only: nothing is linked"
_HIP = (("amdhip64",), "hip", "hip::host")
_ROWS: dict[str, tuple[tuple[str, ...], str, str] | tuple[tuple[str, ...], str, str, str]] = {
    "cudart": _HIP,
    "cudart_static": (*_HIP, _NO_STATIC),
    "cuda": (*_HIP, _NO_STATIC),
    "cuda_driver": (*_HIP, _NO_STATIC),
    "cudadevrt": ((), "", "", _NO_DEVICE_RUNTIME),
    "culibos": ((), "", "", "HIP's libraries need no such helper"),
    "nvrtc": (("hiprtc",), "hiprtc", "hiprtc::hiprtc"),
    "cublas": (("hipblas",), "hipblas", "roc::hipblas"),
    "cublasLt": (("hipblaslt",), "hipblaslt", "roc::hipblaslt"),
    "cufft": (("hipfft",), "hipfft", "hip::hipfft"),
    "cufftw": (("hipfft",), "hipfft", "hip::hipfft"),
    "curand": (("hiprand",), "hiprand", "hip::hiprand"),
    "cusparse": (("hipsparse",), "hipsparse", "roc::hipsparse"),
    "cusparseLt": (("hipsparselt",), "hipsparselt", "roc::hipsparselt"),
    "cusolver": (("hipsolver",), "hipsolver", "roc::hipsolver"),
    "nccl": (("rccl",), "rccl", "roc::rccl"),
    "nvToolsExt": (("roctx64",), "", "roctx64"),
    "nvtx3": (("roctx64",), "", "roctx64"),
    "cupti": (("roctracer64",), "", "roctracer64"),
    "nvidia-ml": (("amd_smi",), "amd_smi", "amd_smi"),
    "nvml": (("amd_smi",), "amd_smi", "amd_smi"),
}


def library(name: str) -> Library | None:
    """Return what becomes of a CUDA library by its name for -l, None for any other library."""
    row = _ROWS.get(name) or _ROWS.get(name.removesuffix("_static"))
    return None if row is None else Library(name, *row)


def link_names(name: str) -> tuple[tuple[str, ...], str]:
    """Return the names for -l and the reason, the name itself for one that is not CUDA's."""
    found = library(name)
    return ((name,), "") if found is None else (found.link, found.reason)
