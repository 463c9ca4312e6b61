"""Types whose keyword differs: `struct cudaX` with another tag, and enums without a typedef."""

from collections.abc import Iterator
from typing import Final

from porting.edits import Edit
from porting.rules.api.changes import is_c
from porting.rules.unit import Unit

_KEYWORDS: Final = ("struct", "enum")
# Read off hip_runtime_api.h and linker_types.h of ROCm 6.2 and 7.1, for all tags of CUDA's headers.
TAGS: Final = {
    "cudaGraphicsResource": "_hipGraphicsResource",
    "CUgraphicsResource_st": "_hipGraphicsResource",
    "cudaLaunchParams": "hipLaunchParams_t",
    "cudaExternalMemoryHandleType": "hipExternalMemoryHandleType_enum",
    "cudaExternalMemoryHandleDesc": "hipExternalMemoryHandleDesc_st",
    "cudaExternalMemoryBufferDesc": "hipExternalMemoryBufferDesc_st",
    "cudaExternalMemoryMipmappedArrayDesc": "hipExternalMemoryMipmappedArrayDesc_st",
    "cudaExternalSemaphoreHandleType": "hipExternalSemaphoreHandleType_enum",
    "cudaExternalSemaphoreHandleDesc": "hipExternalSemaphoreHandleDesc_st",
    "cudaExternalSemaphoreSignalParams": "hipExternalSemaphoreSignalParams_st",
    "cudaExternalSemaphoreSignalParams_v1": "hipExternalSemaphoreSignalParams_st",
    "cudaExternalSemaphoreWaitParams": "hipExternalSemaphoreWaitParams_st",
    "cudaExternalSemaphoreWaitParams_v1": "hipExternalSemaphoreWaitParams_st",
    "cudaLibraryOption": "hipLibraryOption_e",
}
# CUDA's typedefs whose HIP counterpart has none: C needs the keyword in front.  Read off by
# compiling every type of CUDA's C headers, under its HIP name, as C against ROCm 6.2's and 7.1's.
_ENUMS: Final = (
    *("CUlimit", "CUcomputemode", "CUgraphDebugDot_flags", "CUGPUDirectRDMAWritesOrdering"),
    "CUflushGPUDirectRDMAWritesOptions",
)


def check_tags(unit: Unit) -> Iterator[Edit]:
    """Yield the renames of tags that are not HIP's name of the type, and of typedefs in C."""
    if is_c(unit):
        yield from _without_typedef(unit)
    for name in sorted(TAGS.keys() & unit.index.keys()):
        known = unit.names.get(name)
        if known is None or known.target is None:
            continue  # not in this release
        for number in unit.where(name):
            if number and unit.tokens[number - 1].text in _KEYWORDS:
                token = unit.tokens[number]
                yield Edit(token.start, token.end, TAGS[name], name)


def _without_typedef(unit: Unit) -> Iterator[Edit]:
    for name in filter(unit.index.__contains__, _ENUMS):
        known = unit.names.get(name)
        if known is None or known.target is None:
            continue
        for number in unit.where(name):
            token = unit.tokens[number]
            if not (number and unit.tokens[number - 1].text == "enum"):
                yield Edit(token.start, token.end, f"enum {known.target}", name)
