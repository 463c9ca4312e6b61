"""Patterns of bindgen's lists, for HIP."""

import pytest

from porting.buildfiles.cargo.patterns import hip_pattern
from porting.mapping import Names


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("cudaMalloc", "hipMalloc"),
        ("^cuda.*", "^hip.*"),
        ("(cudaMalloc|cudaFree)", "(hipMalloc|hipFree)"),
        ("cublas.*", "hipblas.*"),
        ("CU.*", "hip.*"),
        ("CUmem.*|cuMem.*", "hipMem.*|hipMem.*"),
        ("CUstream.*|CUevent.*", "hipStream.*|hipEvent.*"),
        ("CUDA_.*", "HIP_.*"),
        ("nccl.*", "nccl.*"),
        ("my_.*", "my_.*"),
        ("cudaNoSuchFunction", None),
        ("cu(Init|MemAlloc)", "(hipInit|hipMalloc)"),
        ("cu(Init|MemFree).*", "(hipInit.*|hipFree.*)"),
        ("^cu(Ctx|Stream)Synchronize$", "^(hipCtxSynchronize|hipStreamSynchronize)$"),
        ("cuMemAlloc(?:Async)?", "(hipMallocAsync|hipMalloc)"),
        ("cuda(Malloc|Free)|my_.*", "(hipMalloc|hipFree)|my_.*"),
        ("cuMemAlloc.*", "(hipMalloc|hipMemAlloc).*"),
        ("cuda((Malloc))", None),
        ("cuda(Malloc)+", None),
        ("^(cu|cuda).*", "^(hip.*|hip.*)"),
        ("cu[A-Z].*", "hip[A-Z].*"),
        ("my(Init|Run)", "(myInit|myRun)"),
    ],
)
def test_pattern_of_bindgen_names_hip(pattern: str, expected: str | None) -> None:
    assert hip_pattern(pattern, Names.load("7.1")) == expected
