"""The library family: CUB, Thrust, libcu++, BLAS, and libraries without a port."""

from collections.abc import Callable
from typing import Any

import pytest

from porting.config import Target
from porting.mapping import Names
from porting.rules import Project, Unit
from porting.rules.libraries import check
from porting.source import SourceFile

Port = Callable[..., Any]
CUB = "#include <cub/cub.cuh>\n"

CUB_NAMES = [
    ("cub::BlockReduce<int, B> r;", "hipcub::BlockReduce<int, B> r;"),
    ("::cub::DeviceScan::Sum(a);", "::hipcub::DeviceScan::Sum(a);"),
    ("namespace prim = cub;", "namespace prim = hipcub;"),
    ("namespace prim = ::cub;", "namespace prim = ::hipcub;"),
    ("using namespace cub;", "using namespace hipcub;"),
    ("using cub::BlockScan;", "using hipcub::BlockScan;"),
    ("typename cub :: Sum op;", "typename hipcub :: Sum op;"),
    ("f<cub::Max>(cub::BLOCK_LOAD_DIRECT);", "f<hipcub::Max>(hipcub::BLOCK_LOAD_DIRECT);"),
    ("CubDebug(e);", "HipcubDebug(e);"),
    ("#define RED(T) cub::BlockReduce<T, 64>", "#define RED(T) hipcub::BlockReduce<T, 64>"),
]


@pytest.mark.parametrize(("before", "after"), CUB_NAMES)
def test_cub_namespace_follows_when_it_is_cubs(ported: Port, before: str, after: str) -> None:
    found = ported(check, f"{CUB}{before}\n")
    assert found.text == f"{CUB}{after}\n"
    assert found.said() == []


@pytest.mark.parametrize(
    "text",
    [
        "int cub = 2, thrust = 3; return cub + thrust;",
        "box.cub::x;",
        "x->cub = 1;",
        "std::vector<int> cubes(4); hipcub::Sum s;",
        "lions::cub::roar();",
        "struct cub { static int n; }; int m = cub::n;",
        "namespace cub { int n; } int m = cub::n;",
        "at::cuda::getCurrentCUDAStream(); c10::cuda::CUDAGuard g;",
        "namespace cuda { struct Launcher {}; } cuda::Launcher l;",
        "float cuda = 1; cuda += 2;",
        "cute c; c.cutlass = 1;",
    ],
)
def test_name_is_left_alone_when_it_is_the_users(ported: Port, text: str) -> None:
    found = ported(check, text + "\n")
    assert found.text == text + "\n"
    assert found.said() == []


WIDTHS = [
    ("cub::WarpReduce<float> w;", "hipcub::WarpReduce<float, 32> w;"),
    ("cub::WarpScan<Pair<int, 2>> w;", "hipcub::WarpScan<Pair<int, 2>, 32> w;"),
    ("using W = cub::WarpReduce<T>;", "using W = hipcub::WarpReduce<T, 32>;"),
    (
        "namespace p = cub; p::WarpReduce<T> w;",
        "namespace p = hipcub; p::WarpReduce<T, 32> w;",
    ),
    (
        "using namespace cub; WarpScan<T> w;",
        "using namespace hipcub; WarpScan<T, 32> w;",
    ),
]


@pytest.mark.parametrize(("before", "after"), WIDTHS)
def test_warp_primitive_gets_its_width_when_cubs_default_is_32(
    ported: Port, before: str, after: str
) -> None:
    found = ported(check, CUB + before + "\n")
    assert found.text == CUB + after + "\n"
    assert found.said() == [(2, "LIB001")]


def test_warp_primitive_is_left_alone_when_its_width_is_written(ported: Port) -> None:
    text = CUB + "cub::WarpReduce<float, 16> w; cub::WarpLoad<T, 4, cub::WARP_LOAD_DIRECT, 32> l;\n"
    found = ported(check, text)
    assert found.text == text.replace("cub::W", "hipcub::W")
    assert found.said() == []


def test_warp_load_is_reported_when_its_width_is_missing(ported: Port) -> None:
    assert ported(check, CUB + "cub::WarpLoad<float, 4> l;\n").said() == [(2, "LIB002")]


def test_cub_internals_are_refused_when_used(ported: Port) -> None:
    text = CUB + "cub::DispatchReduce<A, B, C, D> r;\ncub::detail::x();\nCubDebugExit(e);\n"
    assert ported(check, text).said() == [(2, "LIB003"), (3, "LIB003"), (4, "LIB003")]


def test_cub_namespace_is_reported_when_reopened_or_wrapped(ported: Port) -> None:
    text = (
        "#define CUB_WRAPPED_NAMESPACE mine\n"
        + CUB
        + "namespace cub { template <> struct Traits<H>; }\nmine::cub::Sum s;\n"
    )
    found = ported(check, text)
    assert found.said() == [(1, "LIB004"), (3, "LIB004")]
    assert found.text.endswith(
        "namespace hipcub { template <> struct Traits<H>; }\nhipcub::Sum s;\n"
    )


THRUST = [
    ("thrust::sort(thrust::cuda::par.on(s), a, b);", "thrust::sort(thrust::hip::par.on(s), a, b);"),
    ("thrust::cuda::par_nosync", "thrust::hip::par_nosync"),
    ("thrust::cuda::par(alloc)", "thrust::hip::par(alloc)"),
    ("thrust::system::cuda::par", "thrust::system::hip::par"),
    ("::thrust::cuda_cub::par_t p;", "::thrust::hip_rocprim::par_t p;"),
    ("namespace tc = thrust::cuda;", "namespace tc = thrust::hip;"),
    (
        "using namespace thrust; sort(cuda::par, a, b);",
        "using namespace thrust; sort(hip::par, a, b);",
    ),
    ("namespace th = thrust; th::cuda::par", "namespace th = thrust; th::hip::par"),
    ("throw thrust::system_error(e, thrust::cuda_category());", ""),
    ("#if THRUST_DEVICE_SYSTEM == THRUST_DEVICE_SYSTEM_CUDA", ""),
    ("thrust::device_vector<int> v; thrust::raw_pointer_cast(v.data());", "="),
]


@pytest.mark.parametrize(("before", "after"), THRUST)
def test_thrust_backend_becomes_hip_when_named(ported: Port, before: str, after: str) -> None:
    if not after:
        after = before.replace("cuda_category", "hip_category").replace("SYSTEM_CUDA", "SYSTEM_HIP")
    found = ported(check, before + "\n")
    assert found.text == (before if after == "=" else after) + "\n"
    assert found.said() == []


def test_operator_becomes_hipcubs_when_cub_is_used(ported: Port) -> None:
    text = CUB + "r.Reduce(x, cuda::maximum<>{}); r.Reduce(x, ::cuda::minimum<int>());\n"
    found = ported(check, text + "r.Reduce(x, cuda::std::plus<>{});\n")
    assert found.text == (
        CUB
        + "r.Reduce(x, hipcub::Max()); r.Reduce(x, hipcub::Min());\n"
        + "r.Reduce(x, hipcub::Sum());\n"
    )
    assert found.said() == [(2, "LIB007"), (2, "LIB007"), (3, "LIB007")]


def test_operator_becomes_thrusts_when_only_thrust_is_used(ported: Port) -> None:
    found = ported(check, "thrust::reduce(a, b, 0, cuda::maximum<int>{});\n")
    assert found.text == "thrust::reduce(a, b, 0, thrust::maximum<int>{});\n"
    assert found.said() == [(1, "LIB007")]


def test_operator_is_refused_when_neither_library_is_used(ported: Port) -> None:
    found = ported(check, "auto f = cuda::maximum<int>{};\n")
    assert found.text == "auto f = cuda::maximum<int>{};\n"
    assert found.said() == [(1, "LIB005")]


def test_standard_part_becomes_hip_std_when_used(ported: Port) -> None:
    found = ported(check, "cuda::std::atomic<int> a;\n::cuda::std::array<int, 2> b;\n")
    assert found.text == "hip::std::atomic<int> a;\n::hip::std::array<int, 2> b;\n"
    assert found.said() == [(1, "LIB006")]


@pytest.mark.parametrize(
    "text",
    [
        "cuda::atomic<int, cuda::thread_scope_device> a;",
        "__shared__ cuda::barrier<cuda::thread_scope_block> b;",
        "cuda::memcpy_async(g, d, s, n, p);",
        "int n = cuda::ceil_div(a, b);",
        "#include <cuda/atomic>\nusing namespace cuda;",
        "#include <cuda/ptx>\nnamespace px = cuda::ptx;",
        "#include <cuda/newer>\ncuda::brand_new x;",
    ],
)
def test_extension_is_refused_when_it_is_libcudacxx(ported: Port, text: str) -> None:
    found = ported(check, text + "\n")
    assert found.text == text + "\n"
    assert {code for _, code in found.said()} == {"LIB005"}
    assert all(d.topic == "libcudacxx" and d.help for d in found.findings)


FOREIGN = [
    ("NppStatus s = nppiFilter_8u_C1R(a, b);", "NPP"),
    ("nvjpegHandle_t h; nvjpegCreateSimple(&h);", "nvJPEG"),
    ("cutensorHandle_t h;", "cuTENSOR"),
    ("CUPTI_CALL(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_KERNEL));", "CUPTI"),
    ("OptixDeviceContext c; optixInit();", "OptiX"),
    ("cuFileRead(fh, p, n, 0, 0);", "GPUDirect Storage"),
    ("auto s = CUFILE_ERRSTR(status.err);", "GPUDirect Storage"),
    ("nvshmem_init();", "NVSHMEM"),
    ("cutlass::gemm::device::Gemm<float> g;", "CUTLASS"),
    ("using namespace cute;", "CuTe"),
    ("nvinfer1::IBuilder* b;", "TensorRT"),
    ("nvtx3::scoped_range r{name};", "NVTX"),
]


@pytest.mark.parametrize(("text", "library"), FOREIGN)
def test_library_without_a_port_is_named_when_used(ported: Port, text: str, library: str) -> None:
    found = ported(check, text + "\n")
    assert found.text == text + "\n"
    assert found.findings
    assert {d.code for d in found.findings} == {"LIB008"}
    assert library in found.findings[0].message
    assert all(d.help for d in found.findings)


def test_library_is_left_alone_when_the_tree_declares_the_name() -> None:
    text = b"int nppiThing(); void f() { nppiThing(); }\n"
    project = Project(declared=frozenset({"nppiThing"}))
    unit = Unit(SourceFile("k.cu", text), Target(), Names.load("7.1"), project)
    assert list(check(unit)) == []


def test_cutlass_is_ported_as_the_trees_own_when_the_tree_carries_it() -> None:
    project = Project(files=frozenset({"third_party/cutlass/include/cutlass/cutlass.h"}))
    text = b"cutlass::half_t h; cutlass::float_e4m3_t f;\n"
    names = Names.load("7.1")
    assert len(list(check(Unit(SourceFile("k.cu", text), Target(), names)))) == 1
    assert list(check(Unit(SourceFile("k.cu", text), Target(), names, project))) == []


def test_blas_types_need_a_macro_when_the_release_is_old(ported: Port) -> None:
    text = "void f() { cublasGemmEx(h); cublasCgemm(h); }\n"
    assert ported(check, text, "6.4").said() == [(1, "LIB009")]
    assert ported(check, text, "7.1").said() == []
    assert ported(check, "#define HIPBLAS_V2\n" + text, "6.4").said() == []


@pytest.mark.parametrize("define", ["HIPBLAS_V2", "HIPBLAS_V2=1"])
def test_blas_types_are_fine_when_the_project_defines_the_macro(ported: Port, define: str) -> None:
    text = "void f() { cublasGemmEx(h); }\n"
    assert ported(check, text, "6.4", project=Project(defines=(define,))).said() == []
    other = Project(defines=("HIPBLAS_V2_NOT",))
    assert ported(check, text, "6.4", project=other).said() == [(1, "LIB009")]


def test_blas_types_need_the_macro_before_the_header_and_not_undefined(ported: Port) -> None:
    call = "void f() { cublasGemmEx(h); }\n"
    before = "#define HIPBLAS_V2\n#include <cublas_v2.h>\n" + call
    assert "LIB009" not in [code for _, code in ported(check, before, "6.4").said()]
    after = "#include <cublas_v2.h>\n#define HIPBLAS_V2\n" + call
    assert (3, "LIB009") in ported(check, after, "6.4").said()
    asked = "#ifdef HIPBLAS_V2\n#endif\n" + call
    assert ported(check, asked, "6.4").said() == [(3, "LIB009")]


def test_blas_types_need_no_macro_when_only_a_handle_is_made(ported: Port) -> None:
    assert ported(check, "void f() { cublasCreate(&h); }\n", "6.4").said() == []


@pytest.mark.parametrize("name", ["CUB_VERSION", "CUB_MAX", "CUB_QUOTIENT_CEILING", "CUB_STDERR"])
def test_macro_of_cub_is_refused_when_hipcub_has_none(ported: Port, name: str) -> None:
    assert ported(check, f"{CUB}int n = {name};\n").said() == [(2, "LIB003")]


def test_macro_that_only_begins_like_cubs_is_left_alone(ported: Port) -> None:
    assert ported(check, f"{CUB}int n = CUB_ALLOCATOR_OF_MINE;\n").said() == []


def test_polymorphic_function_is_refused_when_device_code_takes_it(ported: Port) -> None:
    text = "#include <nvfunctional>\n__device__ int f(nvstd::function<int(int)> g);\n"
    assert ported(check, text).said() == [(2, "LIB008")]


def test_macro_of_nvtx_is_refused_when_its_namespace_is_not_named(ported: Port) -> None:
    assert ported(check, "void f() { NVTX3_FUNC_RANGE(); }\n").said() == [(1, "LIB008")]


def test_blas_without_handles_is_refused_when_its_header_is_included(ported: Port) -> None:
    text = "void f() { cublasInit(); cublasSgemm('n', 'n', m); }\n"
    assert ported(check, "#include <cublas.h>\n" + text).said() == [(2, "LIB010")] * 2
    assert ported(check, "#include <cublas_v2.h>\n" + text).said() == []


def test_random_numbers_are_noted_when_seeded(ported: Port) -> None:
    text = "__global__ void k(S* s) { curand_init(1, 2, 0, s); curand_init(1, 3, 0, s); }\n"
    assert ported(check, text).said() == [(1, "LIB011")]
