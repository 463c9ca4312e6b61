"""Fragments and broken calls: the device family says what it can and does not fail."""

from collections.abc import Callable
from typing import Any

import pytest

from porting.rules.device import check

Port = Callable[..., Any]
BROKEN = [
    "__device__ bool f(void* p) { return __isGlobal(); }\n",
    "__device__ void f() { __nanosleep(); }\n",
    "__device__ int f(int a, int b) { return __dp4a(a, b); }\n",
    "__device__ void f(__half* p) { atomicAdd(); atomicAdd(,); }\n",
    "__device__ unsigned f() { return umin(,); }\n",
    "__device__ void f() { sincos(,,); uint3 t = threadIdx",
]


@pytest.mark.parametrize("text", BROKEN)
def test_call_without_its_arguments_is_left(ported: Port, text: str) -> None:
    assert ported(check, text).text == text


@pytest.mark.parametrize(
    "end", ["texture<", "texture<float", "surface<void, 2", "uint3 t; threadIdx"]
)
def test_file_may_end_within_a_declaration(ported: Port, end: str) -> None:
    assert ported(check, end).text == end
