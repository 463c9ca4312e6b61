"""Whether ranges of memory fit together for what is asked; what does not is a ValueError."""

from collections.abc import Sequence
from itertools import pairwise
from operator import index
from typing import SupportsFloat, SupportsIndex

from runtime.devices.protocol import Element
from runtime.devices.ranges import DLPACK_CPU, Range

_INT = 1 << 31


def check_reachable(
    found: Range, platform: str, kinds: frozenset[int], array: object, *, by_copy: bool = False
) -> None:
    """Raise ValueError for memory that a platform's device does not reach.

    `kinds`: DLPack's of what it reaches.  `by_copy`: it is one side of a copy, which takes memory
    of the host too.
    """
    if found.kind is None and DLPACK_CPU not in kinds:
        return  # nothing says where it is: who gives it knows
    if found.kind in kinds or (by_copy and found.kind == DLPACK_CPU):
        return
    name = type(array).__name__
    if found.kind == DLPACK_CPU:
        raise ValueError(
            f"{name} is in memory of the host, which kernels of {platform} do not reach; copy it to"
            " the device first, or register it"
        )
    raise ValueError(f"{name} is in the memory of a GPU that is no {platform} device")


def check_apart(target: Range, sources: Sequence[Range], what: str) -> None:
    """Raise ValueError where a range overlaps one that is written at the same time."""
    for source in sources:
        if source.nbytes and target.address < source.end and source.address < target.end:
            raise ValueError(
                f"{what}: {source.nbytes} bytes at {source.address:#x} overlap {target.nbytes} that"
                f" are written at {target.address:#x}; give memory that is apart"
            )


def check_summable(target: Range, sources: Sequence[Range]) -> None:
    """Raise ValueError unless sources have the target's size and are the target or apart."""
    for source in sources:
        if target.nbytes != source.nbytes:
            raise ValueError(
                f"accumulate: the target has {target.nbytes} bytes and a source {source.nbytes};"
                " they have to be equal"
            )
    check_apart(target, [s for s in sources if s.address != target.address], "accumulate")


def check_copied(target: Range, source: Range) -> None:
    """Raise ValueError unless a source fits into a target that is apart from it."""
    if source.nbytes > target.nbytes:
        raise ValueError(
            f"{source.nbytes} bytes do not fit into {target.nbytes}; copy to a larger buffer"
        )
    check_apart(Range(target.address, source.nbytes, None), [source], "copy")


def check_packed(parts: Sequence[Range], packed: Range) -> None:
    """Raise ValueError unless all parts fit into a packed buffer that is apart from them."""
    needed = sum(part.nbytes for part in parts)
    if needed > packed.nbytes:
        raise ValueError(
            f"{len(parts)} parts of {needed} bytes do not fit into a buffer of {packed.nbytes}"
        )
    check_apart(Range(packed.address, needed, None), parts, "a packed buffer")


def check_targets(parts: Sequence[Range]) -> None:
    """Raise ValueError where two ranges that are written overlap."""
    by_address = sorted((part for part in parts if part.nbytes), key=lambda part: part.address)
    for former, latter in pairwise(by_address):
        check_apart(former, [latter], "parts to unpack into")


def byte(value: object) -> int:
    """Return the value of a byte.  Raises ValueError for what is none."""
    if not 0 <= whole_number(value) <= 255:  # noqa: PLR2004 - a byte
        raise ValueError(f"{value!r} is no byte; give a number from 0 to 255")
    return whole_number(value)


def whole_number(value: object) -> int:
    """Return what can be an index, of whatever library, as an int; -1 for all else."""
    return index(value) if isinstance(value, SupportsIndex) else -1


def byte_count(nbytes: object) -> int:
    """Return a size of memory.  Raises ValueError for what is none."""
    return _size(nbytes, 0, "allocated")


def address_count(nbytes: object) -> int:
    """Return a size of addresses.  Raises ValueError for what is none."""
    return _size(nbytes, 1, "reserved")


def check_growth(nbytes: int, most: int) -> None:
    """Raise ValueError for more than a range of `most` bytes can become."""
    if nbytes > most:
        raise ValueError(f"a range of {most} bytes cannot grow to {nbytes}; reserve a larger one")


def stream_priority(priority: object) -> int:
    """Return a priority of streams, an int of C.  Raises ValueError for what is none."""
    if not isinstance(priority, SupportsIndex) or not -_INT <= index(priority) < _INT:
        raise ValueError(f"{priority!r} is no priority of a stream; give 0, or lower to go first")
    return index(priority)


def ipc_handle(handle: object) -> bytes:
    """Return what export_ipc has given.  Raises ValueError for what it gives never."""
    if not isinstance(handle, bytes):
        kind = type(handle).__name__
        raise ValueError(f"a {kind} is no IPC handle; give the bytes that export_ipc returned")  # noqa: TRY004
    return handle


def factor(scale: object) -> float:
    """Return what to scale by.  Raises ValueError for what is no number."""
    try:
        if isinstance(scale, SupportsFloat):
            return float(scale)
    except (ValueError, OverflowError):
        pass
    raise ValueError(f"{scale!r} is no number to scale by")


def check_host(found: Range, array: object) -> None:
    """Raise ValueError for what is not in memory of the host."""
    if found.kind != DLPACK_CPU:
        raise ValueError(f"{type(array).__name__} is not in memory of the host; give what is")


def elements(target: Range, element: object) -> int:
    """Return how many elements a range holds.  Raises ValueError for a remainder."""
    if not isinstance(element, Element):
        raise ValueError(f"{element!r} is no Element; give Element.FLOAT32 or another of them")  # noqa: TRY004
    count, rest = divmod(target.nbytes, element.nbytes)
    if rest:
        raise ValueError(
            f"{target.nbytes} bytes are no whole number of elements of {element.nbytes} bytes"
        )
    return count


def check_aligned(ranges: Sequence[Range], element: Element) -> None:
    """Raise ValueError where elements lie at addresses that a kernel cannot read them from."""
    for found in ranges:
        if found.address % element.nbytes:
            raise ValueError(
                f"elements of {element.nbytes} bytes start at {found.address:#x}, no multiple of"
                f" {element.nbytes}, which a GPU needs; copy them to a buffer of their own"
            )


def _size(nbytes: object, least: int, use: str) -> int:
    found = whole_number(nbytes)
    if found < least:
        raise ValueError(f"{nbytes!r} bytes cannot be {use}; a size from {least} is needed")
    return found
