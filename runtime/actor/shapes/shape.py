"""Where things are in a mesh: extents, points, and the shapes that give ranks their labels."""

from __future__ import annotations

from collections.abc import Mapping
from operator import index as to_index

from runtime.actor.shapes.reshaping import (
    Selection,
    checked_index,
    described,
    flattened,
    renamed,
    sliced,
    split,
    unique,
)
from runtime.actor.shapes.slices import Slice, row_major

TYPE_CHECKING = False  # `typing` costs more to import than this file
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

__all__ = ["Extent", "Point", "Region", "Shape", "Slice"]


class Extent(Mapping[str, int]):
    """The labels of dimensions with their sizes, in order: {hosts: 2, gpus: 8}.

    Equal to an extent of the same labels and sizes in the same order; usable as a key.
    """

    __slots__ = ("_labels", "_sizes", "_strides")

    def __init__(self, labels: Iterable[str], sizes: Iterable[int]) -> None:
        self._labels = tuple(unique(list(labels)))
        self._sizes = tuple(map(to_index, sizes))
        if len(self._labels) != len(self._sizes):
            raise ValueError(
                f"labels {list(self._labels)} and sizes {list(self._sizes)} differ in number; "
                "give one size for each label"
            )
        if any(size < 0 for size in self._sizes):
            raise ValueError(f"extent {self!r} has a negative size; sizes count from 0")
        self._strides = row_major(self._sizes)

    @property
    def labels(self) -> list[str]:
        """The names of the dimensions, outermost first."""
        return list(self._labels)

    @property
    def sizes(self) -> list[int]:
        """The sizes of the dimensions, in the order of the labels."""
        return list(self._sizes)

    @property
    def nelements(self) -> int:
        """The number of points."""
        count = 1
        for size in self._sizes:
            count *= size
        return count

    @property
    def region(self) -> Region:
        """The region of all points, with the ranks 0, 1, 2, ..."""
        return Region(self._labels, Slice.new_row_major(self._sizes))

    def points(self) -> Iterator[Point]:
        """Yield every point in the order of its rank."""
        return (Point(rank, self) for rank in range(self.nelements))

    def rank_of(self, coordinates: Mapping[str, int]) -> int:
        """Return the rank of the point at these coordinates.

        KeyError if they name other dimensions, IndexError if one is negative or too large.
        """
        rank = 0
        extra = ", ".join(repr(label) for label in coordinates if label not in self._labels)
        for label, size in zip(self._labels, self._sizes, strict=True):
            if label not in coordinates:
                strange = f", and {extra} is none of them" if extra else ""
                raise KeyError(
                    f"no index for dimension {label!r} of {self!r}{strange}; give one for each"
                )
            rank = rank * size + checked_index(label, size, coordinates[label])
        if extra:
            raise KeyError(f"{self!r} has no dimension {extra}; leave it out")
        return rank

    def index_of(self, label: str, rank: int) -> int:
        """Return the coordinate of a rank in one dimension; KeyError if there is none such."""
        dim = self._dim(label)
        return rank // self._strides[dim] % self._sizes[dim]

    def _dim(self, label: str) -> int:
        try:
            return self._labels.index(label)
        except ValueError:
            raise KeyError(f"{self!r} has no dimension {label!r}") from None

    def __getitem__(self, label: str) -> int:
        return self._sizes[self._dim(label)]

    def __contains__(self, label: object) -> bool:
        return label in self._labels

    def __iter__(self) -> Iterator[str]:
        return iter(self._labels)

    def __len__(self) -> int:
        return len(self._labels)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Extent) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[tuple[str, ...], tuple[int, ...]]:
        return self._labels, self._sizes

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        return Extent, self._key()

    def __repr__(self) -> str:
        return described(self._labels, self._sizes)


class Point(Mapping[str, int]):
    """One place of an extent: a mapping of its labels to indices, with its rank.

    Equal to a point of the same rank in an equal extent; usable as a key.
    """

    __slots__ = ("_extent", "_rank")

    def __init__(self, rank: int, extent: Extent) -> None:
        self._rank = to_index(rank)
        self._extent = extent
        if not 0 <= self._rank < extent.nelements:
            raise ValueError(
                f"rank {rank} is outside of {extent!r}, which has {extent.nelements} points "
                "counted from 0"
            )

    @property
    def rank(self) -> int:
        """The place in row-major order."""
        return self._rank

    @property
    def extent(self) -> Extent:
        """The extent that the point is in."""
        return self._extent

    def size(self, label: str) -> int:
        """Return the size of a dimension of the extent; KeyError if there is none such."""
        return self._extent[label]

    def __getitem__(self, label: str) -> int:
        return self._extent.index_of(label, self._rank)

    def __contains__(self, label: object) -> bool:
        return label in self._extent

    def __iter__(self) -> Iterator[str]:
        return iter(self._extent)

    def __len__(self) -> int:
        return len(self._extent)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Point):
            return False
        return self._rank == other.rank and self._extent == other.extent

    def __hash__(self) -> int:
        return hash((self._rank, self._extent))

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        return Point, (self._rank, self._extent)

    def __repr__(self) -> str:
        inside = (f"{label!r}: {self[label]}/{size}" for label, size in self._extent.items())
        return f"{{{', '.join(inside)}}}"


class Shape:
    """Ranks in labelled dimensions: what a mesh, or a slice of one, consists of.

    The ranks are those of the mesh that was spawned; slices of it keep them.
    """

    __slots__ = ("_extent", "_ndslice")

    def __init__(self, labels: Iterable[str], slice: Slice) -> None:  # noqa: A002 (as users call it)
        self._extent = Extent(labels, slice.sizes)
        self._ndslice = slice

    @staticmethod
    def unity() -> Shape:
        """Return the shape of one rank, 0, and no dimension."""
        return Shape((), Slice.new_row_major(()))

    @staticmethod
    def of(extent: Extent) -> Shape:
        """Return the shape that has all points of an extent, ranks counted from 0."""
        return Shape(extent.labels, Slice.new_row_major(extent.sizes))

    @property
    def labels(self) -> list[str]:
        """The names of the dimensions, outermost first."""
        return self._extent.labels

    @property
    def ndslice(self) -> Slice:
        """The ranks, without labels."""
        return self._ndslice

    @property
    def extent(self) -> Extent:
        """The labels and sizes, without ranks."""
        return self._extent

    @property
    def region(self) -> Region:
        """The same labels and ranks as a region."""
        return Region(self._extent.labels, self._ndslice)

    def ranks(self) -> list[int]:
        """Return all ranks in row-major order."""
        return list(self._ndslice.ranks())

    def coordinates(self, rank: int) -> dict[str, int]:
        """Return where a rank is; ValueError if the shape does not have it."""
        return dict(zip(self._extent, self._ndslice.coordinates(rank), strict=True))

    def at(self, label: str, index: int) -> Shape:
        """Return what has this index in one dimension, without the dimension."""
        return self.slice(**{label: index})

    def select(self, label: str, slice: slice) -> Shape:  # noqa: A002 (as users call it)
        """Return what a slice of one dimension selects, with the dimension."""
        return self.slice(**{label: slice})

    def index(self, **indices: int) -> Shape:
        """Return what has these indices, without their dimensions."""
        return self.slice(**indices)

    def slice(self, **dims: Selection) -> Shape:
        """Select in the named dimensions: an index removes the dimension, a slice keeps it."""
        return Shape(*sliced(self._extent.labels, self._ndslice, dims))

    def flatten(self, name: str) -> Shape:
        """Return one dimension of all ranks; ValueError if they are not consecutive."""
        return Shape(*flattened(self._extent.labels, self._ndslice, name))

    def rename(self, **names: str) -> Shape:
        """Return the same ranks under other labels: old="new"."""
        return Shape(renamed(self._extent.labels, names), self._ndslice)

    def split(self, **terms: int | Sequence[str]) -> Shape:
        """Return the same ranks with a dimension made several: old=("outer", "inner"), inner=2."""
        return Shape(*split(self._extent.labels, self._ndslice, terms))

    def __len__(self) -> int:
        return len(self._ndslice)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Shape):
            return False
        return self._ndslice == other.ndslice and self._extent == other.extent

    def __hash__(self) -> int:
        return hash((self._extent, self._ndslice))

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        if self._ndslice == Slice.new_row_major(self._ndslice.sizes):
            return Shape.of, (self._extent,)
        return Shape, (tuple(self._extent), self._ndslice)

    def __str__(self) -> str:
        inside = ",".join(f"{label}={size}" for label, size in self._extent.items())
        return f"{{{inside}}}"

    def __repr__(self) -> str:
        return f"Shape({self._extent.labels}, {self._ndslice!r})"


class Region:
    """Part of an extent: labels and the base ranks that belong to it."""

    __slots__ = ("_shape",)

    def __init__(self, labels: Iterable[str], slice: Slice) -> None:  # noqa: A002 (as users call it)
        self._shape = Shape(labels, slice)

    @property
    def labels(self) -> list[str]:
        """The names of the dimensions, outermost first."""
        return self._shape.labels

    def slice(self) -> Slice:
        """Return the base ranks, without labels."""
        return self._shape.ndslice

    def as_shape(self) -> Shape:
        """Return the same labels and ranks as a shape."""
        return self._shape

    def point_of_base_rank(self, rank: int) -> Point:
        """Return where in the region a base rank is; ValueError if it does not belong to it."""
        return Point(self._shape.ndslice.index(rank), self._shape.extent)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Region) and self._shape == other.as_shape()

    def __hash__(self) -> int:
        return hash((Region, self._shape))

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        return Region, (tuple(self._shape.labels), self._shape.ndslice)

    def __repr__(self) -> str:
        return f"Region({self._shape.labels}, {self._shape.ndslice!r})"
