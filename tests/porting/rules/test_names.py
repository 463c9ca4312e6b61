"""Names: renamed, reported, or left because they are the tree's own."""

from collections.abc import Callable
from typing import Any

import pytest

from porting.config import Target
from porting.hipify import hipify
from porting.mapping import Names
from porting.rules import Project, names
from porting.source import SourceFile
from porting.toolkits.sysroot import Sysroot

Port = Callable[..., Any]
Check = Callable[..., None]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("cudaMalloc(&p, 4);", "hipMalloc(&p, 4);"),
        ("cudaError_t f(void);", "hipError_t f(void);"),
        ("std::function<cudaError_t(int)> f;", "std::function<hipError_t(int)> f;"),
        ("::cudaFree(p);", "::hipFree(p);"),
        ("using ::cudaStream_t;", "using ::hipStream_t;"),
        ("#define OK(x) ((x) == cudaSuccess)", "#define OK(x) ((x) == hipSuccess)"),
        ("cudaMal\\\nloc(p);", "hipMalloc(p);"),
        ("auto f = &cudaFree;", "auto f = &hipFree;"),
        ("struct cudaDeviceProp prop;", "struct hipDeviceProp_t prop;"),
        ("api.cuInit(0);", "api.hipInit(0);"),
        (
            "struct Api { CUresult (*cuInit)(unsigned); };",
            "struct Api { hipError_t (*hipInit)(unsigned); };",
        ),
        ("cuMemAlloc_v2(&p, 3);", "hipMalloc(&p, 3);"),
        ("ncclAllReduce(a);", "ncclAllReduce(a);"),
        (
            "int f(int cuInit) { return 1; } auto g = &cuInit;",
            "int f(int cuInit) { return 1; } auto g = &hipInit;",
        ),
        ("void f(int cuInit) { ::cuInit(cuInit); }", "void f(int cuInit) { ::hipInit(cuInit); }"),
        ("void f() { g(int(cudaFree)); }", "void f() { g(int(hipFree)); }"),
    ],
)
def test_name_in_the_tables_is_renamed_where_it_is_a_whole_name(
    ported: Port, text: str, expected: str
) -> None:
    assert ported(names.check, text).text == expected


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("p[0] = __fadd_rz(a, b);", "p[0] = __ocml_add_rtz_f32(a, b);"),
        ("p[0] = __fsub_ru(a, b);", "p[0] = __ocml_sub_rtp_f32(a, b);"),
        ("p[0] = __fmaf_rd(a, b, a);", "p[0] = __ocml_fma_rtn_f32(a, b, a);"),
        ("q[0] = __dmul_ru(d, d);", "q[0] = __ocml_mul_rtp_f64(d, d);"),
        ("q[0] = __fma_rz(d, d, d);", "q[0] = __ocml_fma_rtz_f64(d, d, d);"),
    ],
)
def test_arithmetic_with_a_directed_rounding_is_the_device_librarys(
    ported: Port, compiles: Check, sysroot: Sysroot, before: str, after: str
) -> None:
    head = "__global__ void k(float* p, double* q, float a, float b, double d) { "
    text = ported(names.check, f"{head}{before} }}").text
    assert text == f"{head}{after} }}"
    compiles(text, sysroot)


@pytest.mark.parametrize(
    ("text", "help_text"),
    [("__fdiv_rd(a, b);", "__double2float_rd"), ("__dsqrt_rz(d);", "round to nearest")],
)
def test_arithmetic_that_the_device_library_lacks_is_an_error(
    ported: Port, text: str, help_text: str
) -> None:
    found = ported(names.check, text)
    assert found.text == text
    assert found.said(above="note") == [(1, "NAM001")]
    assert help_text in found.findings[0].help


@pytest.mark.parametrize(
    "text",
    [
        "int my_cudaMalloc_count = 0;",
        "int cuda_stream = 3;",
        "struct cudaGaugeField { int n; }; cudaGaugeField f;",
        "int cudaXyz(int a) { return cudaXyz(a - 1); }",
        "#define CUDA_CHECK(x) (x)\nint a = CUDA_CHECK(f());",
        "namespace mycuda { struct cudaJob {}; } mycuda::cudaJob j;",
        "x.cudaFoo(1); x->cudaBar = 2; lib::cudaBaz();",
        "enum E { cudaA, cudaB }; E e = cudaB;",
        '"cudaMalloc failed" // cudaMalloc\n/* cudaFree */',
        "int cub = 2, thrust = 3;",
        "int f(int cuInit) { int cudaFree = cuInit; return cudaFree + 1; }",
        "void f() { for (auto cudaFree = 0; cudaFree < 4; cudaFree++) {} }",
    ],
)
def test_name_of_the_tree_is_left_alone(ported: Port, text: str) -> None:
    done = ported(names.check, text)
    assert done.text == text
    assert done.findings == ()


@pytest.mark.parametrize("name", ["cudaFooBar", "cuFooBar", "CU_FOO_BAR", "CUfoo", "cublasFooBar"])
def test_name_in_no_table_is_a_warning_at_each_place(ported: Port, name: str) -> None:
    done = ported(names.check, f"int a = {name};\nf({name});\n")
    assert done.said() == [(1, "NAM002"), (2, "NAM002")]
    assert {d.severity.value for d in done.findings} == {"warning"}
    assert {d.symbol for d in done.findings} == {name}


def test_name_in_no_table_is_a_note_where_a_header_of_the_tree_is_missing(ported: Port) -> None:
    text = '#include "here.h"\n#include "buffers.cuh"\nint a[CUDA_MAX_DEVICES];\n'
    (found,) = ported(names.check, text, project=Project(files=frozenset(("here.h",)))).findings
    assert (found.line, found.code, found.severity.value) == (3, "NAM002", "note")
    assert "buffers.cuh" in found.message
    assert "here.h" not in found.message


@pytest.mark.parametrize(
    "include",
    [
        *('"here.h"', "<buffers.h>", '"cuda_runtime.h"', '"cublas_v2.h"', '"hip/hip_runtime.h"'),
        *('"cub/cub.cuh"', '"ATen/cuda/CUDAContext.h"', '"torch/extension.h"'),
    ],
)
def test_name_in_no_table_is_a_warning_where_no_header_of_the_tree_is_missing(
    ported: Port, include: str
) -> None:
    text = f"#include {include}\nint a[CUDA_MAX_DEVICES];\n"
    done = ported(names.check, text, project=Project(files=frozenset(("sub/here.h",))))
    assert done.said(above="note") == [(2, "NAM002")]


@pytest.mark.parametrize(
    "text",
    [
        "#ifdef CUDA_ENABLE_TRACE\nint t;\n#endif\n",
        "#if defined(CUDA_ENABLE_TRACE) && N > 1\nint t;\n#endif\n",
        "#if CUDA_ENABLE_TRACE\nint t;\n#endif\n",
        "#ifdef A\n#elif defined CUDA_ENABLE_TRACE\nint t;\n#endif\n",
        "#ifdef CUDA_ENABLE_TRACE\nint t = CUDA_ENABLE_TRACE;\n#endif\n",
    ],
)
def test_name_in_no_table_that_a_condition_asks_for_is_the_builds_macro(
    ported: Port, text: str
) -> None:
    done = ported(names.check, text)
    assert done.text == text
    assert {(d.code, d.severity.value) for d in done.findings} == {("NAM002", "note")}
    assert all("macro of the build" in d.message for d in done.findings)


def test_name_declared_elsewhere_in_the_tree_is_the_trees_own() -> None:
    source = SourceFile("a.cu", b"#include <cuda_runtime.h>\nint a = cudaFooBar(1);\n")
    names_ = Names.load("7.1")
    lonely = hipify(source, Target(), names_)
    in_tree = hipify(source, Target(), names_, Project(declared=frozenset(("cudaFooBar",))))
    assert [d.code for d in lonely.diagnostics] == ["NAM002"]
    assert in_tree.diagnostics == ()


def test_name_without_counterpart_is_an_error_with_reason(ported: Port) -> None:
    done = ported(names.check, "int a;\nauto t = cuTensorMapEncodeTiled;\n")
    (found,) = done.findings
    assert (found.line, found.column, found.code, found.severity.value) == (
        2,
        10,
        "NAM001",
        "error",
    )
    assert found.message.startswith("no HIP name for cuTensorMapEncodeTiled: ")


@pytest.mark.parametrize("name", ["cusolver_int_t", "csrqrInfo_t", "h2tanh_approx", "double4_16a"])
def test_name_without_counterpart_is_an_error_when_it_has_no_prefix(
    ported: Port, name: str
) -> None:
    assert ported(names.check, f"auto t = {name}(1);\n").said() == [(1, "NAM001")]
    assert ported(names.check, f"struct {name} {{}}; {name} t;\n").said() == []


def test_release_decides_whether_a_name_exists(ported: Port) -> None:
    text = "auto a = cudaLaunchKernelExC;"
    assert ported(names.check, text, "7.1").text == "auto a = hipLaunchKernelExC;"
    old = ported(names.check, text, "6.4")
    assert old.text == text
    assert old.said() == [(1, "NAM001")]
    assert "the target is 6.4" in old.findings[0].message


def test_member_with_an_unsupported_name_is_a_note(ported: Port) -> None:
    done = ported(names.check, "x->cuTensorMapEncodeTiled(1);")
    assert [(d.code, d.severity.value) for d in done.findings] == [("NAM004", "note")]


@pytest.mark.parametrize(
    "text",
    [
        "#define cudaMalloc hipMalloc",
        "#define cudaMalloc(p, n) hipMalloc((void**)(p), n)",
        "#define cudaFreeHost hipHostFree",
        "#ifndef cudaMalloc\n#define cudaMalloc hipMalloc\n#endif",
        "#undef cudaMalloc\n#define cudaMalloc hipMalloc",
        "using cudaStream_t = hipStream_t;",
        "typedef hipStream_t cudaStream_t;",
        "constexpr auto cudaSuccess = hipSuccess;",
        "enum { cudaSuccess = hipSuccess, cudaErrorUnknown = hipErrorUnknown };",
        "inline hipError_t cudaFree(void* p) { return hipFree(p); }",
    ],
)
def test_definition_by_means_of_hip_is_left_alone_with_a_note(ported: Port, text: str) -> None:
    done = ported(names.check, text)
    assert done.text == text
    assert {d.code for d in done.findings} == {"NAM003"}


def test_uses_are_renamed_next_to_a_definition_by_means_of_hip(ported: Port) -> None:
    text = "#define cudaFree hipFree\nint f() { return cudaFree(nullptr); }\n"
    expected = "#define cudaFree hipFree\nint f() { return hipFree(nullptr); }\n"
    assert ported(names.check, text).text == expected


def test_function_that_only_uses_hip_elsewhere_is_renamed(ported: Port) -> None:
    text = "cudaError_t cudaMalloc(void** p, size_t n) { return real(p, n); }"
    assert ported(names.check, text).text == text.replace("cuda", "hip")


def test_branches_for_one_platform_stay(ported: Port) -> None:
    text = "#ifdef USE_ROCM\nhipFree(p);\n#else\ncudaFree(p);\n#endif\ncudaFree(q);\n"
    expected = text.replace("cudaFree(q)", "hipFree(q)")
    assert ported(names.check, text).text == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("typedef int (CUDAAPI *F)(int);", "typedef int (*F)(int);"),
        ("void CUDART_CB cb(void* p);", "void cb(void* p);"),
        ("#define F(x) int CUDAAPI x(void)", "#define F(x) int x(void)"),
    ],
)
def test_calling_convention_is_removed(ported: Port, text: str, expected: str) -> None:
    done = ported(names.check, text)
    assert done.text == expected
    assert {d.code for d in done.findings} == {"NAM005"}


def test_calling_convention_that_the_tree_defines_stays(ported: Port) -> None:
    text = "#ifndef CUDAAPI\n#define CUDAAPI\n#endif\nint CUDAAPI f(void);\n"
    assert ported(names.check, text).text == text


def test_name_of_cudas_that_the_tree_declares_is_a_note_at_each_place(ported: Port) -> None:
    text = "#ifndef __MATH_CONSTANTS_H__\n#define __MATH_CONSTANTS_H__\n#endif\n"
    done = ported(names.check, text)
    assert done.text == text
    assert [(d.line, d.code, d.severity.value) for d in done.findings] == [
        (1, "NAM006", "note"),
        (2, "NAM006", "note"),
    ]
