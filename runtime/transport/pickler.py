"""The pickler for values that are not plain: some go by value, large ones out of band."""

from __future__ import annotations

import io
import linecache
import pickle
import types
from collections import ChainMap

import cloudpickle  # type: ignore[import-untyped]

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


def as_it_is(buffer: object) -> object:
    """Return a buffer that arrived as the `bytes` that was sent; in band it is none yet."""
    return buffer if type(buffer) is bytes else bytes(buffer)  # type: ignore[call-overload]


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
_ENTRY = 4  # parts of an entry of linecache that has been read; the second is the file's time


class _Pickler(cloudpickle.Pickler):  # type: ignore[misc]
    dispatch_table: ClassVar = ChainMap(
        {types.CodeType: _with_its_file}, cloudpickle.Pickler.dispatch_table
    )

    def reducer_override(self, obj: Any) -> Any:  # noqa: ANN401 - pickle's contract
        torch = loaded("torch")
        if torch is not None and type(obj) is torch.Tensor and _is_flat(torch, obj):
            return _tensor_from, (_bytes_of(obj), str(obj.dtype)[6:], tuple(obj.shape))
        return super().reducer_override(obj)


def pickled(value: object, callback: Callable[[pickle.PickleBuffer], object]) -> bytes:
    """Return the pickle of a value; large buffers go to the callback."""
    with io.BytesIO() as file:
        _Pickler(file, protocol=5, buffer_callback=callback).dump(_wrapped(value))
        return file.getvalue()


def _wrapped(value: object) -> object:
    """Put large bytes that stand in tuples and dicts under `Large`."""
    kind = type(value)
    if kind in (bytes, bytearray) and len(value) >= LARGE:  # type: ignore[arg-type]
        return Large(value)  # type: ignore[arg-type]
    if kind is tuple:
        return tuple(map(_wrapped, value))  # type: ignore[call-overload]
    if kind is dict:
        return {key: _wrapped(part) for key, part in value.items()}  # type: ignore[attr-defined]
    return value


def _is_flat(torch: Any, tensor: Any) -> bool:  # noqa: ANN401 - torch is not imported here
    """Tell whether a tensor is no more than bytes with a type and a shape."""
    return bool(
        tensor.device.type == "cpu"
        and tensor.layout == torch.strided
        and tensor.is_contiguous()
        and not tensor.requires_grad
        and not tensor.is_quantized
        and not tensor.is_conj()
        and not tensor.is_neg()
        and not vars(tensor)
        and tensor.untyped_storage().nbytes() == tensor.nbytes
    )


def _bytes_of(tensor: Any) -> pickle.PickleBuffer:  # noqa: ANN401
    from runtime.core import bytes_of

    return pickle.PickleBuffer(bytes_of(tensor, tensor.data_ptr(), tensor.nbytes))


def _tensor_from(buffer: Any, dtype: str, shape: tuple[int, ...]) -> object:  # noqa: ANN401
    import torch

    kind = getattr(torch, dtype)
    if not memoryview(buffer).nbytes:
        return torch.empty(shape, dtype=kind)
    if memoryview(buffer).readonly:
        buffer = bytearray(buffer)
    return torch.frombuffer(buffer, dtype=kind).reshape(shape)
