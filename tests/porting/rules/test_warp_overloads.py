"""Functions of the tree that are named like CUDA's shuffles."""

from collections.abc import Callable
from typing import Any

from porting.rules import Project
from porting.rules.warp import check

Port = Callable[..., Any]

OWN_SHUFFLE = Project(declared=frozenset({"__shfl_up_sync"}))
OVERLOAD = (
    "__device__ Half __shfl_up_sync(const unsigned mask, const Half v, const unsigned d) {\n"
    "  return __shfl_up_sync(mask, v.operator __half(), d);\n"
    "}\n"
)


def test_shuffle_inside_an_overload_of_its_name_is_the_builtin(ported: Port) -> None:
    found = ported(check, OVERLOAD, project=OWN_SHUFFLE)

    assert found.text.splitlines()[0] == OVERLOAD.splitlines()[0]
    assert found.text.splitlines()[1] == "  return __shfl_up(v.operator __half(), d, 32);"
    assert found.said() == [(2, "WRP001")]


def test_shuffle_beside_an_overload_of_its_name_is_left_to_a_person(ported: Port) -> None:
    call = "__device__ int f(int v) { return __shfl_up_sync(-1, v, 1); }\n"
    found = ported(check, OVERLOAD + call, project=OWN_SHUFFLE)

    assert found.text.endswith(call)
    assert found.said() == [(2, "WRP001"), (4, "WRP010")]


def test_shuffle_of_the_trees_own_making_is_left_alone(ported: Port) -> None:
    text = (
        "__device__ int __shfl_up_sync(unsigned m, int v, int d) { return mine(v, d); }\n"
        "__device__ int f(int v) { return __shfl_up_sync(-1, v, 1); }\n"
    )
    found = ported(check, text, project=OWN_SHUFFLE)

    assert found.text == text
    assert found.said() == []
