"""File names of CUDA's libraries in strings, and of ROCm's in their place, per release."""

import re
from typing import Final

from porting.libraries import How, Interface, Library, libraries

# Libraries of NVIDIA's that belong to another of the table, or are headers alone by now.
_OTHERS: Final = {"nvrtc-builtins": "hiprtc-builtins", "nvToolsExt": "nvtx"}
_FILES: Final = (How.STATIC, How.SHARED, How.DLOPEN)
# Name -> the library that takes its place with the same functions.
DROP_INS: Final[dict[str, Library]] = {
    **{
        library.cuda.name: library
        for library in libraries().values()
        if library.cuda is not None
        and library.cuda.how in _FILES
        and library.interface is Interface.SAME
        and library.cuda.name != library.rocm.name  # a library of neither vendor
    },
    **{name: libraries()[other] for name, other in _OTHERS.items()},
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
# The expression for the name of any of them.
ANY_NAME: Final = "|".join(
    sorted(map(re.escape, (*DROP_INS, *NO_DROP_INS)), key=lambda name: (-len(name), name))
)
# `version` may hold format directives or end in a dot: then a number is joined at run time.
LIBRARY_NAME: Final = re.compile(
    rf"(?<![\w-])lib(?P<linux>{ANY_NAME})(?:_static)?\.(?:so(?P<version>(?:\.(?:\d+|%\w+))*\.?)(?![\w])(?!\.[a-z])|a\b)"
    r"|(?<![\w-])(?P<windows>nvcuda|cudart(?:32|64)_\w+|nvrtc(?:32|64)_\w+|nvml)\.dll\b"
)


def drop_in_file(name: str, version: str, release: tuple[int, int]) -> str | None:
    """Return the file name of the ROCm library in place of lib`name`.so`version`.

    A name with a version gets the target's; one without stays without.  None: there is none, or
    the release is newer than the version numbers that are known.
    """
    library = DROP_INS.get(name)
    if library is None:
        return None
    file = f"lib{library.rocm.name}.so"
    if not version:
        return file
    number = library.major(".".join(map(str, release)))
    return None if number is None else f"{file}.{number}"


def windows_file(stem: str, release: tuple[int, int]) -> str | None:
    """Return the DLL in place of a CUDA one (`stem` has no suffix), None when there is none."""
    if stem == "nvcuda" or stem.startswith("cudart"):
        return f"amdhip64_{release[0]}.dll"
    return None
