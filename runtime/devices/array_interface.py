"""What `__cuda_array_interface__` says, as Numba's "CUDA Array Interface (Version 3)" has it."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

_ADDRESSES = 1 << 64
# Byte order, kind, bytes of an element.  Objects are no bytes, and bits are not counted in them.
_TYPE = re.compile(r"[<>|=][biufcmMSUV](\d{1,9})(\[.*)?")


def read_interface(fields: object) -> tuple[int, int, bool]:
    """Return address, bytes, and whether they are read-only.

    Raises ValueError for fields of another shape, and an array that is not contiguous in C order.
    """
    shape, itemsize, address, is_read_only = _checked(fields)
    nbytes = itemsize
    for length in shape:
        nbytes *= length
    if address + nbytes > _ADDRESSES:
        raise ValueError(f"{nbytes} bytes from {address:#x} on are more than there are addresses")
    strides = fields.get("strides") if isinstance(fields, Mapping) else None
    if strides is not None and nbytes:
        _check_strides(shape, strides, itemsize)
    return address, nbytes, is_read_only


def _checked(fields: object) -> tuple[tuple[int, ...], int, int, bool]:
    """Return shape, bytes of an element, address and whether it is read-only."""
    if not isinstance(fields, Mapping):
        raise ValueError(f"its __cuda_array_interface__ is {fields!r}, no dict")  # noqa: TRY004
    if fields.get("mask") is not None:
        raise ValueError("it has a mask, which bytes have not; give it without")
    for name, is_fitting in _FIELDS.items():
        if not is_fitting(fields.get(name)):
            raise ValueError(f"its __cuda_array_interface__ has {name}={fields.get(name)!r}")
    address, is_read_only = fields["data"]
    match = _TYPE.fullmatch(fields["typestr"])
    return tuple(fields["shape"]), int(match[1]) if match else 0, address, is_read_only


def _are_lengths(value: object) -> bool:
    return isinstance(value, tuple | list) and all(type(n) is int and n >= 0 for n in value)


def _is_type(value: object) -> bool:
    return isinstance(value, str) and _TYPE.fullmatch(value) is not None


def _is_data(value: object) -> bool:
    if not isinstance(value, tuple | list) or len(value) != 2:  # noqa: PLR2004 - address and flag
        return False
    return type(value[0]) is int and 0 <= value[0] < _ADDRESSES


_FIELDS = {"shape": _are_lengths, "typestr": _is_type, "data": _is_data}


def _check_strides(shape: Sequence[int], strides: Any, itemsize: int) -> None:  # noqa: ANN401
    expected: list[int] = []
    step = itemsize
    for length in reversed(shape):
        expected.insert(0, step)
        step *= length
    is_contiguous = isinstance(strides, tuple | list) and len(strides) == len(shape)
    if is_contiguous:
        rows = zip(shape, strides, expected, strict=True)
        is_contiguous = all(length == 1 or stride == want for length, stride, want in rows)
    if not is_contiguous:
        raise ValueError("the array is not contiguous in C order; make it so first")
