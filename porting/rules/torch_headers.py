"""PyTorch's own headers: which of them its ROCm build has under another path.

That build translates c10 and ATen when it is built, so the folder `cuda` is `hip` there, and files
named with CUDA are named with HIP.  torch/csrc/cuda and the C++ names, like at::cuda and
C10_CUDA_CHECK, stay.
"""

import re
from typing import Final

_RENAMED: Final = re.compile(
    r"(?P<above>c10|ATen|ATen/native(?:/(?:nested|quantized|sparse|transformers))?)"
    r"/cuda/(?P<below>(?:\w+/)*)(?P<file>[\w-]+\.(?:h|cuh|hpp))"
)
# What the last releases with THC had in its headers, and where current ones have it.
_OF_THC: Final = {
    "THC/THCAtomics.cuh": "ATen/hip/Atomic.cuh",
    "THC/THCDeviceUtils.cuh": "ATen/hip/DeviceUtils.cuh",
}
REMOVED_HELP: Final = (
    "use the tensor API (ATen/ATen.h), ATen/cuda/CUDAContext.h and c10/cuda/CUDAException.h"
)


def rocm_header(path: str) -> str | None:
    """Return the path of a PyTorch header in its ROCm build, None where it keeps its own."""
    if path in _OF_THC:
        return _OF_THC[path]
    match = _RENAMED.fullmatch(path)
    if match is None:
        return None
    file = match["file"].replace("CUDA", "HIP").replace("cuda", "hip")
    return f"{match['above']}/hip/{match['below']}{file}"


def is_removed(path: str) -> bool:
    """Whether a header is of THC, which PyTorch had before ATen and no longer has."""
    return path.startswith("THC/") and path not in _OF_THC
