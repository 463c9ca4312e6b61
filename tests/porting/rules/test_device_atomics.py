"""Atomic additions to 16-bit floating-point numbers."""

from collections.abc import Callable
from typing import Any

import pytest

from porting.rules import Project
from porting.rules.device import check

Port = Callable[..., Any]
REFUSED = [
    ("atomicAdd(hp, hp[1]);", "atomicCAS"),
    ("atomicAdd(&hp2[n], x);", "the word of the pair"),
    ("atomicAdd(reinterpret_cast<__nv_bfloat162*>(p), v);", "float"),
]
LEFT = [
    "atomicAdd(p, a);",
    "atomicAdd(&up[n], 1u);",
]


def kernel(statement: str) -> str:
    """Return a kernel that holds a statement in line 2."""
    parameters = "float* p, unsigned* up, float a, __half* hp, __half2* hp2, __half2 x, int n"
    return f"__global__ void k({parameters}) {{\n  {statement}\n}}\n"


@pytest.mark.parametrize(("statement", "way_out"), REFUSED)
def test_atomic_is_refused_with_a_way_out_when_hip_has_no_overload(
    ported: Port, statement: str, way_out: str
) -> None:
    found = ported(check, kernel(statement))
    assert found.text == kernel(statement)
    assert found.said(above="note") == [(2, "DEV015")]
    assert way_out in found.findings[0].help


@pytest.mark.parametrize("statement", LEFT)
def test_atomic_is_left_when_hip_has_the_overload(ported: Port, statement: str) -> None:
    assert ported(check, kernel(statement)).said() == []


def test_atomic_is_left_when_the_tree_has_an_overload(ported: Port) -> None:
    project = Project(declared=frozenset({"atomicAdd"}))
    assert ported(check, kernel("atomicAdd(hp, hp[1]);"), project=project).said() == []
