"""An exception on its way to whoever waits: its text, its traceback, itself and its causes."""

from __future__ import annotations

import pickle
import sys

from runtime.actor.errors import RemoteError
from runtime.transport.pickling import dumps, loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType

    #: Type, text, the exception's own pickle if it has one, and how it led to the one before it.
    Part = tuple[str, str, bytes | None, str]

_CAUSE, _CONTEXT, _FIRST = "cause", "context", ""
_LONGEST = 32  # exceptions of a chain that travel


def describe_error(error: BaseException) -> bytes:
    """Return an exception as bytes: its traceback, and for it and each cause what can be had."""
    parts: list[Part] = []
    link, seen = _FIRST, set[int]()
    one: BaseException | None = error
    while one is not None and id(one) not in seen and len(parts) < _LONGEST:
        seen.add(id(one))
        parts.append((_name(one), _text(one), _whole(one), link))
        if one.__cause__ is not None:
            link, one = _CAUSE, one.__cause__
        elif one.__context__ is not None and not one.__suppress_context__:
            link, one = _CONTEXT, one.__context__
        else:
            break
    return pickle.dumps((told(error)[1], parts), 5)


def rebuilt_error(data: bytes) -> tuple[BaseException, str]:
    """Return the exception with its causes, and the remote traceback.

    In place of one that cannot be rebuilt here stands a RemoteError.
    """
    formatted, parts = pickle.loads(data)  # noqa: S301 - of a proven peer
    chain = [_rebuilt(*part[:3]) for part in parts]
    for outer, inner, part in zip(chain, chain[1:], parts[1:], strict=False):
        if part[3] == _CAUSE:
            outer.__cause__ = inner
        else:
            outer.__context__ = inner
    return chain[0], formatted


def told(error: BaseException) -> tuple[str, str]:
    """Return an exception in a line, and with its traceback and its causes."""
    import traceback  # costs a process a part of its start

    line = "".join(traceback.format_exception_only(error)).strip()
    trace = _of_the_user(error.__traceback__)
    return line, "".join(traceback.format_exception(type(error), error, trace))


def print_exception(error: BaseException) -> None:
    """Print an exception that nobody waits for to this process's standard error."""
    sys.stderr.write(told(error)[1])


def _of_the_user(trace: TracebackType | None) -> TracebackType | None:
    """Leave out the frames by which the runtime has come to the user's code."""
    here = trace
    while here is not None and here.tb_frame.f_globals.get("__package__") == __package__:
        here = here.tb_next
    return here if here is not None else trace


def _name(error: BaseException) -> str:
    kind = type(error)
    if kind.__module__ in ("builtins", "__main__"):
        return kind.__qualname__
    return f"{kind.__module__}.{kind.__qualname__}"


def _text(error: BaseException) -> str:
    try:
        return str(error)
    except BaseException as second:  # noqa: BLE001 - a __str__ of the user's
        return f"(its text cannot be had: {type(second).__name__})"


def _whole(error: BaseException) -> bytes | None:
    """Pickle an exception if it comes back the same; many cannot, and stay a type and a text."""
    try:
        data, buffers = dumps((error,))
        again = loads(data, buffers)[0]
        same = type(again) is type(error) and str(again) == str(error)
    except BaseException:  # noqa: BLE001 - pickling and rebuilding run the user's code
        return None
    return data if same and not buffers else None


def _rebuilt(name: str, text: str, whole: bytes | None) -> BaseException:
    if whole is not None:
        try:
            error = loads(whole)[0]
        except Exception:  # noqa: BLE001 - its class may not exist here
            error = None
        if isinstance(error, BaseException):
            return error
    return RemoteError(name, text)
