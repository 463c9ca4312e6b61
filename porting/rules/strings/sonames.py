"""File names of CUDA's libraries, and of ROCm's in their place, per release.  Data.

Version numbers of ROCm 7: the SONAMEs that the libraries of ROCm 7.0 carry; of ROCm 6: those of the
6.x packages.  Libraries without an entry in DROP_INS have no counterpart with the same functions.
"""

import re
from typing import Final, NamedTuple


class DropIn(NamedTuple):
    """A ROCm library that takes a CUDA library's place: its name and SONAME versions."""

    name: str
    rocm6: str
    rocm7: str


_HIP: Final = DropIn("amdhip64", "6", "7")
DROP_INS: Final = {
    "cuda": _HIP,
    "cudart": _HIP,
    "nvrtc": DropIn("hiprtc", "6", "7"),
    "nvrtc-builtins": DropIn("hiprtc-builtins", "6", "7"),
    "nccl": DropIn("rccl", "1", "1"),
    "cublas": DropIn("hipblas", "2", "3"),
    "cublasLt": DropIn("hipblaslt", "0", "1"),
    "cufft": DropIn("hipfft", "0", "0"),
    "cufftw": DropIn("hipfftw", "0", "0"),
    "curand": DropIn("hiprand", "1", "1"),
    "cusparse": DropIn("hipsparse", "1", "4"),
    "cusparseLt": DropIn("hipsparselt", "0", "0"),
    "cusolver": DropIn("hipsolver", "0", "1"),
    "nvToolsExt": DropIn("roctx64", "4", "4"),
}
_SMI: Final = "use AMD SMI (libamd_smi.so, amd_smi/amdsmi.h); its functions and types are its own"
_NPP: Final = "use rocAL, RPP or a kernel of your own"
NO_DROP_INS: Final = {
    "nvidia-ml": _SMI,
    "cudnn": "use MIOpen (libMIOpen.so.1, miopen/miopen.h); its functions and types are its own",
    "cupti": "use rocprofiler-sdk or roctracer; their functions and types are their own",
    "nvJitLink": "link code objects with hiprtcLinkCreate of libhiprtc",
    "nvjitlink": "link code objects with hiprtcLinkCreate of libhiprtc",
    "nvptxcompiler": "compile with libhiprtc or libamd_comgr instead of from PTX",
    "nvfatbin": "bundle code objects with clang-offload-bundler",
    "nvidia-ptxjitcompiler": "HIP has no PTX compiler; ship code objects",
    "nvjpeg": "use rocJPEG (librocjpeg.so); its functions and types are its own",
    "nvcuvid": "use rocDecode (librocdecode.so); its functions and types are its own",
    "nvidia-encode": "use AMF or VA-API",
    "cufile": "read into host memory and copy; ROCm has no GPUDirect Storage library here",
    "cutensor": "use hipTensor (libhiptensor.so); check the functions it has",
    "nvshmem_host": "use rocSHMEM; its functions are its own",
    "nvshmem": "use rocSHMEM; its functions are its own",
    "nvinfer": "use MIGraphX",
    "cudadebugger": "use rocgdb's library, librocm-dbgapi",
    "nppc": _NPP,
    "nppi": _NPP,
    "npps": _NPP,
    "nvidia-nvvm": "use libamd_comgr",
    "nvvm": "use libamd_comgr",
    "cudla": "AMD GPUs have no DLA",
}
_ANY: Final = "|".join(
    sorted(map(re.escape, (*DROP_INS, *NO_DROP_INS)), key=lambda name: (-len(name), name))
)
# `version` may hold format directives or end in a dot: then a number is joined at run time.
LIBRARY_NAME: Final = re.compile(
    rf"(?<![\w-])lib(?P<linux>{_ANY})(?:_static)?\.(?:so(?P<version>(?:\.(?:\d+|%\w+))*\.?)(?![\w])(?!\.[a-z])|a\b)"
    r"|(?<![\w-])(?P<windows>nvcuda|cudart(?:32|64)_\w+|nvrtc(?:32|64)_\w+|nvml)\.dll\b"
)
_ROCM7: Final = 7


def drop_in_file(name: str, version: str, release: tuple[int, int]) -> str | None:
    """Return the file name of the ROCm library in place of lib`name`.so`version`.

    A name with a version gets the target's; one without stays without.  None: there is none, or
    the release is newer than the version numbers that are known.
    """
    library = DROP_INS.get(name)
    if library is None:
        return None
    if not version:
        return f"lib{library.name}.so"
    if release[0] > _ROCM7:
        return None
    number = library.rocm7 if release[0] == _ROCM7 else library.rocm6
    return f"lib{library.name}.so.{number}"


def windows_file(stem: str, release: tuple[int, int]) -> str | None:
    """Return the DLL in place of a CUDA one (`stem` has no suffix), None when there is none."""
    if stem == "nvcuda" or stem.startswith("cudart"):
        return f"amdhip64_{release[0]}.dll"
    return None
