"""Strided sets of ranks: their order, both ways through it, and what is refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.actor.shapes.slices import Slice

GAPS = Slice(offset=1, sizes=[2, 2], strides=[6, 2])


@st.composite
def slices(draw: st.DrawFn) -> Slice:
    """Draw dimensions in any order, with gaps between them."""
    dims = []
    reach = 0
    for _ in range(draw(st.integers(0, 4))):
        size = draw(st.integers(1, 4))
        stride = reach + draw(st.integers(1, 3))
        dims.append((size, stride))
        reach += (size - 1) * stride
    dims = draw(st.permutations(dims))
    return Slice(
        offset=draw(st.integers(0, 9)),
        sizes=[size for size, _ in dims],
        strides=[stride for _, stride in dims],
    )


@given(slices())
def test_ranks_when_counted_by_hand(these: Slice) -> None:
    expected = [these.offset]
    for size, stride in zip(these.sizes, these.strides, strict=True):
        expected = [rank + i * stride for rank in expected for i in range(size)]
    assert list(these) == expected
    assert len(these) == len(set(expected))
    assert these[:] == tuple(expected)
    assert [these[i] for i in range(len(these))] == expected


@given(slices())
def test_places_when_asked_both_ways(these: Slice) -> None:
    for place, rank in enumerate(these):
        assert these.index(rank) == place
        assert these.get(place) == rank
        assert these.nditem(these.coordinates(rank)) == rank
    inside = set(these)
    assert [rank in these for rank in range(60)] == [rank in inside for rank in range(60)]


@given(st.lists(st.integers(0, 40), max_size=30))
def test_lists_when_made_slices(ranks: list[int]) -> None:
    parts = Slice.from_list(ranks)
    assert [rank for part in parts for rank in part] == ranks
    assert all(part.ndim == 1 for part in parts)


def test_lists_when_evenly_spaced_are_one_slice() -> None:
    assert Slice.from_list([0, 2, 4]) == [Slice(offset=0, sizes=[3], strides=[2])]
    assert Slice.from_list([0, 1, 4, 5]) == [
        Slice(offset=0, sizes=[2], strides=[1]),
        Slice(offset=4, sizes=[2], strides=[1]),
    ]
    assert Slice.from_list([]) == []


@pytest.mark.parametrize(
    ("sizes", "strides", "expected"),
    [
        ([2, 3, 4], [12, 4, 1], range(24)),
        ([2, 3], [6, 2], range(0, 12, 2)),
        ([2, 1, 3], [3, 99, 1], range(6)),
        ([4], [5], range(0, 20, 5)),
        ([1, 1], [7, 7], range(1)),
        ([], [], range(1)),
        ([0, 2], [2, 1], range(0)),
        ([3, 2], [1, 3], (0, 3, 1, 4, 2, 5)),
    ],
)
def test_ranks_when_evenly_spaced_are_a_range(
    sizes: list[int], strides: list[int], expected: range | tuple[int, ...]
) -> None:
    ranks = Slice(offset=0, sizes=sizes, strides=strides).ranks()
    assert type(ranks) is type(expected)
    assert ranks == expected


@pytest.mark.parametrize("sizes", [[0], [2, 0], [0, 2], [3, 0, 2]])
def test_ranks_when_there_are_none(sizes: list[int]) -> None:
    none = Slice.new_row_major(sizes)
    assert len(none) == 0
    assert 0 not in none
    with pytest.raises(ValueError, match=r"^rank 0 is not in Slice"):
        none.index(0)


def test_ranks_when_many_cost_no_memory() -> None:
    these = Slice.new_row_major([1000, 1000, 1000])
    assert len(these) == 10**9
    assert these.index(123_456_789) == 123_456_789


@pytest.mark.parametrize(
    ("offset", "sizes", "strides", "message"),
    [
        (0, [2], [1, 2], "differ in number; give one stride for each size$"),
        (-1, [2], [1], "has a negative part"),
        (0, [-2], [1], "has a negative part"),
        (0, [2], [-1], "has a negative part"),
        (0, [2], [0], "has ranks twice: stride 0 must be larger than 0"),
        (0, [2, 2], [1, 1], "has ranks twice: stride 1 must be larger than 1"),
        (0, [2, 3], [2, 1], "has ranks twice: stride 2 must be larger than 2"),
    ],
)
def test_slice_when_built_wrong(
    offset: int, sizes: list[int], strides: list[int], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        Slice(offset=offset, sizes=sizes, strides=strides)


@pytest.mark.parametrize("place", [4, -1])
def test_places_when_outside(place: int) -> None:
    with pytest.raises(IndexError, match=rf"^index {place} is outside of a slice of 4 ranks"):
        GAPS[place]
    with pytest.raises(ValueError, match=rf"^position {place} is outside of Slice"):
        GAPS.get(place)


@pytest.mark.parametrize("rank", [0, 2, 5, 11, -1])
def test_ranks_when_not_there(rank: int) -> None:
    with pytest.raises(ValueError, match=rf"^rank {rank} is not in Slice.offset=1, sizes=.2, 2."):
        GAPS.coordinates(rank)
    with pytest.raises(ValueError, match=rf"^rank {rank} is not in Slice"):
        GAPS.index(rank)


def test_coordinates_when_wrong() -> None:
    assert GAPS.nditem((1, 1)) == 9
    with pytest.raises(IndexError, match=r"^index 2 is outside of a dimension of size 2"):
        GAPS.nditem([2, 0])
    with pytest.raises(ValueError, match=r"^1 indices were given for 2 dimensions"):
        GAPS.nditem([1])
