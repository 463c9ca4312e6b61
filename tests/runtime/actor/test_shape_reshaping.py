"""Slice, flatten, rename and split of a mesh: the results by example, the refusals by message."""

from typing import Any

import pytest

from runtime.actor.shapes.mesh_trait import MeshTrait
from runtime.actor.shapes.shape import Extent, Shape
from runtime.actor.shapes.value_mesh import ValueMesh

MESH = ValueMesh(Shape.of(Extent(["a", "b"], [2, 3])), "uvwxyz")


def test_mesh_when_measured() -> None:
    assert isinstance(MESH, MeshTrait)
    assert (len(MESH), MESH.size(), MESH.size("b"), MESH.size(["a", "b"])) == (6, 6, 3, 6)
    assert MESH.size(()) == 1
    assert list(MESH.sizes.items()) == [("a", 2), ("b", 3)]
    assert MESH.extent == Extent(["a", "b"], [2, 3])
    with pytest.raises(KeyError, match=r"{a: 2, b: 3} has no dimension 'z'"):
        MESH.size("z")


def test_mesh_when_a_trait_lacks_its_shape() -> None:
    class Shapeless(MeshTrait):
        __slots__ = ()

    with pytest.raises(TypeError, match=r"abstract"):
        Shapeless()  # type: ignore[abstract]


@pytest.mark.parametrize(
    ("dims", "values", "sizes"),
    [
        ({"a": 1}, "xyz", {"b": 3}),
        ({"a": 1, "b": 0}, "x", {}),
        ({"a": slice(1, 2)}, "xyz", {"a": 1, "b": 3}),
        ({"b": slice(1, None)}, "vwyz", {"a": 2, "b": 2}),
        ({"b": slice(-2, None)}, "vwyz", {"a": 2, "b": 2}),
        ({"b": slice(None, None, 2)}, "uwxz", {"a": 2, "b": 2}),
        ({"b": slice(0, 9)}, "uvwxyz", {"a": 2, "b": 3}),
        ({"b": True}, "vy", {"a": 2}),
        ({}, "uvwxyz", {"a": 2, "b": 3}),
    ],
)
def test_slice_when_in_range(dims: dict[str, Any], values: str, sizes: dict[str, int]) -> None:
    part = MESH.slice(**dims)
    assert "".join(part.values()) == values
    assert part.sizes == sizes


@pytest.mark.parametrize(
    ("dims", "error", "message"),
    [
        ({"z": 1}, TypeError, "^mesh {a: 2, b: 3} has no dimension 'z'; slice it by 'a', 'b'$"),
        ({"a": 2}, IndexError, "^index 2 is outside of dimension 'a' of size 2; .* from 0 to 1$"),
        ({"a": -1}, IndexError, "^index -1 is outside of dimension 'a' of size 2"),
        ({"a": 1.0}, TypeError, "^dimension 'a' was given 1.0, which is neither an index nor a"),
        ({"a": "x"}, TypeError, "^dimension 'a' was given 'x', which is neither an index nor a"),
        ({"b": slice(2, 1)}, ValueError, "^slice slice.2, 1, None. selects nothing of dimension"),
        ({"b": slice(5, 9)}, ValueError, "selects nothing of dimension 'b' of size 3"),
        ({"b": slice(None, None, -1)}, ValueError, "runs dimension 'b' backwards"),
    ],
)
def test_slice_when_refused(dims: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        MESH.slice(**dims)


def test_slice_when_a_dimension_is_empty() -> None:
    empty: ValueMesh[int] = ValueMesh(Shape.of(Extent(["a", "b"], [0, 2])), [])
    assert empty.slice(b=1).sizes == {"a": 0}
    assert empty.slice(a=slice(None)).values() == []
    with pytest.raises(IndexError, match=r"^index 0 is outside of dimension 'a' of size 0; it is"):
        empty.slice(a=0)


def test_flatten_when_dense() -> None:
    assert MESH.flatten("r").sizes == {"r": 6}
    assert MESH.flatten("a").values() == list("uvwxyz")
    assert MESH.slice(a=1).flatten("r").values() == list("xyz")
    assert MESH.slice(a=0, b=0).flatten("r").sizes == {"r": 1}


@pytest.mark.parametrize("dims", [{"b": slice(0, 2)}, {"b": 0}])
def test_flatten_when_sparse(dims: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"is sparse: its ranks have strides \[3.* flatten before"):
        MESH.slice(**dims).flatten("r")


def test_rename_when_names_are_swapped() -> None:
    assert MESH.rename(a="b", b="a").sizes == {"b": 2, "a": 3}
    assert MESH.rename(a="x").slice(x=1).values() == list("xyz")


@pytest.mark.parametrize(
    ("names", "error", "message"),
    [
        ({"z": "y"}, ValueError, "^there is no dimension 'z' to rename to 'y'; the mesh has 'a'"),
        ({"a": "b"}, ValueError, "^dimension 'b' is there twice"),
        ({"a": "x", "b": "x"}, ValueError, "^dimension 'x' is there twice"),
        ({"a": 1}, TypeError, "^dimension name 1 is no text"),
    ],
)
def test_rename_when_refused(names: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        MESH.rename(**names)


@pytest.mark.parametrize(
    ("terms", "sizes"),
    [
        ({"b": ("x", "y"), "x": 3}, {"a": 2, "x": 3, "y": 1}),
        ({"b": ["x", "y"], "y": 3}, {"a": 2, "x": 1, "y": 3}),
        ({"b": ("x", "y"), "x": 3, "y": 1}, {"a": 2, "x": 3, "y": 1}),
        ({"b": ("x",)}, {"a": 2, "x": 3}),
        ({"a": ("m", "n"), "m": 2, "b": ("o", "p"), "p": 3}, {"m": 2, "n": 1, "o": 1, "p": 3}),
    ],
)
def test_split_when_even(terms: dict[str, Any], sizes: dict[str, int]) -> None:
    assert MESH.split(**terms).sizes == sizes
    assert MESH.split(**terms).values() == list("uvwxyz")


@pytest.mark.parametrize(
    ("terms", "message"),
    [
        ({"b": ("x", "y")}, "^the split of 'b' leaves the sizes of 'x' and 'y' open; give all but"),
        ({"b": ("x", "y"), "x": 2}, "^dimension 'b' of size 3 does not come out even in {x: 2, y:"),
        ({"b": ("x", "y"), "x": 2, "y": 2}, r"does not come out even in {x: 2, y: 2}"),
        ({"b": ("x", "y"), "x": 1, "y": 1}, r"does not come out even in {x: 1, y: 1}"),
        ({"b": ("x", "y"), "x": 0}, "^x=0 is no size of a dimension; it must be positive"),
        ({"b": ("x", "y"), "x": -3}, "^x=-3 is no size of a dimension"),
        ({"z": ("x", "y"), "x": 2}, "^there is no dimension 'z' to split; the mesh has 'a', 'b'"),
        ({"b": "xy"}, "^b='xy' is no split; give a sequence of names"),
        ({"b": ("x", "y"), "x": 3, "q": 3}, "^no split makes a dimension 'q'"),
        ({"x": 3}, "^no split makes a dimension 'x'"),
        ({"b": ("a", "y"), "y": 3}, "^dimension 'a' is there twice"),
    ],
)
def test_split_when_refused(terms: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        MESH.split(**terms)
