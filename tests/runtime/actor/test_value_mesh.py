"""Values of a mesh: by place, by coordinates, by rank, and over a wire."""

import pickle
import subprocess
import sys
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.actor.shapes.shape import Extent, Point, Shape
from runtime.actor.shapes.value_mesh import ValueMesh, runs

GRID = Extent(["a", "b"], [2, 3])
MESH = ValueMesh(Shape.of(GRID), "uvwxyz")
CUBE = Shape.of(Extent(["a", "b", "c"], [2, 3, 4]))


def test_values_when_iterated() -> None:
    pairs = [(Point(rank, GRID), value) for rank, value in enumerate("uvwxyz")]
    assert list(MESH) == list(MESH.items()) == pairs
    assert MESH.values() == list("uvwxyz")


def test_values_when_changed_by_the_reader_stay() -> None:
    MESH.values().clear()
    assert MESH.values() == list("uvwxyz")


def test_item_when_asked_by_coordinates() -> None:
    assert MESH.item(b=0, a=1) == "x"
    assert MESH.slice(a=1, b=1).item() == "y"
    assert MESH.slice(b=slice(1, 3)).item(a=1, b=0) == "y"


def test_item_when_dimensions_are_wrong() -> None:
    with pytest.raises(KeyError, match=r"no index for dimension 'b' of {a: 2, b: 3}"):
        MESH.item(a=1)
    with pytest.raises(KeyError, match=r"{a: 2, b: 3} has no dimension 'c'; leave it out"):
        MESH.item(a=1, b=0, c=3)


@pytest.mark.parametrize("index", [2, -1])
def test_item_when_out_of_range(index: int) -> None:
    with pytest.raises(IndexError, match=rf"^index {index} is outside of dimension 'a' of size 2"):
        MESH.item(a=index, b=0)


def test_get_when_asked_by_place() -> None:
    assert MESH.get(3) == "x"
    for rank in (6, -1):
        with pytest.raises(IndexError, match=rf"^rank {rank} is outside of {{a: 2, b: 3}}"):
            MESH.get(rank)


def test_places_when_the_mesh_is_a_slice_count_from_zero() -> None:
    row = ValueMesh(CUBE, range(24)).slice(b=1)
    assert [row.get(place) for place in range(8)] == [4, 5, 6, 7, 16, 17, 18, 19]
    assert row.item(a=1, c=0) == 16
    assert [point.rank for point, _ in row] == list(range(8))


def test_values_when_their_number_is_wrong() -> None:
    with pytest.raises(
        ValueError, match=r"^1 values were given for 6 points of {a: 2, b: 3}; give"
    ):
        ValueMesh(Shape.of(GRID), [1])


def test_values_when_indexed_come_in_any_order() -> None:
    pairs = [(rank % 6, rank) for rank in range(9)]
    assert ValueMesh.from_indexed(Shape.of(GRID), pairs).values() == [6, 7, 8, 3, 4, 5]
    row = ValueMesh.from_indexed(CUBE.slice(a=1, b=1), [(3, "d"), (1, "b"), (0, "a"), (2, "c")])
    assert row.values() == list("abcd")


@pytest.mark.parametrize(
    ("ranks", "message"),
    [
        ([0, 1], "no others came and 2, 3, 4, 5 did not; give each rank once$"),
        ([0, 1, 2, 3, 4, 5, 6], "go from 0 to 5, but 6 came and no others did not"),
        ([0, 1, 2, 3, 4, -1], "but -1 came and 5 did not"),
    ],
)
def test_values_when_indexed_wrong(ranks: list[int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ValueMesh.from_indexed(Shape.of(GRID), [(rank, None) for rank in ranks])


def test_repr_when_small_and_when_large() -> None:
    assert repr(MESH.slice(a=1)) == (
        "ValueMesh({b: 3}):\n  {'b': 0/3}: 'x'\n  {'b': 1/3}: 'y'\n  {'b': 2/3}: 'z'"
    )
    lines = repr(ValueMesh(Shape.of(Extent(["n"], [1000])), range(1000))).splitlines()
    assert lines[-1] == "  ... and 936 more"
    assert len(lines) == 66


@dataclass
class Changeable:
    """A value that equals others and is still not them."""

    number: int


SCALARS = (
    st.none() | st.booleans() | st.integers(-1, 2) | st.sampled_from([0.0, -0.0, 1.0, "", "a"])
)


@given(st.lists(SCALARS, min_size=1, max_size=30))
def test_values_when_pickled_stay_what_they_are(values: list[object]) -> None:
    mesh = ValueMesh(Shape.of(Extent(["n"], [len(values)])), values)
    copy = pickle.loads(pickle.dumps(mesh))  # noqa: S301
    # repr tells 1 from 1.0 and True, and 0.0 from -0.0; equality does not
    assert repr(copy.values()) == repr(values)
    assert copy.extent == mesh.extent


def test_values_when_equal_but_not_the_same_stay_apart_after_pickling() -> None:
    mesh = ValueMesh(Shape.of(GRID), [Changeable(1) for _ in range(6)])
    copy = pickle.loads(pickle.dumps(mesh))  # noqa: S301
    assert copy.values() == mesh.values()
    assert len({id(value) for value in copy.values()}) == 6


def test_pickle_when_values_repeat_is_small() -> None:
    line = Shape.of(Extent(["hosts", "gpus"], [1250, 8]))
    assert len(pickle.dumps(ValueMesh(line, [None] * 10_000))) < 300
    # equal texts that came from different processes are different objects
    texts = [str(bytearray(b"ready"), "ascii") for _ in range(10_000)]
    assert len(pickle.dumps(ValueMesh(line, texts))) < 300
    assert pickle.loads(pickle.dumps(ValueMesh(line, texts))).values() == texts  # noqa: S301


def test_pickle_when_values_differ_holds_little_but_them() -> None:
    values = [f"{rank:032d}" for rank in range(1000)]
    mesh = ValueMesh(Shape.of(Extent(["n"], [1000])), values)
    assert len(pickle.dumps(mesh)) - len(pickle.dumps(tuple(values))) < 200


def test_pickle_when_buffers_are_out_of_band() -> None:
    buffers: list[pickle.PickleBuffer] = []
    mesh = ValueMesh(Shape.of(GRID), [pickle.PickleBuffer(bytearray(1000)) for _ in range(6)])
    data = pickle.dumps(mesh, protocol=5, buffer_callback=buffers.append)
    assert len(buffers) == 6
    assert len(data) < 400


def test_runs_when_neighbours_are_alike() -> None:
    heads, lengths = runs([1, 1, True, float("1"), float("1"), 2])
    assert repr(heads) == "(1, True, 1.0, 1.0, 2)"
    assert lengths == (2, 1, 1, 1, 1)
    assert runs([]) == ((), ())


def test_module_when_imported_loads_nothing_heavy() -> None:
    code = (
        "import sys; before = set(sys.modules); import runtime.actor.shapes.value_mesh;"
        "import runtime.actor.shapes.shape; print(*sorted(set(sys.modules) - before))"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", code], check=True, capture_output=True, text=True
    )
    heavy = {"typing", "dataclasses", "re", "inspect", "asyncio", "numpy", "runtime._core"}
    assert heavy.isdisjoint(done.stdout.split())
    assert "runtime.actor.shapes.slices" in done.stdout.split()
