"""Shuffles of bfloat16 numbers, for which HIP has no overload."""

from collections.abc import Callable
from typing import Any

import pytest

from porting.rules import Project, collect_project
from porting.rules.warp import check
from porting.source import SourceFile
from porting.toolkits.sysroot import Sysroot

Port = Callable[..., Any]
Check = Callable[..., None]


def through_bits(value: str, rest: str) -> str:
    """Return what a shuffle of a bfloat16 number becomes."""
    bits = f"__builtin_bit_cast(unsigned short, static_cast<__hip_bfloat16_raw>({value}))"
    shuffled = f"static_cast<unsigned short>(__shfl_xor({bits}, {rest}))"
    return f"__hip_bfloat16(__hip_bfloat16_raw{{{shuffled}}})"


SHUFFLED = [
    *((value, through_bits(value, "o, 32")) for value in ("v", "r[1]", "p.x")),
    ("__float2bfloat16(f)", through_bits("__float2bfloat16(f)", "o, 32")),
    ("__bfloat162float(v)", "__shfl_xor(__bfloat162float(v), o, 32)"),
    ("h", "__shfl_xor(h, o, 32)"),
    ("f", "__shfl_xor(f, o, 32)"),
]


def function(value: str) -> str:
    """Return a function that holds a shuffle in line 5."""
    return (
        "using bf16 = __nv_bfloat16;\n"
        "__device__ void f(bf16 v, int o, __half h, float f, __nv_bfloat162 p) {\n"
        "  __nv_bfloat16 r[2];\n"
        "  r[0] = v;\n"
        f"  auto t = {value};\n"
        "}\n"
    )


@pytest.mark.parametrize(("value", "after"), SHUFFLED)
def test_shuffle_goes_through_the_bits_when_the_value_is_bfloat16(
    ported: Port, value: str, after: str
) -> None:
    found = ported(check, function(f"__shfl_xor_sync(0xffffffff, {value}, o)"))
    assert found.text.splitlines()[4].strip() == f"auto t = {after};"
    assert [d.code for d in found.findings] == ["WRP001"]


def test_shuffle_goes_through_the_bits_when_its_mask_has_64_bits(ported: Port) -> None:
    found = ported(check, function("__shfl_xor_sync(~0ull, v, o)"))
    assert found.text.splitlines()[4].strip() == f"auto t = {SHUFFLED[0][1]};"


def test_shuffle_is_left_to_a_person_when_the_value_is_a_pair(ported: Port) -> None:
    text = function("__shfl_xor_sync(0xffffffff, p, o)")
    found = ported(check, text)
    assert found.text == text
    assert found.said(above="note") == [(5, "WRP011")]
    assert "__low2bfloat16" in found.findings[0].help


@pytest.mark.toolchain
def test_shuffle_of_bfloat16_compiles_as_written(
    ported: Port, compiles: Check, sysroot: Sysroot
) -> None:
    text = ported(check, function("__shfl_xor_sync(0xffffffff, v, o)")).text
    compiles(
        "#include <hip/hip_bf16.h>\n#include <hip/hip_fp16.h>\n" + text.replace("__nv_", "__hip_"),
        sysroot,
    )


HIDDEN = [
    "template <typename T> __device__ T f(T v) { return SHUFFLE; }",
    "template <int N, class T> __device__ T f(const T& v) { return SHUFFLE; }",
    "template <class T> struct S { __device__ static T f(T v) { return SHUFFLE; } };",
    "template <class T> __device__ T f(T* p) { T v[2] = {p[0], p[1]}; return SHUFFLE; }",
    "__device__ void f(int* p) { auto v = g(p); h(SHUFFLE); }",
    "__device__ void f(input_t v) { h(SHUFFLE); }",
    "template <class P> __device__ void f(typename P::value v) { h(SHUFFLE); }",
    "#define REDUCE(v) (SHUFFLE)",
]
SHOWN = [
    "__device__ float f(float v) { return SHUFFLE; }",
    "__device__ unsigned long long f(unsigned long long v) { return SHUFFLE; }",
    "__device__ __half2 f(__half2 v) { return SHUFFLE; }",
    "__device__ std::uint32_t f(std::uint32_t v) { return SHUFFLE; }",
    "using acc_t = float;\n__device__ acc_t f(acc_t v) { return SHUFFLE; }",
    "__device__ void f(int* p) { auto v = 1.0f; h(SHUFFLE); }",
    "__device__ void f(int* p) { auto v = __bfloat162float(*p); h(SHUFFLE); }",
]
SHUFFLE = "__shfl_xor_sync(0xffffffff, v, 1)"
BFLOAT_TREE = Project(uses_bfloat16=True)


@pytest.mark.parametrize("text", HIDDEN)
def test_shuffle_of_a_hidden_type_is_noted_where_the_tree_has_bfloat16(
    ported: Port, text: str
) -> None:
    found = ported(check, text.replace("SHUFFLE", SHUFFLE), project=BFLOAT_TREE)
    assert found.said() == [(1, "WRP001"), (1, "WRP012")]
    assert found.said(above="note") == []
    assert "'v'" in found.findings[1].message


@pytest.mark.parametrize("text", HIDDEN)
def test_shuffle_of_a_hidden_type_is_not_noted_in_other_trees(ported: Port, text: str) -> None:
    assert [c for _, c in ported(check, text.replace("SHUFFLE", SHUFFLE)).said()] == ["WRP001"]


@pytest.mark.parametrize("text", SHOWN)
def test_shuffle_of_a_type_that_shows_is_not_noted(ported: Port, text: str) -> None:
    found = ported(check, text.replace("SHUFFLE", SHUFFLE), project=BFLOAT_TREE)
    assert [code for _, code in found.said()] == ["WRP001"]


@pytest.mark.parametrize(
    "use",
    [
        "__device__ void g(__nv_bfloat16 b) { f(b); }",
        "__device__ void g(int n) { f<__nv_bfloat16>(n); }",
        "using bf = nv_bfloat16;\n__global__ void g(bf* p) { *p = f(*p); }",
        "template __device__ __nv_bfloat162 f<__nv_bfloat162>(__nv_bfloat162);",
    ],
)
def test_shuffle_of_a_hidden_type_is_a_warning_where_bfloat16_is_seen_to_reach_it(
    ported: Port, use: str
) -> None:
    text = f"{HIDDEN[0].replace('SHUFFLE', SHUFFLE)}\n{use}\n"
    found = ported(check, text, project=BFLOAT_TREE)
    assert found.said(above="note") == [(1, "WRP012")]
    assert "static_cast<__hip_bfloat16_raw>(v)" in found.findings[-1].help


def project(*texts: str) -> Project:
    """Return the facts about a tree of these texts."""
    return collect_project([SourceFile(f"{n}.h", t.encode()) for n, t in enumerate(texts)])


def test_name_that_another_file_gives_to_bfloat16_shows_the_type(ported: Port) -> None:
    text = f"__device__ void f(input_t v) {{ h({SHUFFLE}); }}"
    tree = project("using input_t = __nv_bfloat16;", text)
    found = ported(check, text, project=tree)
    assert f"h({through_bits('v', '1, 32')})" in found.text


@pytest.mark.parametrize(
    "other",
    [
        "using input_t = float;",
        "typedef __half input_t;",
        "template <typename input_t> void g();",
        "struct input_t { int n; };",
    ],
)
def test_name_with_another_meaning_elsewhere_hides_the_type(ported: Port, other: str) -> None:
    text = f"__device__ void f(input_t v) {{ h({SHUFFLE}); }}"
    tree = project("typedef __nv_bfloat16 input_t;", other, text)
    assert [c for _, c in ported(check, text, project=tree).said()] == ["WRP001", "WRP012"]


def test_tree_has_bfloat16_when_a_file_names_it() -> None:
    assert project("int a; // cuda", "void f(__nv_bfloat16);").uses_bfloat16
    assert not project("void f(__half);").uses_bfloat16
