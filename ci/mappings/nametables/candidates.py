"""Which HIP name could stand for a CUDA name: each source's proposals, best source first."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

SOURCES = ("curated", "interop", "tag", "same", "rule", "torch")

_DRIVER_TYPE = "CU^"  # the next letter becomes a capital: CUmemLocation is hipMemLocation
_PREFIXES = {
    "runtime": (("cuda", "hip"), ("CUDA", "HIP"), ("CUDART", "HIP"), ("cu", "hip")),
    "driver": (
        ("CUDA", "HIP"),
        ("CUDA_", "hip"),
        ("CU_", "HIP_"),
        ("CU_", "hip"),
        ("CU", "hip"),
        ("CU", "HIP"),
        (_DRIVER_TYPE, "hip"),
        ("cuda", "hip"),
        ("cu", "hipModule"),
        ("cu", "hipDrv"),
        ("cu", "hip"),
    ),
    "cublas": (("cublas", "hipblas"), ("CUBLAS", "HIPBLAS")),
    "cublaslt": (
        ("cublasLt", "hipblasLt"),
        ("CUBLASLT", "HIPBLASLT"),
        ("cublas", "hipblas"),
        ("CUBLAS", "HIPBLAS"),
    ),
    "cufft": (("cufft", "hipfft"), ("CUFFT", "HIPFFT")),
    "curand": (("curand", "hiprand"), ("CURAND", "HIPRAND"), ("__curand", "__hiprand")),
    "cusparse": (("cusparse", "hipsparse"), ("CUSPARSE", "HIPSPARSE")),
    "cusparselt": (("cusparseLt", "hipsparseLt"), ("CUSPARSELT", "HIPSPARSELT")),
    "cusolver": (("cusolver", "hipsolver"), ("CUSOLVER", "HIPSOLVER")),
    "nccl": (),
    "nvrtc": (("nvrtc", "hiprtc"), ("NVRTC", "HIPRTC")),
    "nvtx": (("nvtx", "roctx"), ("NVTX", "ROCTX")),
    "bf16": (("__nv_", "__hip_"), ("nv_", "__hip_"), ("CUDART", "HIPRT")),
    "fp16": (("__nv_", "__"), ("nv_", ""), ("CUDART", "HIPRT")),
    "fp8": (("__nv_", "__hip_"), ("__NV_", "__HIP_")),
    "device": (("CUDART", "HIP"), ("cuda", "hip")),
}


# Libraries whose `_v2` functions are what the plain name means to everyone: cuBLAS's headers define
# the plain names as the `_v2` ones, hipBLAS had `_v2` forms for a while and dropped them.
_UNVERSIONED = ("cublas", "cublaslt")


@dataclass(frozen=True, slots=True)
class Proposal:
    """One source's idea of the HIP name; `source` is one of SOURCES."""

    target: str
    source: str


def by_rule(name: str, library: str) -> Iterator[str]:
    """Yield what the naming rules of a library make of a name, likeliest first."""
    for old, new in _PREFIXES.get(library, ()):
        begin = old.removesuffix("^")
        stem = name[len(begin) :]
        if not name.startswith(begin) or (begin[-1].islower() and stem[:1].islower()):
            continue
        if old == _DRIVER_TYPE:
            stem = stem[:1].upper() + stem[1:]
        if library in _UNVERSIONED:
            yield new + re.sub(r"_v2(?=$|_64)", "", stem)
        yield new + stem
        yield from (new + variant for variant in _variants(stem))


def _variants(stem: str) -> Iterator[str]:
    """Yield the stem without version, stream and platform suffixes, and its lower-camel forms."""
    plain = re.sub(r"(_v\d+|_ptsz|_ptds)+$", "", stem)
    if plain != stem:
        yield plain
    if re.search(r"_(st|enum)$", stem):
        yield re.sub(r"_(st|enum)$", "_t", stem)
        yield re.sub(r"_(st|enum)$", "", stem)
    if stem.isupper():
        camel = "".join(part.capitalize() for part in plain.split("_"))
        yield camel
    if not plain.endswith("_t"):
        yield f"{plain}_t"
