"""What slice, flatten, rename and split make of labels and ranks: pure, no class of its own."""

from __future__ import annotations

from operator import index as to_index

from runtime.actor.shapes.slices import Slice, row_major

TYPE_CHECKING = False  # `typing` costs more to import than this file
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    Labelled = tuple[list[str], Slice]

Selection = int | slice
_EVERYTHING = slice(None)


def described(labels: Iterable[str], sizes: Iterable[int]) -> str:
    """Return the dimensions as messages show them: {hosts: 2, gpus: 8}."""
    inside = ", ".join(f"{label}: {size}" for label, size in zip(labels, sizes, strict=True))
    return f"{{{inside}}}"


def sliced(labels: Sequence[str], ndslice: Slice, dims: Mapping[str, Selection]) -> Labelled:
    """Select in the named dimensions: an index removes the dimension, a slice keeps it.

    TypeError for a dimension that is not there, IndexError for an index that is negative or too
    large, ValueError for a slice that selects nothing or runs backwards.
    """
    sizes = ndslice.sizes
    for label in dims:
        if label not in labels:
            raise TypeError(
                f"mesh {described(labels, sizes)} has no dimension {label!r}; "
                f"slice it by {_choice(labels)}"
            )
    offset = ndslice.offset
    kept: list[tuple[str, int, int]] = []
    for label, size, stride in zip(labels, sizes, ndslice.strides, strict=True):
        chosen = dims.get(label, _EVERYTHING)
        if isinstance(chosen, slice):
            part = _part(label, size, chosen)
            offset += part.start * stride
            kept.append((label, len(part), part.step * stride))
        else:
            offset += checked_index(label, size, chosen) * stride
    return (
        [label for label, _, _ in kept],
        Slice(offset=offset, sizes=[s for _, s, _ in kept], strides=[s for _, _, s in kept]),
    )


def checked_index(label: str, size: int, value: int) -> int:
    """Return an index into a dimension; IndexError if it is negative or too large."""
    try:
        index = to_index(value)
    except TypeError:
        raise TypeError(
            f"dimension {label!r} was given {value!r}, which is neither an index nor a slice"
        ) from None
    if 0 <= index < size:
        return index
    hint = f"indices go from 0 to {size - 1}" if size else "it is empty"
    raise IndexError(f"index {index} is outside of dimension {label!r} of size {size}; {hint}")


def _part(label: str, size: int, chosen: slice) -> range:
    part = range(*chosen.indices(size))
    if part.step < 0:
        raise ValueError(
            f"slice {chosen} runs dimension {label!r} backwards; meshes keep their order, "
            "reverse the values instead"
        )
    if not part and size:
        raise ValueError(
            f"slice {chosen} selects nothing of dimension {label!r} of size {size}; "
            f"give a start below its stop, within 0 and {size}"
        )
    return part


def flattened(labels: Sequence[str], ndslice: Slice, name: str) -> Labelled:
    """Make one dimension of all; ValueError if the ranks are not consecutive."""
    if not ndslice.is_dense:
        raise ValueError(
            f"mesh {described(labels, ndslice.sizes)} is sparse: its ranks have strides "
            f"{ndslice.strides} where a dense one has {list(row_major(ndslice.sizes))}; "
            "flatten before slicing, or slice the outermost dimension only"
        )
    return [name], Slice(offset=ndslice.offset, sizes=[len(ndslice)], strides=[1])


def renamed(labels: Sequence[str], names: Mapping[str, str]) -> list[str]:
    """Return the labels with new names; ValueError for an unknown or a doubled one."""
    for label, name in names.items():
        if label not in labels:
            raise ValueError(
                f"there is no dimension {label!r} to rename to {name!r}; "
                f"the mesh has {_choice(labels)}"
            )
    return unique([names.get(label, label) for label in labels])


def unique(labels: list[str]) -> list[str]:
    """Return the labels; ValueError if one is there twice, TypeError if one is no text."""
    for label in labels:
        if not isinstance(label, str):
            raise TypeError(f"dimension name {label!r} is no text; names are strings")
        if labels.count(label) > 1:
            raise ValueError(f"dimension {label!r} is there twice; give every one its own name")
    return labels


def split(
    labels: Sequence[str], ndslice: Slice, terms: Mapping[str, int | Sequence[str]]
) -> Labelled:
    """Make several dimensions of one: `gpus=("tp", "pp"), tp=4` of gpus=8 gives tp=4, pp=2.

    Integers are the sizes of new dimensions; in each group one may be left out. ValueError for
    anything that does not come out even or is not used.
    """
    groups, given = _groups(labels, terms)
    unused = set(given)
    outcome: list[tuple[str, int, int]] = []
    for label, size, stride in zip(labels, ndslice.sizes, ndslice.strides, strict=True):
        group = groups.get(label)
        if group is None:
            outcome.append((label, size, stride))
            continue
        sizes = _sizes(label, size, group, given)
        unused -= set(group)
        strides = [stride * step for step in row_major(sizes)]
        outcome += zip(group, sizes, strides, strict=True)
    if unused:
        raise ValueError(
            f"no split makes a dimension {' or '.join(map(repr, sorted(unused)))}; "
            f"name it in the split of one of {_choice(labels)}, or leave its size out"
        )
    return (
        unique([label for label, _, _ in outcome]),
        Slice(
            offset=ndslice.offset,
            sizes=[s for _, s, _ in outcome],
            strides=[s for _, _, s in outcome],
        ),
    )


def _groups(
    labels: Sequence[str], terms: Mapping[str, int | Sequence[str]]
) -> tuple[dict[str, tuple[str, ...]], dict[str, int]]:
    groups: dict[str, tuple[str, ...]] = {}
    given: dict[str, int] = {}
    for label, term in terms.items():
        if isinstance(term, str):
            raise ValueError(  # noqa: TRY004 (what users catch)
                f"{label}={term!r} is no split; give a sequence of names, "
                f"such as ({term!r}, 'another'), or rename the dimension"
            )
        if hasattr(term, "__index__"):
            given[label] = to_index(term)
            continue
        if label not in labels:
            raise ValueError(
                f"there is no dimension {label!r} to split; the mesh has {_choice(labels)}, "
                "and the size of a new dimension is an integer"
            )
        groups[label] = tuple(term)
    return groups, given


def _sizes(label: str, size: int, group: tuple[str, ...], given: Mapping[str, int]) -> list[int]:
    """Return the sizes of the new dimensions, the one that was left out included."""
    open_ones = [name for name in group if name not in given]
    if len(open_ones) > 1:
        raise ValueError(
            f"the split of {label!r} leaves the sizes of {' and '.join(map(repr, open_ones))} "
            f"open; give all but one, such as {open_ones[0]}=2"
        )
    known = 1
    for name in group:
        known *= given.get(name, 1)
        if given.get(name, 1) < 1:
            raise ValueError(f"{name}={given[name]} is no size of a dimension; it must be positive")
    if size % known or (not open_ones and size != known):
        shown = described(group, [given.get(name, 0) for name in group]).replace(": 0", ": ?")
        raise ValueError(
            f"dimension {label!r} of size {size} does not come out even in {shown}; "
            "give sizes whose product is its size"
        )
    return [given.get(name, size // known) for name in group]


def _choice(labels: Sequence[str]) -> str:
    return ", ".join(map(repr, labels)) or "no dimension at all"
