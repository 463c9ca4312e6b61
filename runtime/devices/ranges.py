"""Arrays as ranges of memory: where they are, how large, and on which kind of device."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from runtime.core import range_of_buffer, range_of_dlpack
from runtime.devices.array_interface import read_interface

# DLPack's numbers of device kinds (dlpack.h, DLDeviceType).
DLPACK_CPU = 1
DLPACK_CUDA = 2
DLPACK_CUDA_HOST = 3
DLPACK_ROCM = 10
DLPACK_ROCM_HOST = 11
DLPACK_CUDA_MANAGED = 13


@dataclass(frozen=True)
class Range:
    """`nbytes` of memory from `address`; `kind` is DLPack's, None where nothing says it.

    `owner` keeps the memory where it is; a `bytearray` cannot be resized while it lives.
    """

    address: int
    nbytes: int
    kind: int | None
    owner: object = field(default=None, repr=False, compare=False)

    @property
    def end(self) -> int:
        """The first address behind it."""
        return self.address + self.nbytes


def as_range(array: object, *, is_target: bool = False) -> Range:
    """Return where an array's bytes are.

    `is_target`: they will be written.  Raises ValueError for an array that is no range or that is
    read-only, TypeError for what is no array.
    """
    try:
        return _placed(_as_range(array, is_target=is_target))
    except (BufferError, RuntimeError, ValueError) as error:
        # What the array's own library says of it.
        name = type(array).__name__
        raise ValueError(f"{name} is no memory that can be {_used(is_target)}: {error}") from error


def segments(ranges: Sequence[Range]) -> list[tuple[int, int, int]]:
    """Return (address, offset, size) of parts that lie one behind the other in a buffer."""
    rows = []
    offset = 0
    for part in ranges:
        rows.append((part.address, offset, part.nbytes))
        offset += part.nbytes
    return rows


def _as_range(array: object, *, is_target: bool) -> Range:
    fields = getattr(array, "__cuda_array_interface__", None)
    if fields is not None:
        address, nbytes, is_read_only = read_interface(fields)
        if is_target and is_read_only:
            raise ValueError("the array is read-only; give one that can be written")
        return Range(address, nbytes, _kind_of(array))
    if isinstance(array, type) or array is None:
        raise TypeError(f"{array!r} is no array")
    export = getattr(array, "__dlpack__", None)
    if export is None:
        try:
            return Range(*range_of_buffer(array, is_target))
        except TypeError as error:
            raise TypeError(
                f"{type(array).__name__} is no array: it has neither DLPack, the buffer protocol"
                " nor __cuda_array_interface__"
            ) from error
    try:
        capsule = export(max_version=(1, 0))
    except TypeError:  # it is older than versions
        capsule = export()
    if type(capsule).__name__ != "PyCapsule":
        raise ValueError(f"its __dlpack__ gave {capsule!r}, no capsule")
    return Range(*range_of_dlpack(capsule, is_target))


def _placed(found: Range) -> Range:
    if found.nbytes and not found.address:
        raise ValueError(f"{found.nbytes} bytes at address 0 are nowhere")
    return found


def _kind_of(array: object) -> int | None:
    ask = getattr(array, "__dlpack_device__", None)
    if ask is None:
        return None
    said = ask()
    if not isinstance(said, tuple) or len(said) != 2:  # noqa: PLR2004 - kind and number
        raise ValueError(f"its __dlpack_device__ gave {said!r}, no kind and number")
    return int(said[0])


def _used(is_target: bool) -> str:  # noqa: FBT001 - the one thing that it says
    return "written" if is_target else "read"
