"""A strided set of ranks in any number of dimensions, as arithmetic over three tuples."""

from __future__ import annotations

from operator import index as to_index

TYPE_CHECKING = False  # `typing` costs more to import than this file
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence


class Slice:
    """The ranks `offset + i0 * strides[0] + i1 * strides[1] + ...` for all `i` within `sizes`.

    Ranks come in row-major order: the last dimension varies fastest. No two are the same, which
    is checked: a stride must lead past everything that the dimensions of smaller stride reach.
    """

    __slots__ = ("_offset", "_ranks", "_sizes", "_strides")

    def __init__(self, *, offset: int, sizes: Iterable[int], strides: Iterable[int]) -> None:
        self._offset = to_index(offset)
        self._sizes = tuple(map(to_index, sizes))
        self._strides = tuple(map(to_index, strides))
        self._ranks: range | tuple[int, ...] | None = None
        self._check()

    def _check(self) -> None:
        if len(self._sizes) != len(self._strides):
            raise ValueError(
                f"sizes {list(self._sizes)} and strides {list(self._strides)} differ in number; "
                "give one stride for each size"
            )
        if min((self._offset, *self._sizes, *self._strides)) < 0:
            raise ValueError(f"{self!r} has a negative part; ranks ascend from 0")
        reach = 0
        for stride, size in sorted(zip(self._strides, self._sizes, strict=True)):
            if size != 1 and stride <= reach and 0 not in self._sizes:
                raise ValueError(
                    f"{self!r} has ranks twice: stride {stride} must be larger than {reach}, "
                    "the reach of the dimensions of smaller stride"
                )
            reach += (size - 1) * stride

    @classmethod
    def new_row_major(cls, sizes: Sequence[int]) -> Slice:
        """Return the ranks 0, 1, 2, ... in an array of these sizes."""
        return cls(offset=0, sizes=sizes, strides=row_major(sizes))

    @staticmethod
    def from_list(ranks: Sequence[int]) -> list[Slice]:
        """Return slices that have these ranks in this order, each as long as it can be."""
        slices = []
        start = 0
        while start < len(ranks):
            stop = _run(ranks, start)
            step = ranks[start + 1] - ranks[start] if stop - start > 1 else 1
            slices.append(Slice(offset=ranks[start], sizes=(stop - start,), strides=(step,)))
            start = stop
        return slices

    @property
    def offset(self) -> int:
        """The first rank."""
        return self._offset

    @property
    def sizes(self) -> list[int]:
        """The number of indices in each dimension."""
        return list(self._sizes)

    @property
    def strides(self) -> list[int]:
        """How far apart in ranks neighbours are, in each dimension."""
        return list(self._strides)

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self._sizes)

    @property
    def is_dense(self) -> bool:
        """Tell whether the ranks are `len(self)` consecutive ones in ascending order."""
        ranks = self.ranks()
        return isinstance(ranks, range) and (len(ranks) < 2 or ranks.step == 1)  # noqa: PLR2004

    def ranks(self) -> range | tuple[int, ...]:
        """Return all ranks in row-major order: a range where they are evenly spaced."""
        if self._ranks is None:
            self._ranks = _ranks(self._offset, self._sizes, self._strides)
        return self._ranks

    def get(self, position: int) -> int:
        """Return the rank at this place of the order; ValueError outside of it."""
        if not 0 <= position < len(self):
            raise ValueError(
                f"position {position} is outside of {self!r}, which has {len(self)} ranks"
            )
        return self.ranks()[position]

    def index(self, rank: int) -> int:
        """Return the place of this rank in the order; ValueError if it is not one of these."""
        ranks = self.ranks()
        if isinstance(ranks, range) and rank in ranks:
            return ranks.index(rank)
        place = 0
        for coordinate, size in zip(self.coordinates(rank), self._sizes, strict=True):
            place = place * size + coordinate
        return place

    def coordinates(self, rank: int) -> list[int]:
        """Return the index of this rank in each dimension; ValueError if it is not one of these."""
        found = self._find(to_index(rank))
        if found is None:
            raise ValueError(f"rank {rank} is not in {self!r}; ask for one that it has")
        return found

    def nditem(self, coordinates: Sequence[int]) -> int:
        """Return the rank at these indices, one for each dimension."""
        if len(coordinates) != len(self._sizes):
            raise ValueError(
                f"{len(coordinates)} indices were given for {len(self._sizes)} dimensions; "
                "give one for each"
            )
        rank = self._offset
        for coordinate, size, stride in zip(coordinates, self._sizes, self._strides, strict=True):
            if not 0 <= coordinate < size:
                raise IndexError(
                    f"index {coordinate} is outside of a dimension of size {size}; "
                    f"indices go from 0 to {size - 1}"
                )
            rank += to_index(coordinate) * stride
        return rank

    def _find(self, rank: int) -> list[int] | None:
        rest = rank - self._offset
        found = [0] * len(self._sizes)
        if 0 in self._sizes:
            return None
        for dim in sorted(range(len(found)), key=self._strides.__getitem__, reverse=True):
            if self._sizes[dim] > 1:
                found[dim], rest = divmod(rest, self._strides[dim])
                if not 0 <= found[dim] < self._sizes[dim]:
                    return None
        return None if rest else found

    def __getitem__(self, place: int | slice) -> int | tuple[int, ...]:
        if isinstance(place, slice):
            return tuple(self.ranks()[place])
        if not 0 <= place < len(self):
            raise IndexError(
                f"index {place} is outside of a slice of {len(self)} ranks; "
                f"indices go from 0 to {len(self) - 1}"
            )
        return self.ranks()[place]

    def __iter__(self) -> Iterator[int]:
        return iter(self.ranks())

    def __len__(self) -> int:
        return len(self.ranks())

    def __contains__(self, rank: object) -> bool:
        return isinstance(rank, int) and self._find(rank) is not None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Slice) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[int, tuple[int, ...], tuple[int, ...]]:
        return self._offset, self._sizes, self._strides

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        return restored, self._key()

    def __repr__(self) -> str:
        return (
            f"Slice(offset={self._offset}, sizes={list(self._sizes)}, "
            f"strides={list(self._strides)})"
        )


def restored(offset: int, sizes: tuple[int, ...], strides: tuple[int, ...]) -> Slice:
    """Build a slice from its pickled form."""
    return Slice(offset=offset, sizes=sizes, strides=strides)


def row_major(sizes: Sequence[int]) -> tuple[int, ...]:
    """Return the strides of a dense array of these sizes, last dimension fastest."""
    strides = []
    stride = 1
    for size in reversed(sizes):
        strides.append(stride)
        stride *= to_index(size)
    return tuple(reversed(strides))


def _run(ranks: Sequence[int], start: int) -> int:
    """Return where the evenly ascending run that begins at `start` ends."""
    stop = start + 1
    while stop < len(ranks) and ranks[stop] > ranks[stop - 1]:
        if stop - start > 1 and ranks[stop] - ranks[stop - 1] != ranks[start + 1] - ranks[start]:
            break
        stop += 1
    return stop


def _ranks(
    offset: int, sizes: tuple[int, ...], strides: tuple[int, ...]
) -> range | tuple[int, ...]:
    if 0 in sizes:
        return range(offset, offset)
    dims: list[tuple[int, int]] = []  # outermost last; neighbours that count on are one
    for size, stride in zip(reversed(sizes), reversed(strides), strict=True):
        if size == 1:
            continue
        if dims and stride == dims[-1][0] * dims[-1][1]:
            dims[-1] = (dims[-1][0] * size, dims[-1][1])
        else:
            dims.append((size, stride))
    if not dims:
        return range(offset, offset + 1)
    size, stride = dims[0]
    inner = range(0, size * stride, stride)
    starts = [offset]
    for size, stride in reversed(dims[1:]):
        starts = [start + i * stride for start in starts for i in range(size)]
    if len(starts) == 1:
        return range(offset, offset + inner.stop, inner.step)
    return tuple(start + step for start in starts for step in inner)
