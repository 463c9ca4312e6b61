"""Functions of the standard library that may throw, in device code."""

from collections.abc import Callable
from typing import Any

import pytest

from porting.rules.device import check
from porting.toolkits.sysroot import Sysroot

Port = Callable[..., Any]
HEAD = "#include <array>\n#include <optional>\n#include <variant>\n"


def test_at_of_an_array_becomes_a_subscript_where_only_the_device_runs(
    ported: Port, compiles: Callable[..., None], sysroot: Sysroot
) -> None:
    text = HEAD + (
        "struct S { std::array<float, 2> point; std::array<std::array<int, 2>, 3> m; };\n"
        "template <class T, size_t N> __device__ T f(std::array<T, N> const &a, S s) {\n"
        "  std::array<T, 2> b{};\n"
        "  return a.at(1) + b.at(threadIdx.x % 2) * s.point.at(0);\n}\n"
        "__global__ void k(float* p, std::array<float, 3> a, S s) { p[0] = f(a, s); }\n"
    )
    found = ported(check, text)
    assert "return a[1] + b[threadIdx.x % 2] * s.point[0];" in found.text
    assert [(d.code, d.severity.value) for d in found.findings] == [("DEV016", "note")] * 3
    compiles(found.text, sysroot)


@pytest.mark.parametrize(
    "body",
    [
        "__host__ __device__ int f(std::array<int, 2> a) { return a.at(1); }",
        "__device__ int f(std::optional<int> o) { return o.value(); }",
        "__global__ void f(int* p) { std::variant<int, char> v; p[0] = std::get<int>(v); }",
        "__device__ int f(std::variant<int, char> v) { return std::visit(g{}, v); }",
    ],
)
def test_what_may_throw_in_device_code_is_an_error_that_says_what_to_write(
    ported: Port, body: str
) -> None:
    text = f"{HEAD}{body}\n"
    found = ported(check, text)
    assert found.text == text
    assert [(d.line, d.code, d.severity.value) for d in found.findings] == [(4, "DEV016", "error")]
    assert found.findings[0].help


def test_at_of_a_member_from_another_file_is_a_warning(ported: Port) -> None:
    text = "std::array<int, 2> z;\n__device__ int f(D d) { return d.poly.at(1); }\n"
    found = ported(check, text)
    assert [(d.line, d.severity.value) for d in found.findings] == [(2, "warning")]


@pytest.mark.parametrize(
    "body",
    [
        "int f(std::array<int, 2> a) { return a.at(1); }",
        "__device__ int f(std::array<int, 2> a) { return a[1] + std::get<0>(a); }",
        "__device__ int f(std::tuple<int> t, std::variant<int> v) { return std::get<0>(t); }",
        "__device__ int f(std::array<int, 2> a, Grid g) { return g.at(1); }",
        "struct G { __device__ int at(int); };\n__device__ int G::at(int) { return h.x.at(1); }",
        "__device__ int f(std::optional<int> o, V v) { return *o + v.value(); }",
        "std::array<int, 2> z; __device__ int f() { return make().at(1); }",
    ],
)
def test_what_does_not_throw_or_runs_on_the_host_is_left(ported: Port, body: str) -> None:
    assert ported(check, f"{HEAD}{body}\n").findings == ()
