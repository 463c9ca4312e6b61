"""The pickler for values that are not plain: some go by value, large ones out of band."""

from __future__ import annotations

import io
import linecache
import pickle
import types
from collections import ChainMap

import cloudpickle  # type: ignore[import-untyped]

from runtime.core import Memory, bytes_of
from runtime.transport.pickling import LARGE, loaded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, ClassVar


class Large:
    """Stands in a pickle for `bytes` or a `bytearray` that go out of band."""

    __slots__ = ("value",)

    def __init__(self, value: bytes | bytearray) -> None:
        self.value = value

    def __reduce__(self) -> tuple[Any, ...]:
        make = as_it_is if type(self.value) is bytes else bytearray
        return make, (pickle.PickleBuffer(self.value),)


class _Led:
    """A value with the large bytes in it, which its pickle begins with.

    Pickle sees bytes before it asks anybody how to reduce them. So stand-ins go first, and what
    then comes as one of those bytes is a reference to its stand-in: it keeps its identity.
    """

    def __init__(self, stands: tuple[Large, ...], value: object) -> None:
        self.stands = stands
        self.value = value


class _Stood:
    """Comes after the stand-ins; by then they are in the pickler's memo."""

    def __init__(self, stands: tuple[Large, ...]) -> None:
        self.stands = stands


def last(*parts: object) -> object:
    """Return the value of a `_Led`."""
    return parts[-1]


def nothing() -> None:
    """Be what a `_Stood` is to the receiver."""


def as_it_is(buffer: object) -> object:
    """Return a buffer that arrived as the `bytes` that was sent; in band it is none yet."""
    return buffer if type(buffer) is bytes else bytes(buffer)  # type: ignore[call-overload]


def as_memory(buffer: object) -> object:
    """Return memory that arrived; in band it is `bytes` or a `bytearray`."""
    return buffer


def _with_its_file(code: types.CodeType) -> tuple[Any, ...]:
    """Reduce code as cloudpickle does, which leaves out the file that tracebacks are to name."""
    make, parts = _CODE(code)
    lines = _lines_without_file(code.co_filename)
    return _code_from, (make, parts, code.co_filename, lines)


def _code_from(
    make: Callable[..., types.CodeType], parts: tuple[Any, ...], file: str, lines: str | None
) -> types.CodeType:
    if lines is not None:
        linecache.cache.setdefault(file, (len(lines), None, lines.splitlines(keepends=True), file))
    return make(*parts).replace(co_filename=file)


def _lines_without_file(file: str) -> str | None:
    """Return the source of what was typed into a notebook or a shell: it is in no file."""
    entry: tuple[Any, ...] | None = linecache.cache.get(file)
    if entry is None or len(entry) < _ENTRY or entry[1] is not None:
        return None
    return "".join(entry[2])


_CODE = cloudpickle.Pickler.dispatch_table[types.CodeType]
_LOOKED_AT = 4096  # parts of a value in which large bytes are looked for
_ENTRY = 4  # parts of an entry of linecache that has been read; the second is the file's time


class _Pickler(cloudpickle.Pickler):  # type: ignore[misc]
    memo: Any  # of pickle's; it can be read and replaced

    dispatch_table: ClassVar = ChainMap(
        {types.CodeType: _with_its_file}, cloudpickle.Pickler.dispatch_table
    )

    def reducer_override(self, obj: Any) -> Any:  # noqa: ANN401 - pickle's contract
        kind = type(obj)
        if kind is _Led:
            return last, (*obj.stands, _Stood(obj.stands), obj.value)
        if kind is _Stood:
            self._recognize({id(stand): stand.value for stand in obj.stands})
            return nothing, ()
        if kind is Memory:
            return as_memory, (pickle.PickleBuffer(obj),)
        torch = loaded("torch")
        if torch is not None and kind is torch.Tensor and _is_plain(torch, obj):
            return _reduced_tensor(obj)
        return super().reducer_override(obj)

    def _recognize(self, values: dict[int, object]) -> None:
        """Put values in the place of their stand-ins; the numbers in the memo stay as they are."""
        rows = self.memo.copy().values()
        self.memo = {
            key: (number, values.get(id(known), known)) for key, (number, known) in enumerate(rows)
        }


def pickled(value: object, callback: Callable[[pickle.PickleBuffer], object]) -> bytes:
    """Return the pickle of a value; large buffers go to the callback."""
    stands = tuple(map(Large, _large_in(value)))
    with io.BytesIO() as file:
        pickler = _Pickler(file, protocol=5, buffer_callback=callback)
        pickler.dump(_Led(stands, value) if stands else value)
        return file.getvalue()


def _large_in(value: Any) -> list[bytes | bytearray]:  # noqa: ANN401 - the user's
    """Return the large bytes in tuples, lists and dicts, as far as a quick look finds them.

    Others go in the pickle itself.
    """
    found: dict[int, bytes | bytearray] = {}
    seen: set[int] = set()
    left, budget = [value], _LOOKED_AT
    while left:
        part = left.pop()
        kind = type(part)
        if kind in (bytes, bytearray):
            if len(part) >= LARGE:
                found[id(part)] = part
        elif kind in (tuple, list, dict) and len(part) <= budget and id(part) not in seen:
            seen.add(id(part))
            budget -= len(part)
            left += list(part.values()) if kind is dict else part
    return list(found.values())


def _is_plain(torch: Any, tensor: Any) -> bool:  # noqa: ANN401 - torch is not imported here
    """Tell whether a tensor is no more than bytes with a type, a shape and strides."""
    return bool(
        tensor.device.type == "cpu"
        and tensor.layout == torch.strided
        and not tensor.requires_grad
        and not tensor.is_quantized
        and not tensor.is_conj()
        and not tensor.is_neg()
        and not vars(tensor)
    )


def _reduced_tensor(tensor: Any) -> tuple[Any, ...]:  # noqa: ANN401
    """Reduce a tensor to the memory that it spans; torch would send all that this is a view of."""
    shape = tuple(tensor.shape)
    strides = None if tensor.is_contiguous() else tensor.stride()
    size = tensor.nbytes
    if strides is not None:
        end = sum((count - 1) * stride for count, stride in zip(shape, strides, strict=True))
        size = (end + 1) * tensor.element_size()
    memory = pickle.PickleBuffer(bytes_of(tensor, tensor.data_ptr(), size))
    return _tensor_from, (memory, str(tensor.dtype)[6:], shape, strides)


def _tensor_from(
    buffer: Any,  # noqa: ANN401
    dtype: str,
    shape: tuple[int, ...],
    strides: tuple[int, ...] | None,
) -> object:
    import torch

    kind = getattr(torch, dtype)
    if not memoryview(buffer).nbytes:
        return torch.empty(shape, dtype=kind)
    if memoryview(buffer).readonly:
        buffer = bytearray(buffer)
    flat = torch.frombuffer(buffer, dtype=kind)
    return flat.reshape(shape) if strides is None else flat.as_strided(shape, strides)
