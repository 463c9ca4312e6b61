"""Values in the dimensions of a mesh: what a call to every actor of one gives back."""

from __future__ import annotations

from runtime.actor.generic import Generic
from runtime.actor.shapes.mesh_trait import MeshTrait

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import TypeVar

    from runtime.actor.shapes.shape import Point, Shape

    R = TypeVar("R")
else:
    R = object

SHOWN = 64  # values in a repr; a mesh may have thousands
# Of these, equal ones cannot be told apart, so that a run of them may become one.
INTERCHANGEABLE = (int, str, bytes, type(None), bool)


class ValueMesh(MeshTrait, Generic[R]):
    """One value for each point of a shape, in row-major order.

    Iteration gives (point, value) pairs. Slices and the like share the values.
    """

    __slots__ = ("_own_shape", "_values")

    def __init__(self, shape: Shape, values: Iterable[R]) -> None:
        self._own_shape = shape
        self._values = tuple(values)
        if len(self._values) != len(shape):
            raise ValueError(
                f"{len(self._values)} values were given for {len(shape)} points of "
                f"{shape.extent!r}; give one for each"
            )

    @classmethod
    def from_indexed(cls, shape: Shape, pairs: Iterable[tuple[int, R]]) -> ValueMesh[R]:
        """Build a mesh from (rank, value) pairs in any order; of pairs of one rank the last counts.

        ValueError if a rank is missing or outside of the shape.
        """
        found = dict(pairs)
        count = len(shape)
        strange = [rank for rank in found if not 0 <= rank < count]
        if strange or len(found) != count:
            missing = [rank for rank in range(count) if rank not in found]
            raise ValueError(
                f"the ranks of {shape.extent!r} go from 0 to {count - 1}, but "
                f"{_some(strange)} came and {_some(missing)} did not; give each rank once"
            )
        return cls(shape, [found[rank] for rank in range(count)])

    @property
    def _shape(self) -> Shape:
        return self._own_shape

    def _with_shape(self, shape: Shape) -> ValueMesh[R]:
        return ValueMesh(shape, _picked(self._values, self._own_shape, shape))

    def items(self) -> Iterator[tuple[Point, R]]:
        """Return (point, value) pairs in row-major order."""
        return zip(self._own_shape.extent.points(), self._values, strict=True)

    def values(self) -> list[R]:
        """Return the values in row-major order."""
        return list(self._values)

    def item(self, **indices: int) -> R:
        """Return the value at these indices, one for each dimension.

        KeyError if they name other dimensions, IndexError if one is negative or too large.
        """
        return self._values[self._own_shape.extent.rank_of(indices)]

    def get(self, rank: int) -> R:
        """Return the value at this place in row-major order; IndexError if there is none."""
        if not 0 <= rank < len(self._values):
            raise IndexError(
                f"rank {rank} is outside of {self.extent!r}, which has {len(self._values)} "
                "values counted from 0"
            )
        return self._values[rank]

    def __iter__(self) -> Iterator[tuple[Point, R]]:
        return self.items()

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        values, lengths = runs(self._values)
        if len(values) * 2 > len(self._values):
            return ValueMesh, (self._own_shape, self._values)
        return from_runs, (self._own_shape, values, lengths)

    def __repr__(self) -> str:
        shown = [
            f"  {point!r}: {value!r}" for (point, value), _ in zip(self, range(SHOWN), strict=False)
        ]
        if len(self) > SHOWN:
            shown.append(f"  ... and {len(self) - SHOWN} more")
        return "\n".join([f"ValueMesh({self.extent!r}):", *shown])


def runs(values: Sequence[R]) -> tuple[tuple[R, ...], tuple[int, ...]]:
    """Return the values without repetition of neighbours, and how often each is repeated.

    Neighbours are one if they are the same object, or of a plain immutable type and equal.
    """
    heads: list[R] = []
    lengths: list[int] = []
    for value in values:
        if heads and _interchangeable(heads[-1], value):
            lengths[-1] += 1
        else:
            heads.append(value)
            lengths.append(1)
    return tuple(heads), tuple(lengths)


def from_runs(shape: Shape, heads: Sequence[R], lengths: Sequence[int]) -> ValueMesh[R]:
    """Build a mesh from its pickled form."""
    values = (head for head, length in zip(heads, lengths, strict=True) for _ in range(length))
    return ValueMesh(shape, values)


def _interchangeable(one: object, other: object) -> bool:
    if one is other:
        return True
    return type(one) is type(other) and type(one) in INTERCHANGEABLE and one == other


def _picked(values: tuple[R, ...], have: Shape, want: Shape) -> Sequence[R]:
    """Return the values at those of the ranks that are wanted, in their order."""
    here, there = have.ndslice.ranks(), want.ndslice.ranks()
    if here == there:
        return values
    if isinstance(here, range) and isinstance(there, range):
        start = here.index(there.start)
        step = there.step // here.step or 1
        return values[start : start + len(there) * step : step]
    position = have.ndslice.index
    return [values[position(rank)] for rank in there]


def _some(ranks: Sequence[int]) -> str:
    few = ", ".join(map(str, ranks[:5]))
    return (few + (" and more" if len(ranks) > 5 else "")) or "no others"  # noqa: PLR2004
