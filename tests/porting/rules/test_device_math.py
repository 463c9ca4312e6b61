"""Math functions and built-in variables that HIP has for fewer types than CUDA."""

from collections.abc import Callable
from typing import Any

import pytest

from porting.rules.device import check
from porting.toolkits.sysroot import Sysroot

Port = Callable[..., Any]
Check = Callable[..., None]
HEAD = (
    "__global__ void k(float* p, double* q, unsigned* up, float a, float b, double d, __half* hp,\n"
    "                  __half2* hp2, __half2 x, __half2 y, int n) {\n"
)
HALVES = "__hmax(__low2half(x), __low2half(y)), __hmax(__high2half(x), __high2half(y))"
# The ones that compile for HIP as they are written.
WRITTEN = [
    ("up[0] = umin(n, 3u);", "up[0] = ::min(static_cast<unsigned>(n), static_cast<unsigned>(3u));"),
    (
        "q[0] = llmax(n, n + 1);",
        "q[0] = ::max(static_cast<long long>(n), static_cast<long long>(n + 1));",
    ),
    ("p[0] = fdivide(a + b, b - a) * 2;", "p[0] = ((a + b) / (b - a)) * 2;"),
    ("sincos(a, &p[0], p + 1);", "sincosf(a, &p[0], p + 1);"),
    ("float s, c; sincospi(a, &s, &c);", "float s, c; sincospif(a, &s, &c);"),
    (
        "x = __hmax2(x, y);",
        "x = __halves2half2(" + HALVES + ");",
    ),
    ("uint3 t = threadIdx;", "uint3 t = make_uint3(threadIdx.x, threadIdx.y, threadIdx.z);"),
    (
        "const uint3 t{blockIdx};",
        "const uint3 t{make_uint3(blockIdx.x, blockIdx.y, blockIdx.z)};",
    ),
]
LEFT = [
    "q[0] = __dadd_rn(d, d);",
    "sincos(d, &q[0], q + 1);",
    "p[0] = mine::umin(n, 3);",
    "auto umin = [](int l, int r) { return l; }; p[0] = umin(n, 3);",
    "dim3 t = threadIdx;",
    "uint3 t{threadIdx.x, 0, 0};",
]
REFUSED = [
    ("x = __hmin2(f(x), y);", "DEV005", "variables"),
]


def kernel(statement: str) -> str:
    """Return a kernel that holds a statement in line 3."""
    return f"{HEAD}  {statement}\n}}\n"


@pytest.mark.parametrize(("before", "after"), WRITTEN)
def test_function_is_written_as_hip_has_it(ported: Port, before: str, after: str) -> None:
    found = ported(check, kernel(before))
    assert found.text == kernel(after)
    assert found.said(above="") == [(3, "DEV004")]


def test_pair_is_written_when_a_macro_marks_the_function_for_the_device(ported: Port) -> None:
    head = "D_INLINE __half2 larger(const __half2 x, const __half2 y) { return "
    found = ported(check, f"{head}__hmax2(x, y); }}\n")
    assert found.text == f"{head}__halves2half2({HALVES}); }}\n"


def test_pair_is_told_by_the_nearest_declaration_in_a_specialization(ported: Port) -> None:
    """Of a tree whose functions are full specializations, one for each type."""
    one = "template <>\nD_INLINE {0} larger<Op::Max>(const {0} x, const {0} y) {{ return {1}; }}\n"
    kinds = ("__half2", "__hip_bfloat162", "int", "half2")
    text = "".join(one.format(kind, "__hmax2(x, y)") for kind in kinds)
    expected = "".join(
        one.format(kind, f"__halves2half2({HALVES})" if "half" in kind else "__hmax2(x, y)")
        for kind in kinds
    )
    assert ported(check, text).text == expected


@pytest.mark.parametrize("statement", LEFT)
def test_function_is_left_when_hip_has_it_or_it_is_anothers(ported: Port, statement: str) -> None:
    found = ported(check, kernel(statement))
    assert found.text == kernel(statement)
    assert found.said() == []


@pytest.mark.parametrize(("statement", "code", "way_out"), REFUSED)
def test_function_is_refused_with_a_way_out_when_hip_cannot_say_it(
    ported: Port, statement: str, code: str, way_out: str
) -> None:
    found = ported(check, kernel(statement))
    assert found.text == kernel(statement)
    assert found.said(above="note") == [(3, code)]
    assert way_out in found.findings[0].help


@pytest.mark.toolchain
def test_functions_compile_as_written(ported: Port, compiles: Check, sysroot: Sysroot) -> None:
    body = "".join(f"  {{ {before} }}\n" for before, _ in WRITTEN)
    compiles("#include <hip/hip_fp16.h>\n" + ported(check, f"{HEAD}{body}}}\n").text, sysroot)
