"""Arrays as ranges of memory: where they are, how large, and on which kind of device."""

from dataclasses import dataclass
from typing import Any

from runtime.core import range_of

# DLPack's numbers of device kinds (dlpack.h, DLDeviceType).
DLPACK_CPU = 1
DLPACK_CUDA = 2
DLPACK_CUDA_HOST = 3
DLPACK_ROCM = 10
DLPACK_ROCM_HOST = 11


@dataclass(frozen=True)
class Range:
    """`nbytes` of memory from `address`; `kind` is DLPack's, None where nothing says it."""

    address: int
    nbytes: int
    kind: int | None


def as_range(array: object) -> Range:
    """Return where an array's bytes are.  Raises ValueError and TypeError for what is no range."""
    interface = getattr(array, "__cuda_array_interface__", None)
    if interface is not None:
        return _from_interface(interface)
    address, nbytes, kind, _ = range_of(array)
    return Range(address, nbytes, kind)


def _from_interface(fields: dict[str, Any]) -> Range:
    """Read the fields that Numba's "CUDA Array Interface (Version 3)" defines."""
    itemsize = int(fields["typestr"][2:])
    shape = fields["shape"]
    nbytes = itemsize
    for length in shape:
        nbytes *= length
    strides = fields.get("strides")
    if strides is not None and nbytes:
        expected = itemsize
        for length, stride in zip(reversed(shape), reversed(strides), strict=True):
            if length != 1 and stride != expected:
                raise ValueError("the array is not contiguous in C order; make it so first")
            expected *= length
    return Range(fields["data"][0], nbytes, None)


def check_same_size(target: Range, source: Range, what: str) -> None:
    """Raise ValueError unless two ranges have the same size."""
    if target.nbytes != source.nbytes:
        raise ValueError(
            f"{what}: the target has {target.nbytes} bytes and a source {source.nbytes}; they have"
            " to be equal"
        )


def check_packed(parts: list[Range], packed: Range) -> None:
    """Raise ValueError unless all parts fit into a packed buffer."""
    needed = sum(part.nbytes for part in parts)
    if needed > packed.nbytes:
        raise ValueError(
            f"{len(parts)} parts of {needed} bytes do not fit into a buffer of {packed.nbytes}"
        )


def elements(target: Range, nbytes: int) -> int:
    """Return how many elements of `nbytes` a range holds.  Raises ValueError for a remainder."""
    count, rest = divmod(target.nbytes, nbytes)
    if rest:
        raise ValueError(f"{target.nbytes} bytes are no whole number of elements of {nbytes} bytes")
    return count
