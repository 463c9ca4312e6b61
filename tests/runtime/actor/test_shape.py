"""Extents, points, shapes and regions: what they hold, and what they say of a wrong question."""

import pickle
from collections.abc import Callable, Mapping

import pytest

from runtime.actor.shapes.shape import Extent, Point, Region, Shape, Slice

GRID = Extent(["a", "b"], [2, 3])
SHAPE = Shape(["a", "b", "c"], Slice.new_row_major([2, 3, 4]))


def test_extent_when_read() -> None:
    assert isinstance(GRID, Mapping)
    assert (GRID.labels, GRID.sizes, GRID.nelements) == (["a", "b"], [2, 3], 6)
    assert dict(GRID) == {"a": 2, "b": 3}
    assert len(GRID) == 2
    assert "a" in GRID
    assert "z" not in GRID
    assert GRID.get("z") is None
    assert str(GRID) == "{a: 2, b: 3}"
    assert Extent([], []).nelements == 1


def test_extent_when_compared() -> None:
    assert Extent(("a", "b"), (2, 3)) == GRID
    assert hash(Extent(("a", "b"), (2, 3))) == hash(GRID)
    assert Extent(["b", "a"], [3, 2]) != GRID  # the order of dimensions is the order of ranks
    assert GRID != {"a": 2, "b": 3}


def test_extent_when_asked_for_what_it_lacks() -> None:
    with pytest.raises(KeyError, match=r"{a: 2, b: 3} has no dimension 'z'"):
        GRID["z"]


@pytest.mark.parametrize(
    ("labels", "sizes", "error", "message"),
    [
        (["a"], [2, 3], ValueError, r"^labels \['a'\] and sizes \[2, 3\] differ in number"),
        (["a", "a"], [2, 3], ValueError, "^dimension 'a' is there twice"),
        (["a"], [-1], ValueError, "^extent {a: -1} has a negative size"),
        ([1], [2], TypeError, "^dimension name 1 is no text"),
        (["a"], [1.5], TypeError, "float"),
    ],
)
def test_extent_when_built_wrong(
    labels: list[str], sizes: list[int], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        Extent(labels, sizes)


def test_point_when_read() -> None:
    point = Point(4, GRID)
    assert (point.rank, point.extent, point["a"], point["b"]) == (4, GRID, 1, 1)
    assert dict(point) == {"a": 1, "b": 1}
    assert point.size("b") == 3
    assert point.get("z", 7) == 7
    assert "a" in point
    assert "z" not in point
    assert repr(point) == "{'a': 1/2, 'b': 1/3}"
    assert repr(Point(0, Extent([], []))) == "{}"


def test_point_when_compared() -> None:
    assert Point(4, GRID) == Point(4, Extent(["a", "b"], [2, 3]))
    assert Point(4, GRID) != Point(5, GRID)
    assert Point(4, GRID) != Point(4, Extent(["a", "b"], [4, 3]))
    assert Point(4, GRID) != {"a": 1, "b": 1}
    assert len({Point(rank % 6, GRID) for rank in range(12)}) == 6


@pytest.mark.parametrize("rank", [6, -1])
def test_point_when_outside_of_its_extent(rank: int) -> None:
    with pytest.raises(
        ValueError, match=rf"^rank {rank} is outside of {{a: 2, b: 3}}, which has 6"
    ):
        Point(rank, GRID)


@pytest.mark.parametrize("ask", [Point.__getitem__, Point.size])
def test_point_when_asked_for_what_it_lacks(ask: Callable[[Point, str], int]) -> None:
    with pytest.raises(KeyError, match=r"has no dimension 'z'"):
        ask(Point(4, GRID), "z")


def test_rank_of_coordinates_when_they_are_wrong() -> None:
    assert GRID.rank_of({"b": 2, "a": 1}) == 5
    with pytest.raises(KeyError, match=r"no index for dimension 'b'"):
        GRID.rank_of({"a": 1})
    with pytest.raises(KeyError, match=r"has no dimension 'y', 'z'"):
        GRID.rank_of({"a": 1, "b": 1, "y": 0, "z": 0})
    with pytest.raises(
        IndexError, match=r"^index 2 is outside of dimension 'a' of size 2; indices"
    ):
        GRID.rank_of({"a": 2, "b": 1})


def test_shape_when_read() -> None:
    assert SHAPE.labels == ["a", "b", "c"]
    assert SHAPE.ranks() == list(range(24))
    assert SHAPE.extent == Extent(["a", "b", "c"], [2, 3, 4])
    assert len(SHAPE) == 24
    assert str(SHAPE) == "{a=2,b=3,c=4}"
    assert SHAPE.coordinates(17) == {"a": 1, "b": 1, "c": 1}
    assert Shape.unity().ranks() == [0]
    assert Shape.of(SHAPE.extent) == SHAPE


def test_shape_when_sliced_keeps_the_ranks_of_the_whole() -> None:
    row = SHAPE.at("b", 1)
    assert row.ranks() == [4, 5, 6, 7, 16, 17, 18, 19]
    assert row == SHAPE.index(b=1) == SHAPE.slice(b=1)
    assert row.index(a=1).ranks() == [16, 17, 18, 19]
    assert row.coordinates(17) == {"a": 1, "c": 1}
    assert SHAPE.select("c", slice(1, 4, 2)).extent.sizes == [2, 3, 2]
    assert SHAPE.slice(a=0, b=0, c=3) == Shape([], Slice(offset=3, sizes=[], strides=[]))
    with pytest.raises(ValueError, match=r"^rank 9 is not in Slice"):
        row.coordinates(9)


@pytest.mark.parametrize(
    ("labels", "ranks", "message"),
    [
        (["a"], Slice.new_row_major([2, 3]), "differ in number"),
        (["a", "a"], Slice.new_row_major([2, 3]), "there twice"),
    ],
)
def test_shape_when_its_labels_do_not_fit(labels: list[str], ranks: Slice, message: str) -> None:
    for kind in (Shape, Region):
        with pytest.raises(ValueError, match=message):
            kind(labels, ranks)


def test_region_when_asked_for_a_base_rank() -> None:
    region = SHAPE.at("b", 1).region
    assert region.labels == ["a", "c"]
    assert region.slice().sizes == [2, 4]
    assert region.as_shape() == SHAPE.at("b", 1)
    assert region.point_of_base_rank(17) == Point(5, Extent(["a", "c"], [2, 4]))
    assert GRID.region == Shape.of(GRID).region
    assert GRID.region != SHAPE.region
    with pytest.raises(ValueError, match=r"^rank 3 is not in"):
        region.point_of_base_rank(3)


@pytest.mark.parametrize(
    "value",
    [
        GRID,
        Point(4, GRID),
        SHAPE,
        SHAPE.at("b", 1),
        SHAPE.region,
        SHAPE.at("b", 1).region,
        SHAPE.at("b", 1).ndslice,
        Shape.unity(),
    ],
    ids=repr,
)
def test_everything_when_pickled(value: object) -> None:
    copy = pickle.loads(pickle.dumps(value))  # noqa: S301
    assert copy == value
    assert hash(copy) == hash(value)
    assert repr(copy) == repr(value)
