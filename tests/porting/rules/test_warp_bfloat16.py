"""Shuffles of bfloat16 numbers, for which HIP has no overload."""

from collections.abc import Callable
from typing import Any

import pytest

from porting.rules.warp import check
from porting.toolkits.sysroot import Sysroot

Port = Callable[..., Any]
Check = Callable[..., None]
SHUFFLED = [
    ("v", "__ushort_as_bfloat16(__shfl_xor(__bfloat16_as_ushort(v), o, 32))"),
    ("r[1]", "__ushort_as_bfloat16(__shfl_xor(__bfloat16_as_ushort(r[1]), o, 32))"),
    ("p.x", "__ushort_as_bfloat16(__shfl_xor(__bfloat16_as_ushort(p.x), o, 32))"),
    (
        "__float2bfloat16(f)",
        "__ushort_as_bfloat16(__shfl_xor(__bfloat16_as_ushort(__float2bfloat16(f)), o, 32))",
    ),
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
