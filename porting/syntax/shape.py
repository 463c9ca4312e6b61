"""Which identifiers have the shape of a CUDA name."""

import re
from typing import Final

# Prefixes of CUDA's libraries, in the spelling of functions and types (followed by a capital or an
# underscore) and in that of macros and enumerators.
_LOWER: Final = (
    "cuda|cu|nvrtc|nvml|nvtx|cublas(?:Lt|Xt|Mp)?|cufft(?:Xt|w)?|curand|cusparse(?:Lt)?"
    "|cusolver(?:Dn|Sp|Rf|Mg)?|cudnn|nccl|pnccl|nvjpeg|nvJitLink|cupti|cuFile|cutensor|nppi?|npps"
    "|nvshmem|nvPTXCompiler|nvFatbin"
)
_UPPER: Final = (
    "CUDA|CU|CUDART|NVRTC|NVML|NVTX|CUBLAS(?:LT|XT)?|CUFFT|CURAND|CUSPARSE(?:LT)?|CUSOLVER|CUDNN"
    "|NCCL|CUPTI|CUFILE|CUTENSOR|NVJITLINK|NVJPEG"
)
_SHAPE = re.compile(
    rf"(?:{_LOWER})[A-Z]\w*"
    rf"|(?:{_UPPER})_[A-Z0-9]\w*"
    r"|CU[a-z]\w*"
    r"|__nv_\w+|nv_(?:bfloat|half|fp8)\w*|make_cuda[A-Z]\w*|PFN_cu\w+|__cuda\w+"
)


# How all of these begin: most identifiers fail here, at a fraction of the price.
_BEGINNINGS: Final = frozenset(("cu", "nv", "nc", "pn", "np", "CU", "NV", "NC", "__", "ma", "PF"))


def looks_like_cuda(name: str) -> bool:
    """Whether an identifier has a prefix that CUDA's libraries use for their own names."""
    return name[:2] in _BEGINNINGS and _SHAPE.fullmatch(name) is not None


# Anything that a rule could react to: far too wide on purpose.  Plain substrings and expressions
# that start with one are found several times faster than one alternation of them all.
_TRACES: Final = (
    *("cuda", "CUDA", "Cuda", "cub::", "cub/", "cutlass", "cute::", "cute/", "nccl", "NCCL", "<<<"),
    *("thrust", "wmma", "gesvdj", "syevj", "warp", "Warp", "WARP", "texture", "cooperative_gr"),
    *("nvidia", "NVIDIA", "asm", "HIP_", "__HCC__", "hip/", "porting:", "nvrtc", "nvml", "nvtx"),
    *("nvjpeg", "nvshmem", "nvcomp", "nvinfer", "optix", '"cu"', "(cu,", "__DRIVER_", "__DEVICE_"),
    *("cublas", "cudnn", "cufft", "curand", "cusolver", "cusparse", "cutensor", "cupti", "cuuint"),
    *("nvcc", "ptxas", "cuobjdump", "compute-sanitizer", "nsys", "ncu", "nvprof"),
    *("csrchol", "csrlu", "csrqr", "libraryProp", "bfloat16", "htanh", "h2tanh", "4_16a", "4_32a"),
    *("__VECTOR_", "__HOST_DEF", "__CHANNEL_", "__LIBRARY_", "__TEXTURE_", "__SURFACE_", "__MATH_"),
)
# Headers without a prefix of CUDA's, in files that only pass them on.
_HEADERS: Final = (
    r"include[ \t]*[<\"](?:(?:THC|crt|nv)/|nvfunctional|nvblas|npp|Nv[A-Z]|mma\.h|sm_\d\d_"
    r"|fatbinary_|host_(?:config|defines)\.|math_(?:constants|functions)\."
    r"|(?:common|vector|driver|(?:device|surface)(?:_\w+)?)_(?:functions|types|launch)"
    r"|(?:builtin|library)_types|channel_desc)"
)
_TRACE_SHAPES: Final = tuple(
    map(
        re.compile,
        (
            r"cu[A-Z]",
            r"cu\w*[ \t]*##",
            r"CU[A-Za-z_]",
            r"nv[A-Z_]",
            r"NV[A-Z_]",
            r"atomic[A-Z]",
            r"__[a-zN]",
            r"hip[A-Z]",
            r"npp[A-Zis]",
            r"Npp[A-Z0-9]",
            r"NPPI?_",
            r"NvEnc",
            r"O(?:ptix|PTIX)",
            r"nv(?:std|bench)\b",
            r"cuco\b",
            r"lib(?:cu|np|nv)",
            r"namespace\s+(?:\w+\s*=\s*)?(?:::\s*)?cub\b",
            _HEADERS,
        ),
    )
)


def has_trace_of_cuda(text: str) -> bool:
    """Whether a C-family text may hold something to port; without a trace nothing does."""
    return any(trace in text for trace in _TRACES) or any(
        shape.search(text) for shape in _TRACE_SHAPES
    )
