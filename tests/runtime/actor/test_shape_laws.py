"""Laws of meshes: slices are NumPy's, and what is reshaped comes back."""

import pickle
from math import prod

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from runtime.actor.shapes.shape import Extent, Shape
from runtime.actor.shapes.value_mesh import ValueMesh

Selection = int | slice
LABELS = "abcd"
SIZES = st.lists(st.integers(1, 4), max_size=4)


@st.composite
def selections(draw: st.DrawFn, sizes: list[int]) -> list[Selection]:
    """Draw an index or a non-empty forward slice for each dimension."""
    return [draw(selection(size)) for size in sizes]


def selection(size: int) -> st.SearchStrategy[Selection]:
    """Draw what one dimension is sliced by, ends counted from either side."""
    bounds = st.none() | st.integers(-size - 1, size + 1)
    steps = st.none() | st.integers(1, 3)
    ranges = st.builds(slice, bounds, bounds, steps).filter(lambda s: range(size)[s])
    return st.integers(0, size - 1) | ranges


@given(st.data(), SIZES)
def test_slices_when_nested_are_those_of_numpy(data: st.DataObject, sizes: list[int]) -> None:
    array = np.arange(prod(sizes)).reshape(sizes)
    shape = Shape.of(Extent(LABELS[: len(sizes)], sizes))
    values = ValueMesh(shape, array.ravel().tolist())
    for _ in range(3):
        labels = values.extent.labels
        chosen = data.draw(selections(list(array.shape)))
        array = np.asarray(array[tuple(chosen)])
        dims = dict(zip(labels, chosen, strict=True))
        values, shape = values.slice(**dims), shape.slice(**dims)
        assert values.values() == shape.ranks() == array.ravel().tolist()
        assert values.extent.sizes == list(array.shape)
        for point, value in values:
            assert array[tuple(point.values())] == value == values.item(**point)


@given(st.data(), SIZES)
def test_slice_when_dimensions_are_left_out(data: st.DataObject, sizes: list[int]) -> None:
    shape = Shape.of(Extent(LABELS[: len(sizes)], sizes))
    chosen = dict(zip(shape.labels, data.draw(selections(sizes)), strict=True))
    step_by_step = shape
    for label, part in chosen.items():
        step_by_step = step_by_step.slice(**{label: part})
    assert shape.slice(**chosen) == step_by_step
    assert shape.slice() == shape


@given(st.data(), SIZES)
def test_split_when_flattened_again(data: st.DataObject, sizes: list[int]) -> None:
    size = prod(sizes)
    line = Shape.of(Extent(["all"], [size]))
    labels = list(LABELS[: len(sizes)])
    open_one = data.draw(st.sampled_from([*labels, None]))
    given_sizes = {label: n for label, n in zip(labels, sizes, strict=True) if label != open_one}
    assume(labels or size == 1)
    parts = line.split(all=labels, **given_sizes)
    assert parts == Shape.of(Extent(labels, sizes))
    assert parts.flatten("all") == line


@given(SIZES)
def test_split_when_of_a_sparse_mesh_is_that_of_numpy(sizes: list[int]) -> None:
    size = prod(sizes)
    array = np.arange(2 * size * 3).reshape(2, size, 3)
    labels = list(LABELS[: len(sizes)])
    shape = Shape.of(Extent(["x", "y", "z"], [2, size, 3])).slice(z=1)
    parts = shape.split(y=labels, **dict(zip(labels, sizes, strict=True)))
    assert parts.ranks() == array[:, :, 1].reshape(2, *sizes).ravel().tolist()
    assert parts.extent.sizes == [2, *sizes]


@given(st.permutations(LABELS))
def test_rename_when_undone(names: list[str]) -> None:
    shape = Shape.of(Extent(LABELS, [2, 3, 4, 5])).slice(c=slice(1, 3))
    there = dict(zip(LABELS, names, strict=True))
    back = {new: old for old, new in there.items()}
    assert shape.rename(**there).labels == names
    assert shape.rename(**there).rename(**back) == shape
    assert shape.rename() == shape


@given(st.data(), SIZES)
def test_flatten_when_sparse_is_refused(data: st.DataObject, sizes: list[int]) -> None:
    shape = Shape.of(Extent(LABELS[: len(sizes)], sizes))
    part = shape.slice(**dict(zip(shape.labels, data.draw(selections(sizes)), strict=True)))
    ranks = part.ranks()
    if ranks == list(range(ranks[0], ranks[0] + len(ranks))):
        assert part.flatten("all").ranks() == ranks
    else:
        with pytest.raises(ValueError, match="is sparse: its ranks have strides"):
            part.flatten("all")


@given(st.data(), SIZES)
def test_shape_when_pickled(data: st.DataObject, sizes: list[int]) -> None:
    shape = Shape.of(Extent(LABELS[: len(sizes)], sizes))
    part = shape.slice(**dict(zip(shape.labels, data.draw(selections(sizes)), strict=True)))
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps(part, protocol)) == part  # noqa: S301
        assert pickle.loads(pickle.dumps(shape, protocol)) == shape  # noqa: S301
