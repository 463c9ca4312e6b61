"""Which names look like CUDA's, and which texts may hold something to port."""

import re

import pytest

from porting import mapping
from porting.mapping import Names, Status
from porting.syntax import has_trace_of_cuda, looks_like_cuda


@pytest.mark.parametrize(
    "name",
    [
        *("cudaMalloc", "cuMemAlloc_v2", "CUdeviceptr", "CU_CTX_MAP_HOST", "CUDA_SUCCESS"),
        *("cublasSgemm", "cublasLtMatmul", "CUBLAS_OP_N", "cufftExecC2C", "curandCreateGenerator"),
        *("cusparseSpMV", "cusolverDnCreate", "cudnnCreate", "ncclAllReduce", "NCCL_VERSION_CODE"),
        *("nvrtcCompileProgram", "nvmlInit_v2", "nvtxRangePushA", "__nv_bfloat16", "nv_bfloat162"),
        *("make_cudaExtent", "PFN_cuInit", "cuptiActivityEnable", "nvJitLinkCreate", "CUDART_PI_F"),
    ],
)
def test_name_of_a_cuda_library_looks_like_one(name: str) -> None:
    assert looks_like_cuda(name)


@pytest.mark.parametrize(
    "name",
    [
        *("cuda", "cuda_stream", "my_cudaMalloc", "CUDAStream", "mycuda", "custom", "current"),
        *(
            "CUTLASS_HOST",
            "cub",
            "cubes",
            "cutlass",
            "hipMalloc",
            "curand_init_all",
            "CU",
            "NVIDIA",
        ),
        *("accumulate", "nvme_open", "half", "C10_CUDA_CHECK", "is_cuda", "ucudaX", "CUSTOM_OP"),
    ],
)
def test_other_name_does_not(name: str) -> None:
    assert not looks_like_cuda(name)


@pytest.mark.parametrize(
    "text",
    [
        *(
            "cudaMalloc(&p, 1);",
            "CUresult r;",
            "cuInit(0);",
            "k<<<1, 1>>>();",
            "__shfl_sync(m, v, 0)",
        ),
        *('dlopen("libnccl.so.2")', "thrust::sort(a, b);", "cub::Sum()", '"/dev/nvidia0"'),
        *("#ifdef __HIP_PLATFORM_HCC__", "// porting: ignore[X] y", 'asm("x")', "nvrtcProgram p;"),
    ],
)
def test_text_with_something_to_port_has_a_trace(text: str) -> None:
    assert has_trace_of_cuda(text)


def test_every_name_that_a_port_reacts_to_is_a_trace() -> None:
    """A file without a trace is not even read: one of a library alone must have one too."""
    names = Names.load("7.1")
    blind = {
        name.name
        for name in names
        if name.status is not Status.UNCHANGED
        and name.kind != "field"
        and not re.fullmatch(r"(?:_+[A-Z]\w*|PFN_)\w*", name.name)  # include guards, typedefs
        and not has_trace_of_cuda(name.name)
    }
    assert blind == set()


def test_every_header_that_a_port_reacts_to_is_a_trace() -> None:
    """A header that only passes CUDA's types on names nothing else of CUDA."""
    names = Names.load("7.1")
    blind = {
        path
        for path in mapping._tables().headers
        if (name := names.header(path)) is not None
        and name.status is not Status.UNCHANGED
        and not has_trace_of_cuda(f"#include <{path}>\n")
    }
    assert blind == set()


@pytest.mark.parametrize(
    "line",
    [
        *("#include <THC/THC.h>", "#  include <THC/THCAtomics.cuh>", "#include <nvfunctional>"),
        *('#include "vector_types.h"', "#include<mma.h>", "# include\t<nv/target>"),
        *("#include <npp.h>", "#include <nppi_filtering_functions.h>", "#include <NvInfer.h>"),
        *("#include <optix_stubs.h>", "#include <nvbench/nvbench.cuh>", "#include <cuco/set.h>"),
        *("nvstd::function<int()> f;", "nppiFree(p);", "Npp8u *p;", "NvEncCreate();"),
        *("OptixModule m;", "using namespace cub;", "namespace c = ::cub;", "cuco::set<int> s;"),
    ],
)
def test_header_or_name_of_a_library_alone_is_a_trace(line: str) -> None:
    assert has_trace_of_cuda(f"#pragma once\n{line}\n")


@pytest.mark.parametrize(
    "line",
    [
        *('#include "my_types.h"', '#include "host.h"', "#include <math.h>", "#include <vector>"),
        *('#include "device/device_list.h"', "#include <surface.h>", "namespace cubes {"),
    ],
)
def test_ordinary_header_is_no_trace(line: str) -> None:
    assert not has_trace_of_cuda(f"#pragma once\n{line}\n")


def test_ordinary_text_has_no_trace() -> None:
    assert not has_trace_of_cuda("int calculate(int current) { return execute(current, 32); }\n")
