"""What every mesh can do with its dimensions, whatever it is a mesh of."""

from __future__ import annotations

from abc import ABC, abstractmethod

TYPE_CHECKING = False  # `typing` costs more to import than this file
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Self

    from runtime.actor.shapes.reshaping import Selection
    from runtime.actor.shapes.shape import Extent, Shape


class MeshTrait(ABC):
    """Slicing and naming of dimensions, over a shape and a way to take another one."""

    __slots__ = ()

    @property
    @abstractmethod
    def _shape(self) -> Shape:
        """The labels and ranks of this mesh."""

    @abstractmethod
    def _with_shape(self, shape: Shape) -> Self:
        """Return the mesh of these ranks, which are some of the own, under these labels."""

    def slice(self, **dims: Selection) -> Self:
        """Select in the named dimensions: an index removes the dimension, a slice keeps it.

        TypeError for a dimension that is not there, IndexError for an index that is negative or
        too large, ValueError for a slice that selects nothing or runs backwards.
        """
        return self._with_shape(self._shape.slice(**dims))

    def flatten(self, name: str) -> Self:
        """Make one dimension of all; ValueError if the mesh is sparse."""
        return self._with_shape(self._shape.flatten(name))

    def rename(self, **names: str) -> Self:
        """Give dimensions other names: old="new"; ValueError for an unknown or a doubled one."""
        return self._with_shape(self._shape.rename(**names))

    def split(self, **terms: int | Sequence[str]) -> Self:
        """Make several dimensions of one: `gpus=("tp", "pp"), tp=4` of gpus=8 gives tp=4, pp=2.

        One size in each group may be left out; ValueError if it does not come out even.
        """
        return self._with_shape(self._shape.split(**terms))

    def size(self, dim: str | Sequence[str] | None = None) -> int:
        """Return the number of elements, or the size of a dimension, or the product of several.

        KeyError for a dimension that is not there.
        """
        extent = self.extent
        if dim is None:
            return extent.nelements
        count = 1
        for label in (dim,) if isinstance(dim, str) else dim:
            count *= extent[label]
        return count

    @property
    def sizes(self) -> dict[str, int]:
        """The dimensions with their sizes, in order."""
        return dict(self.extent)

    @property
    def extent(self) -> Extent:
        """The dimensions with their sizes, as an extent."""
        return self._shape.extent

    def __len__(self) -> int:
        return self._shape.extent.nelements
