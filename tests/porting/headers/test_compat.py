"""What is said of a compat tree: rewrites that a header replaces, and those that it cannot."""

from collections.abc import Callable
from typing import Any

import pytest

Make = Callable[..., Any]


@pytest.mark.parametrize(
    "text",
    [
        "void f(CUdeviceptr p) { p += 16; unsigned long long n = p & 255; }",
        "__global__ void k(int* p) { unsigned m = __ballot_sync(~0u, *p); *p = __popc(m) + m; }",
        "__global__ void k(int* p) { int room[warpSize]; *p = threadIdx.x / 32; }",
        "__global__ void k(int* p) { __shared__ int x[32]; x[threadIdx.x % 32] = *p; }",
        "void f() { cudaMemcpyToSymbol(s, p, n); cudaFuncSetAttribute(k, a, 1); }",
        "__global__ void k(int* p) { *p = __ldcg(p); __nanosleep(8); }",
        "__global__ void k(int* p) { *p = __dp4a(p[f()], 2 + *p, 3); }",
        '#include <cuda_runtime.h>\nextern "C" {\n#include <cuda.h>\n}\n',
        "#ifdef __CUDACC__\n#define HD __host__ __device__\n#else\n#define HD\n#endif\nHD int f();",
        "#if CUDART_VERSION >= 11020\nvoid f() { cudaMallocAsync(p, n, s); }\n#endif\n",
        '#include <dlfcn.h>\nvoid* f() { return dlopen("libcuda.so.1", RTLD_NOW); }',
    ],
)
def test_what_the_header_does_needs_nobody(make: Make, text: str) -> None:
    assert make(text).said() == []


def test_inline_ptx_is_an_error_at_its_line(make: Make) -> None:
    text = 'asm("mov.u32 %0, %%laneid;" : "=r"(n));'
    made = make(f"__device__ unsigned f() {{\n  unsigned n;\n  {text}\n  return n;\n}}\n")
    (found,) = made.findings
    assert (found.line, found.code, found.severity) == (3, "HDR001", "error")
    assert "only --mode rename does this (PTX001)" in found.message
    assert "guard it" in found.help


def test_guarded_ptx_is_a_note_at_the_guard(make: Make) -> None:
    made = make(
        "__device__ unsigned f() {\n#if defined(__CUDA_ARCH__)\n  unsigned n;\n"
        '  asm("mov.u32 %0, %%laneid;" : "=r"(n));\n  return n;\n'
        "#else\n  return threadIdx.x % warpSize;\n#endif\n}\n"
    )
    assert made.said() == [("a.cu", 2, "HDR002")]
    assert made.findings[0].severity == "note"


def test_guard_without_ptx_is_a_warning(make: Make) -> None:
    made = make(
        "__device__ int f() {\n#ifdef __CUDA_ARCH__\n return 1;\n#else\n return 2;\n#endif\n}\n"
    )
    (found,) = made.findings
    assert (found.line, found.code, found.severity) == (2, "HDR002", "warning")
    assert "__HIP_DEVICE_COMPILE__" in found.help


def test_guard_that_asks_for_hip_too_is_fine(make: Make) -> None:
    made = make(
        "__device__ int f() {\n#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)\n"
        " return 1;\n#else\n return 2;\n#endif\n}\n"
    )
    assert made.said() == []


def test_name_without_counterpart_stays_an_error(make: Make) -> None:
    made = make("void f() { cuMulticastCreate(h, p); }")
    assert [(found.code, found.severity) for found in made.findings] == [("NAM001", "error")]


def test_differences_at_run_time_are_told_as_ever(make: Make) -> None:
    text = "void f() { cuMemGetHandleForAddressRange(&n, p, 16, t, 0); }"
    assert [code for _, _, code in make(text).said()] == ["SEM012"]


def test_address_put_into_a_pointer_member_is_an_error(make: Make) -> None:
    made = make("void f(CUdeviceptr p) {\n  CUDA_MEMCPY2D copy;\n  copy.srcDevice = p;\n}\n")
    assert made.said() == [("a.cu", 3, "HDR001")]


def test_name_passed_on_to_a_joining_macro_is_told_where_it_matters(make: Make) -> None:
    text = (
        "#define LOAD(name) name##_ = 0\n#define TWICE(name) LOAD(name)\n"
        "void f() { TWICE(cuInit); int x = cuInit_; }\n"
    )
    assert ("a.cu", 2, "HDR003") in make(text).said()
    assert make(text.replace("int x = cuInit_;", "")).said() == []


def test_case_labels_of_one_value_need_a_rewrite(make: Make) -> None:
    text = (
        "int f(cudaError_t e) {\n  switch (e) {\n    case cudaErrorInvalidDevice: return 1;\n"
        "    case cudaErrorInvalidDevice: return 2;\n    default: return 0;\n  }\n}\n"
    )
    codes = {code for _, _, code in make(text).said()}
    assert codes <= {"HDR001", "LBL001", "LBL002"}


def test_rocm_branch_that_counts_in_wavefronts_is_a_warning(make: Make) -> None:
    made = make(
        "__device__ unsigned f(int x) {\n#ifdef __HIP_PLATFORM_AMD__\n"
        "  return __ballot_sync(~0ull, x);\n#else\n  return __ballot_sync(~0u, x);\n#endif\n}\n"
    )
    assert made.said() == [("a.cu", 3, "HDR008")]


def test_cudas_compiler_stays_unknown_where_a_condition_tells_it_from_hips(make: Make) -> None:
    asks = "#ifdef __CUDACC__\n#define HD __device__\n#else\n#define HD\n#endif\nHD int f();\n"
    both = "#if defined(__CUDACC__)\nint a;\n#elif defined(__HIPCC__)\nint b;\n#endif\n"
    assert "#define __CUDACC__ 1\n" in make(asks).text
    made = make({"a.cu": asks, "b.cu": both})
    assert "__CUDACC__" not in made.text
    assert ("a.cu", 1, "HDR001") in made.said()


def test_members_that_a_macro_joins_stay_at_both_ends(make: Make) -> None:
    made = make(
        "#include <cuda.h>\n#define FUNCTIONS(X) X(cuInit) X(cuDeviceGet)\n"
        "#define MEMBER(name) decltype(&::name) name##_ = nullptr;\n"
        "struct Table { FUNCTIONS(MEMBER) };\nint f(Table& t) { return t.cuInit_(0); }\n"
    )
    assert made.said() == []
