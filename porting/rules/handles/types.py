"""Handle types, and the words of integer types.  Data."""

import re
from typing import Final

from porting.syntax.words import words

# CUDA type -> HIP type.  All are unsigned 64-bit integers in CUDA and pointers in HIP
# (hip/driver_types.h, texture_types.h, surface_types.h, hip_runtime_api.h of 6.2 and 7.1).
HANDLES: Final = {
    "CUdeviceptr": "hipDeviceptr_t",
    "CUdeviceptr_v1": "hipDeviceptr_t",
    "CUdeviceptr_v2": "hipDeviceptr_t",
    "CUtexObject": "hipTextureObject_t",
    "CUsurfObject": "hipSurfaceObject_t",
    "cudaTextureObject_t": "hipTextureObject_t",
    "cudaSurfaceObject_t": "hipSurfaceObject_t",
    "CUmemGenericAllocationHandle": "hipMemGenericAllocationHandle_t",
    "CUmemGenericAllocationHandle_v1": "hipMemGenericAllocationHandle_t",
}
ADDRESSES: Final = frozenset(("CUdeviceptr", "CUdeviceptr_v1", "CUdeviceptr_v2"))
WIDE: Final = words("size_t ssize_t uint64_t int64_t uintptr_t intptr_t ptrdiff_t")
# A 64-bit integer type, spelled out; `unsigned`, `int` and the like alone are narrower.
INTEGER: Final = re.compile(
    r"(?:std::)?(?:size_t|ssize_t|u?int64_t|u?intptr_t|ptrdiff_t)|(?:unsigned|signed)?\s*long(?:\s+long)?"
    r"(?:\s+(?:int|unsigned))?(?:\s+int)?|long\s+(?:long\s+)?unsigned(?:\s+int)?"
)
INTEGER_WORDS: Final = WIDE | frozenset(("unsigned", "long", "int", "signed", "std", "::", "const"))
NULLS: Final = words("0 0u 0U 0l 0L 0ul 0UL 0ll 0LL 0ull 0ULL NULL nullptr")
