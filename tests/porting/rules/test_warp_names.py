"""Constants of 32 lanes by the names that people give them."""

from collections.abc import Callable
from typing import Any

import pytest

from porting.rules.warp import check
from porting.rules.warp.evidence import counts_in_32

Port = Callable[..., Any]
COUNTS = [
    "constexpr int kWarp = 32;\n",
    "enum { WARP = 32 };\n",
    "#define WARP 32\n",
    "static const int warp{32};\n",
    "#define LOG_WARP 5\n",
    "constexpr int kLog2WarpSize = 5;\n",
    "#define WARP_SHIFT 5\n",
    "const int warp_size_log2 = 5;\n",
    "__device__ int f() { return threadIdx.x & (32 - 1); }\n",
]
OTHER = [
    "constexpr int num_warp = 32;\n",
    "constexpr int kWarps = 32;\n",
    "#define WARP 64\n",
    "#define LOG_WARP 6\n",
    "int log_warping = 5;\n",
    "__device__ int f() { return threadIdx.x & (32 - 2); }\n",
]


@pytest.mark.parametrize("text", COUNTS)
def test_constant_of_32_lanes_is_noted(ported: Port, text: str) -> None:
    found = ported(check, text)
    assert found.text == text
    assert found.said() == [(1, "WSZ001")]
    assert counts_in_32(text)


@pytest.mark.parametrize("text", OTHER)
def test_constant_of_another_kind_says_nothing(ported: Port, text: str) -> None:
    assert ported(check, text).said() == []
    assert not counts_in_32(text)
