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


def looks_like_cuda(name: str) -> bool:
    """Whether an identifier has a prefix that CUDA's libraries use for their own names."""
    return _SHAPE.fullmatch(name) is not None
