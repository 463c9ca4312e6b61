"""Functions: a name where signatures agree, a wrapper where they do not, a comment for none."""

from collections.abc import Callable
from typing import Any

import pytest

from porting.mapping import Names

Make = Callable[..., Any]
Compile = Callable[..., str]


@pytest.mark.parametrize(
    ("use", "expected"),
    [
        ("cudaMemcpy(a, b, n, k)", "#define cudaMemcpy hipMemcpy\n"),
        ("cuDeviceGetCount(&n)", "#define cuDeviceGetCount hipGetDeviceCount\n"),
        ("cudaGraphInstantiate(a, g, 0)", "cudaGraphInstantiate hipGraphInstantiateWithFlags\n"),
        ("cudaGraphInstantiate(a, g, 0, 0, 0)", "#define cudaGraphInstantiate hipGraphInsta"),
        ("nvtxRangePushA(s)", "#define nvtxRangePushA roctxRangePushA\n"),
    ],
)
def test_agreeing_signatures_are_object_like_macros(make: Make, use: str, expected: str) -> None:
    assert expected in make(f"void f() {{ {use}; }}").text


@pytest.mark.parametrize(
    ("use", "expected"),
    [
        # cast: an integer handle
        ("cuMemFree(p)", "hipFree((hipDeviceptr_t)dptr)"),
        ("cuMemAlloc(&p, n)", "hipMalloc((hipDeviceptr_t*)dptr, bytesize)"),
        ("cuMemRelease(h)", "hipMemRelease((hipMemGenericAllocationHandle_t)handle)"),
        # arguments: one more, and one that must be null
        ("cuMemcpy(a, b, n)", "hipMemcpy((hipDeviceptr_t)dst, (hipDeviceptr_t)src, ByteCount,"),
        ("cudaGraphAddDependencies(g, a, b, e, n)", "if (edgeData != NULL) return hipErrorInva"),
        # symbol
        ("cudaMemcpyToSymbol(s, p, n)", "hipMemcpyToSymbol(HIP_SYMBOL(symbol), src, count)"),
        ("cudaGetSymbolAddress(&p, s)", "hipGetSymbolAddress(devPtr, HIP_SYMBOL(symbol))"),
        # a kernel as const void*
        ("cudaFuncSetAttribute(k<4>, a, 1)", "hipFuncSetAttribute(reinterpret_cast<const void*>"),
    ],
)
def test_other_signatures_are_wrapped(make: Make, use: str, expected: str) -> None:
    assert expected in make(f"void f() {{ {use}; }}").text


def test_kernels_are_taken_by_their_own_type(make: Make, cxx: Compile) -> None:
    text = (
        "#include <cuda_runtime.h>\nvoid k(int*);\ntemplate <class T> void t(T*);\n"
        "void f(void** a) { cudaLaunchCooperativeKernel(k, 1, 32, a);\n"
        "  cudaLaunchCooperativeKernel(t<int>, 1, 32, a, 0);\n"
        "  cudaLaunchCooperativeKernel((void*)k, 1, 32, a, 0, nullptr); }\n"
        "auto taken = &cudaLaunchKernel;\n"
    ).replace(
        "&cudaLaunchKernel",
        "static_cast<cudaError_t (*)(const void*, dim3, dim3, void**,"
        " size_t, cudaStream_t)>(&cudaLaunchKernel)",
    )
    made = make({"a.cpp": text})
    assert cxx(made, text) == ""
    assert "#define cudaLaunchKernel hipLaunchKernel\n" in made.text


def test_memory_is_put_into_pointers_of_any_type(make: Make, cxx: Compile) -> None:
    text = (
        "#include <cuda_runtime.h>\nvoid f(float* p, void* v) {\n"
        "  cudaMallocHost(&p, 4); cudaMallocHost(&v, 4); cudaMalloc(&p, 4);\n"
        "  cudaHostAlloc(&p, 4, cudaHostAllocMapped); cudaMallocManaged(&p, 4);\n"
        "  cudaMallocAsync(&p, 4, nullptr); cudaMallocHost((void**)&p, 4);\n}\n"
    )
    assert cxx(make({"a.cpp": text}), text) == ""


def test_types_of_every_header_are_given(make: Make, cxx: Compile) -> None:
    own = ("runtime", "driver")
    known = [name for name in Names.load("7.1") if name.kind == "type" and name.library in own]
    types = sorted(name.name for name in known if name.target)
    text = "#include <cuda.h>\n#include <cuda_runtime.h>\n"
    made = make({"a.cpp": text + "".join(f"void f_{n}({n}* p);\n" for n in types)})
    assert len(types) > 300
    assert cxx(made, text) == ""


def test_source_without_const_is_cast_where_the_release_wants_it(make: Make) -> None:
    use = "void f() { cuMemcpyHtoD(d, s, n); }"
    assert "hipMemcpyHtoD((hipDeviceptr_t)dstDevice, (void*)srcHost," in make(use, "6.2").text
    assert "(void*)srcHost" not in make(use, "7.1").text


def test_each_count_of_arguments_that_is_used_gets_its_form(make: Make) -> None:
    made = make("void f() { cudaGraphInstantiate(a, g, 0); cudaGraphInstantiate(a, g, 0, 0, 0); }")
    assert made.text.count("static inline hipError_t cudaGraphInstantiate(") == 3  # two and C's
    assert "hipGraphInstantiateWithFlags(pGraphExec, graph, flags)" in made.text


def test_nothing_is_provided_that_is_not_used(make: Make) -> None:
    made = make("void f() { cudaFree(0); }")
    assert "cudaMalloc" not in made.text
    assert "__shfl" not in made.text
    assert "dlopen" not in made.text
    assert made.headers.provided == {"cudaFree"}


def test_names_without_counterpart_are_listed_and_not_defined(make: Make) -> None:
    made = make("void f() { cuMulticastCreate(h, p); }")
    assert "cuMulticastCreate" not in made.headers.provided
    assert "// cuMulticastCreate: multicast objects are an NVSwitch feature.\n" in made.text
    assert [item.name for item in made.headers.missing] == ["cuMulticastCreate"]


def test_name_of_a_later_release_is_missing_with_the_reason(make: Make) -> None:
    made = make("void f() { cudaLaunchKernelExC(c, k, a); }", "6.2")
    assert "hipLaunchKernelExC exists from ROCm 7.0; the target is\n// 6.2." in made.text


@pytest.mark.parametrize("name", ["cudaGetDeviceProperties", "cuDeviceGetAttribute"])
def test_width_of_a_warp_is_32_whoever_asks(make: Make, name: str) -> None:
    use = "&p, 0" if name == "cudaGetDeviceProperties" else "&n, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 0"
    text = make(f"int f() {{ {name}({use}); return p.warpSize; }}").text
    assert f"static inline hipError_t {name}(" in text
    assert "= 32;" in text


def test_types_of_the_runtime_are_typedefs_and_tags_are_macros(make: Make) -> None:
    made = make("cudaStream_t s; struct cudaDeviceProp p; cublasHandle_t h;")
    assert "typedef hipStream_t cudaStream_t;\n" in made.text
    assert "#define cudaDeviceProp hipDeviceProp_t\n" in made.text
    assert "#define cublasHandle_t hipblasHandle_t\n" in made.text


def test_members_with_another_name_are_macros_for_the_release_that_needs_them(make: Make) -> None:
    use = "void f(CUmemAllocationProp p) { p.requestedHandleTypes = 1; }"
    assert "#define requestedHandleTypes requestedHandleType\n" in make(use, "6.2").text
    assert "requestedHandleType" not in make(use, "7.1").text


def test_namespaces_are_aliases(make: Make) -> None:
    text = make("#include <cub/cub.cuh>\nusing Sum = cub::Sum; auto p = thrust::cuda::par;").text
    assert "namespace hipcub {}\n" in text
    assert "namespace cub = ::hipcub;\n" in text
    assert "namespace thrust {\nnamespace cuda = ::thrust::hip;\n}\n" in text


def test_warp_primitives_of_cub_are_32_lanes_wide(make: Make) -> None:
    made = make("#include <cub/cub.cuh>\nusing Reduce = cub::WarpReduce<float>;\n")
    assert "using WarpReduce = ::hipcub::WarpReduce<T, Lanes>;\n" in made.text
    assert "WarpScan" not in made.text
    assert made.said() == []


def test_header_is_the_same_for_the_same_tree_in_any_order(make: Make) -> None:
    sources = {"a.cu": "void f() { cudaFree(0); cuMemFree(p); }", "b.h": "cudaStream_t s;"}
    turned = dict(reversed(sources.items()))
    assert make(sources).headers.files == make(turned).headers.files


def test_device_number_and_location_are_told_apart_by_what_the_tree_names(make: Make) -> None:
    number = make("void f() { cudaMemAdvise(p, n, a, 0); }").text
    location = make("void f() { cudaMemLocation w; cudaMemAdvise(p, n, a, w); }").text
    assert "#define cudaMemAdvise hipMemAdvise\n" in number
    assert "return hipMemAdvise_v2(devPtr, count, advice, location);" in location
    assert "return hipMemAdvise(devPtr, count, advice, device);" in location


def test_header_of_what_a_wrapper_calls_is_included(make: Make) -> None:
    text = make("__device__ auto f() { return __float2bfloat162_rn(1.f); }").text
    assert "#if defined(__cplusplus)\n#include <hip/hip_bf16.h>\n#endif\n" in text
    assert "hip_bf16" not in make("void f() { cudaFree(0); }").text
