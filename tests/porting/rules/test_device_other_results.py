"""Device functions that HIP has by CUDA's name, with a result of another value or type."""

from collections.abc import Callable
from typing import Any

import pytest

from porting.config import Target
from porting.hipify import hipify
from porting.mapping import Names
from porting.rules import collect_project
from porting.rules.device import check
from porting.source import SourceFile
from porting.toolkits.sysroot import Sysroot

Port = Callable[..., Any]
Check = Callable[..., None]
HEAD = "__device__ unsigned long long f(__nv_bfloat16 v, unsigned short b, unsigned a) {\n"
RAW = "static_cast<__hip_bfloat16_raw>(v)"
BITS = f"__builtin_bit_cast(unsigned short, {RAW})"
NUMBER = "__hip_bfloat16(__hip_bfloat16_raw{static_cast<unsigned short>"
WRITTEN = [
    ("a = __bfloat16_as_ushort(v);", f"a = {BITS};"),
    ("a = __bfloat16_as_short(v);", f"a = __builtin_bit_cast(short, {RAW});"),
    ("v = __ushort_as_bfloat16(b + 1);", f"v = {NUMBER}(b + 1)}});"),
    ("v = ::__short_as_bfloat16(b);", f"v = {NUMBER}(b)}});"),
    (
        "v = __ushort_as_bfloat16(__bfloat16_as_ushort(v) ^ 0x8000);",
        f"v = {NUMBER}({BITS} ^ 0x8000)}});",
    ),
    ("return __umul24(a, b) / 3;", "return static_cast<unsigned>(__umul24(a, b)) / 3;"),
    ("return -__umul24(__umul24(a, a), b);", None),
]
NESTED = "static_cast<unsigned>(__umul24(static_cast<unsigned>(__umul24(a, a)), b))"
KERNEL = """\
#include <cuda_bf16.h>
#define NOT_A_NUMBER __ushort_as_bfloat16(0x7fc0)
#define BITS_OF(x) __bfloat16_as_short(x)
__host__ __device__ __nv_bfloat16 up(__nv_bfloat16 v) {
  __nv_bfloat16 next(__ushort_as_bfloat16(__bfloat16_as_ushort(v) + 1));
  return next;
}
__global__ void k(__nv_bfloat16* p, unsigned long long* n, unsigned a) {
  p[0] = up(NOT_A_NUMBER);
  n[0] = __umul24(a, a) / 3;
  n[1] = BITS_OF(__short_as_bfloat16(-4)) + __umul24(a, a);
  p[1] = __shfl_xor_sync(~0u, __ushort_as_bfloat16(__bfloat16_as_ushort(p[2])), __umul24(a, 1u));
}
"""


@pytest.mark.parametrize(("before", "after"), WRITTEN)
def test_call_is_written_for_what_cuda_returns(
    ported: Port, before: str, after: str | None
) -> None:
    found = ported(check, f"{HEAD}  {before}\n}}\n")
    assert found.text.splitlines()[1].strip() == after or f"return -{NESTED};"
    assert {code for _, code in found.said()} == {"DEV018"}
    assert found.said(above="note") == []


@pytest.mark.parametrize(
    "text",
    [
        "static_cast<unsigned>(__umul24(a, b))",
        "product.__umul24(a, b)",
    ],
)
def test_call_is_left_when_its_result_is_cast_or_its_function_is_another(
    ported: Port, text: str
) -> None:
    before = f"{HEAD}  return {text};\n}}\n"
    assert ported(check, before).text == before


def port(text: str, rocm: str) -> str:
    """Return a file as a port with all rules leaves it."""
    source = SourceFile("k.cu", text.encode())
    project = collect_project([source], {"k.cu": text})
    return hipify(source, Target(rocm), Names.load(rocm), project).data.decode()


def test_call_is_written_when_a_macro_stands_for_it() -> None:
    found = port("#define NOT_A_NUMBER __ushort_as_bfloat16(0x7fc0)\n__nv_bfloat16 v;\n", "7.1")
    assert f"#define NOT_A_NUMBER {NUMBER}(0x7fc0)}})\n" in found


def test_calls_compile_when_all_rules_have_written_them(
    compiles: Check, sysroot: Sysroot, sysroot_6_2: Sysroot
) -> None:
    for rocm, tree in (("7.1", sysroot), ("6.2", sysroot_6_2)):
        found = port(KERNEL, rocm)
        assert "_as_bfloat16(" not in found
        assert "__bfloat16_as_" not in found
        compiles(found, tree)
