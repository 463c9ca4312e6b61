"""Masks of one CUDA warp that are written in 64 bits."""

from collections.abc import Callable
from typing import Any

import pytest

from porting.rules.warp import check

Port = Callable[..., Any]
HALF = "(__lane_id() & 32)"


@pytest.mark.parametrize(
    "mask",
    [
        *(
            "0xffffffffUL",
            "0xFFFFFFFFull",
            "4294967295ll",
            "(uint64_t)0xffffffff",
            "uint64_t{0xffffffff}",
        ),
        *("static_cast<unsigned long long>(0xffffffffULL)", "(std::uint64_t)(0xffffffffu)"),
        *("(unsigned long long)UINT32_MAX", "static_cast<std::uint64_t>(UINT_MAX)"),
    ],
)
def test_shuffle_loses_mask_when_it_is_one_warp_in_64_bits(ported: Port, mask: str) -> None:
    found = ported(check, f"__device__ int f(int v) {{ return __shfl_up_sync({mask}, v, 1); }}\n")
    assert found.text == "__device__ int f(int v) { return __shfl_up(v, 1, 32); }\n"
    assert [d.code for d in found.findings] == ["WRP001"]


@pytest.mark.parametrize(
    "definition",
    [
        "#define kAll32 0xffffffffull\n",
        "constexpr uint64_t kAll32 = 0xffffffffUL;\n",
        "static const unsigned long long kAll32{(uint64_t)0xffffffff};\n",
    ],
)
def test_shuffle_loses_named_mask_when_it_is_one_warp_in_64_bits(
    ported: Port, definition: str
) -> None:
    text = f"{definition}__device__ int f(int v) {{ return __shfl_up_sync(kAll32, v, 1); }}\n"
    found = ported(check, text)
    assert found.text.splitlines()[1] == "__device__ int f(int v) { return __shfl_up(v, 1, 32); }"


def test_vote_loses_mask_when_it_is_one_warp_in_64_bits(ported: Port) -> None:
    found = ported(check, "__device__ int f(int v) { return __any_sync(0xffffffffull, v); }\n")
    assert f"return (static_cast<unsigned>(__ballot(v) >> {HALF}) != 0);" in found.text


def test_shuffle_loses_local_mask_only_when_it_stays_one_warp(ported: Port) -> None:
    body = "return __shfl_up_sync(m, v, 1); }\n"
    start = "__device__ int f(int v) { uint64_t m = 0xffffffff; "
    assert ported(check, start + body).text == start + "return __shfl_up(v, 1, 32); }\n"
    written = start + "m |= 0xffffffff00000000; " + body
    assert ported(check, written).text == written
    every = "__device__ int f(int v) { return __shfl_sync(0xffffffffffffffffull, v, 1); }\n"
    assert ported(check, every).text == every
