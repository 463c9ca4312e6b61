"""Python values to bytes and buffers, and back.

Buffers travel out of band (PEP 574): arrays, tensors and large `bytes` are not copied into the
pickle. What pickle can only name (functions and classes of `__main__`, lambdas, local classes)
goes by value, which cloudpickle does; it is imported when it is needed.
"""

from __future__ import annotations

import pickle
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any, NoReturn

# From here on `bytes` are worth a buffer of their own.
LARGE = 64 << 10
_DEEPEST = 16  # levels that are looked into for a message
_PATIENCE = 1.0  # seconds for finding what it is that cannot be pickled
_PLAIN = frozenset({type(None), bool, int, float, complex, str, bytes})


class PicklingError(TypeError):
    """A value cannot be pickled."""


class Kept:
    """Base of what never leaves its process; `why_kept` says why, and what to send instead."""

    why_kept = ""

    def __reduce__(self) -> NoReturn:
        raise TypeError(self.why_kept)


def dumps(value: tuple[Any, ...]) -> tuple[bytes, list[Any]]:
    """Return a tuple's pickle and its buffers; PicklingError says what cannot be pickled."""
    buffers: list[pickle.PickleBuffer] = []
    try:
        if _is_plain(value):
            return pickle.dumps(value, 5, buffer_callback=buffers.append), buffers
        return _pickled(value, buffers), buffers
    except Exception as error:
        # cloudpickle raises an error of its own from it.
        if isinstance(error, RecursionError) or isinstance(error.__cause__, RecursionError):
            raise PicklingError(
                "a value is nested too deeply to be pickled; send it flatter, for example as a list"
            ) from error
        raise PicklingError(f"{_culprit(value)} cannot be pickled: {_said(error)}") from error


def loads(data: bytes | memoryview, buffers: Iterable[Any] = ()) -> Any:  # noqa: ANN401 - whatever was sent
    """Return the value again. Only for data of a process that has proved who it is."""
    return pickle.loads(data, buffers=buffers)  # noqa: S301


def dump_call(
    args: tuple[Any, ...], kwargs: dict[str, Any], place: object, port: object
) -> tuple[bytes, list[Any]]:
    """Return the pickle of the parts of a call and its buffers, as `dumps` does.

    `place` is plain. Most calls have few small arguments, and this is on the way of each.
    """
    value = (args, kwargs, place, port)
    if not kwargs and port is None and _is_plain(args):
        return pickle.dumps(value, 5), []
    return dumps(value)


def _is_plain(value: tuple[Any, ...]) -> bool:
    """Tell whether pickle alone does it: small values of builtin types, also in tuples."""
    for part in value:
        kind = type(part)
        if kind in _PLAIN:
            if kind is bytes and len(part) >= LARGE:
                return False
        elif kind is tuple:
            if not _is_plain(part):
                return False
        elif kind is not dict or part:
            return False
    return True


def _pickled(value: object, buffers: list[pickle.PickleBuffer]) -> bytes:
    from runtime.transport.pickler import pickled

    return pickled(value, buffers.append)


def _culprit(value: object) -> str:
    """Name the innermost part of a value that cannot be pickled by itself."""
    try:
        return _innermost(value)
    except KeyboardInterrupt:
        raise
    except BaseException:  # noqa: BLE001 - looking at it runs the user's code
        return f"a value of type {type(value).__qualname__}"


def _innermost(value: object) -> str:
    path, end = "", time.monotonic() + _PATIENCE
    for _ in range(_DEEPEST):
        found = _first_bad(value, end)
        if found is None:
            break
        path, value = path + found[0], found[1]
    kind = type(value)
    where = f" (at {path})" if path else ""
    return f"a value of type {kind.__module__}.{kind.__qualname__}{where}"


def _first_bad(value: object, end: float) -> tuple[str, object] | None:
    """Return the first part that cannot be pickled, and the way to it; None when time is up."""
    for step, part in _parts(value):
        if type(part) in _PLAIN:
            continue
        if time.monotonic() > end:
            return None
        if not _can(part):
            return step, part
    return None


def _parts(value: Any) -> Iterable[tuple[str, object]]:  # noqa: ANN401
    kind = type(value)  # its `__class__` may be anything
    if issubclass(kind, Kept):
        return ()
    if issubclass(kind, list | tuple):
        return ((f"[{index}]", part) for index, part in enumerate(value))
    if issubclass(kind, dict):
        return ((f"[{key!r}]", part) for key, part in value.items())
    if hasattr(value, "__dict__"):
        return ((f".{key}", part) for key, part in vars(value).items())
    return ()


def _said(error: Exception) -> str:
    try:
        return str(error)
    except KeyboardInterrupt:
        raise
    except BaseException:  # noqa: BLE001 - a __str__ of the user's
        return type(error).__qualname__


def _can(value: object) -> bool:
    try:
        _pickled(value, [])
    except KeyboardInterrupt:
        raise
    except BaseException:  # noqa: BLE001 - whatever a __reduce__ raises
        return False
    return True


def loaded(module: str) -> Any:  # noqa: ANN401 - a module
    """Return a module that something else has imported, or None."""
    return sys.modules.get(module)
