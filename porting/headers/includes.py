"""The HIP headers that a compat header includes, and how it keeps HIP's warpSize apart."""

from collections.abc import Iterable, Sequence
from typing import Final

from porting.headers.entries import Entry
from porting.headers.layout import comment
from porting.headers.parts import parts_for
from porting.headers.uses import Uses
from porting.mapping import Names

_BASE: Final = "hip/hip_runtime.h"
# Headers of HIP itself, that come with every installation.
_OWN: Final = "hip/"
_LIBRARY_HEADERS: Final = {
    "cublas": "hipblas/hipblas.h",
    "cublaslt": "hipblaslt/hipblaslt.h",
    "cufft": "hipfft/hipfft.h",
    "curand": "hiprand/hiprand.h",
    "cusolver": "hipsolver/hipsolver.h",
    "cusparse": "hipsparse/hipsparse.h",
    "nccl": "rccl/rccl.h",
}
_CXX_ALONE: Final = ("hip/hip_bf16.h", "hip/hip_fp16.h")
# Device code of these reads warpSize and the warp functions as HIP defines them.
_READS_WARP: Final = ("hip/hip_fp16.h", "hip/hip_bf16.h", "hip/hip_cooperative_groups.h")
_READS_WARP_PREFIXES: Final = ("hipcub/", "thrust/", "rocprim/", "hiprand/hiprand_kernel")
# What HIP's warpSize is called where the tree says warpSize.
WAVEFRONT_SIZE: Final = "eclosion_wavefront_size"
# Names of CUDA 8 that HIP has too, for whole wavefronts.
OLD_VOTES: Final = frozenset(
    ("__shfl", "__shfl_up", "__shfl_down", "__shfl_xor", "__ballot", "__any", "__all")
)
_SYNC: Final = (
    "HIP's own forms of the warp functions take masks of 64 bits and count in wavefronts; those"
    " below take their place."
)
_OF_NVCC: Final = (
    "nvcc gave string.h to every .cu file before its first line, and HIP's runtime header does not."
)
_APART: Final = (
    "HIP's warpSize is the width of a wavefront.  Its headers keep it under another name, and the"
    " member of hipDeviceProp_t keeps its own."
)


def included_before(uses: Uses, names: Names) -> tuple[str, ...]:
    """Return the headers that must be read before CUDA's warp gets its meaning."""
    found: dict[str, None] = {}
    for header in uses.headers:
        known = names.header(header)
        if known is not None and known.target is not None and _reads_warp(known.target):
            found[known.target] = None
    return tuple(sorted(found))


def includes_text(uses: Uses, entries: Sequence[Entry], names: Names) -> str:
    """Return the platform macro and the #include lines."""
    used = uses.names.keys()
    blocks = ["#if !defined(__HIP_PLATFORM_AMD__)\n#define __HIP_PLATFORM_AMD__ 1\n#endif\n"]
    is_warp = any(part.name.endswith("_sync") or "warp" in part.name for part in parts_for(used))
    if is_warp or used & {"__activemask", "__syncwarp"}:
        blocks.append(
            comment(_SYNC)
            + "#undef HIP_ENABLE_WARP_SYNC_BUILTINS\n"
            + "#if !defined(HIP_DISABLE_WARP_SYNC_BUILTINS)\n"
            + "#define HIP_DISABLE_WARP_SYNC_BUILTINS 1\n#endif\n"
        )
    libraries = [*_narrow_floats(uses, entries), *_libraries(entries)]
    if "warpSize" in used:
        blocks.append(_apart(included_before(uses, names)))
    else:
        early = included_before(uses, names) if used & OLD_VOTES else ()
        blocks.append(_lines([_BASE]) + (_guarded(early) if early else ""))
    blocks.append(comment(_OF_NVCC) + "#if defined(__HIPCC__)\n#include <string.h>\n#endif\n")
    if libraries:
        blocks.append(_for_wrappers(libraries))
    return "\n".join(blocks)


def _reads_warp(header: str) -> bool:
    return header in _READS_WARP or header.startswith(_READS_WARP_PREFIXES)


def _narrow_floats(uses: Uses, entries: Iterable[Entry]) -> list[str]:
    """Return the headers of 16-bit floats that the text of functions needs."""
    texts = [part.text for part in parts_for(uses.names)]
    texts += [entry.text for entry in entries if "{" in entry.text]
    wanted = {"hip/hip_bf16.h": "bfloat16", "hip/hip_fp16.h": "__half"}
    return [header for header, word in wanted.items() if any(word in text for text in texts)]


def _libraries(entries: Iterable[Entry]) -> list[str]:
    """Return the headers that declare what wrappers call."""
    wanted = {entry.library for entry in entries if "{" in entry.text}
    return [header for library, header in _LIBRARY_HEADERS.items() if library in wanted]


def _apart(headers: Sequence[str]) -> str:
    return (
        comment(_APART)
        + "#include <hip/hip_runtime_api.h>\n"
        + f"#if defined(__HIPCC__)\n#define warpSize {WAVEFRONT_SIZE}\n"
        + _lines([_BASE])
        + (f"\n{_optional(headers)}" if headers else "")
        + "#undef warpSize\n#else\n"
        + _lines([_BASE])
        + "#endif\n"
    )


def _for_wrappers(headers: Sequence[str]) -> str:
    """Return lines for what wrappers call; some headers are for C++ alone."""
    cxx = [header for header in headers if header in _CXX_ALONE]
    text = _lines(header for header in headers if header not in _CXX_ALONE)
    return text + (f"#if defined(__cplusplus)\n{_lines(cxx)}#endif\n" if cxx else "")


def _guarded(headers: Sequence[str]) -> str:
    return f"#if defined(__HIPCC__)\n{_optional(headers)}#endif\n"


def _optional(headers: Sequence[str]) -> str:
    """Return lines for headers; those of libraries may not be installed where nobody needs them."""
    return "".join(
        _lines([header])
        if header.startswith(_OWN)
        else f"#if __has_include(<{header}>)\n#include <{header}>\n#endif\n"
        for header in headers
    )


def _lines(headers: Iterable[str]) -> str:
    return "".join(f"#include <{header}>\n" for header in headers)
