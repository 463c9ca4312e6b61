"""An exception on its way to whoever waits: its text, its traceback, itself and its causes."""

from __future__ import annotations

import pickle
import sys
from contextlib import suppress

from runtime.actor.errors import RemoteError
from runtime.transport.pickling import dumps, loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType

    #: Type, text, the exception's own pickle if it has one, and how it led to the one before it.
    Part = tuple[str, str, bytes | None, str]
    #: Rank and point of an actor in the mesh that was spawned.
    Place = tuple[int, dict[str, int]]

_CAUSE, _CONTEXT, _FIRST = "cause", "context", ""
_LONGEST = 32  # exceptions of a chain that travel
# The slots themselves: a class of the user's may have attributes of these names.
_CAUSE_OF, _CONTEXT_OF, _SUPPRESSES = (
    BaseException.__dict__[name] for name in ("__cause__", "__context__", "__suppress_context__")
)


def describe_error(error: BaseException, place: Place | None = None) -> bytes:
    """Return an exception as bytes: its traceback, and for it and each cause what can be had.

    `place` is the actor's that has raised it.
    """
    parts: list[Part] = []
    link, seen = _FIRST, set[int]()
    one: BaseException | None = error
    while one is not None and id(one) not in seen and len(parts) < _LONGEST:
        seen.add(id(one))
        parts.append((_name(one), _text(one), _whole(one), link))
        link, one = _before(one)
    return pickle.dumps((told(error)[1], parts, place), 5)


def rebuilt_error(data: bytes) -> tuple[BaseException, str, Place | None]:
    """Return the exception with its causes, the remote traceback, and where it was raised.

    In place of one that cannot be rebuilt here stands a RemoteError.
    """
    formatted, parts, place = pickle.loads(data)  # noqa: S301 - of a proven peer
    chain = [_rebuilt(*part[:3]) for part in parts]
    for outer, inner, part in zip(chain, chain[1:], parts[1:], strict=False):
        slot = _CAUSE_OF if part[3] == _CAUSE else _CONTEXT_OF
        slot.__set__(outer, inner)
    return chain[0], formatted, place


def described(data: bytes) -> tuple[str, str, Place | None]:
    """Return the type of a described exception, its traceback and its place; builds nothing."""
    formatted, parts, place = pickle.loads(data)  # noqa: S301 - of a proven peer
    return parts[0][0], formatted, place


def told(error: BaseException) -> tuple[str, str]:
    """Return an exception in a line, and with its traceback and its causes."""
    import traceback  # costs a process a part of its start

    trace = _of_the_user(BaseException.__dict__["__traceback__"].__get__(error))
    try:
        line = "".join(traceback.format_exception_only(error)).strip()
        return line, "".join(traceback.format_exception(type(error), error, trace))
    except BaseException:  # noqa: BLE001 - that runs the user's code: notes, attributes, texts
        line = f"{_name(error)}: {_text(error)}"
        return line, "".join([*traceback.format_tb(trace), line, "\n"])


def print_exception(error: BaseException) -> None:
    """Print an exception that nobody waits for to this process's standard error."""
    say(told(error)[1])


def say(text: str) -> None:
    """Write to standard error, if the program has left one that can be written to."""
    with suppress(OSError, ValueError, AttributeError):
        sys.stderr.write(text)
        sys.stderr.flush()


def _of_the_user(trace: TracebackType | None) -> TracebackType | None:
    """Leave out the frames by which the runtime has come to the user's code."""
    here = trace
    while here is not None and here.tb_frame.f_globals.get("__package__") == __package__:
        here = here.tb_next
    return here if here is not None else trace


def _before(error: BaseException) -> tuple[str, BaseException | None]:
    """Return the exception that one follows from, and how. Whatever its class makes of these."""
    cause, context = _CAUSE_OF.__get__(error), _CONTEXT_OF.__get__(error)
    if cause is not None:
        return _CAUSE, cause
    if context is not None and not _SUPPRESSES.__get__(error):
        return _CONTEXT, context
    return _FIRST, None


def _name(error: BaseException) -> str:
    kind = type(error)
    try:
        module, name = str(kind.__module__), str(kind.__qualname__)
    except BaseException:  # noqa: BLE001 - of a metaclass of the user's
        return "an exception"
    return name if module in ("builtins", "__main__") else f"{module}.{name}"


def _text(error: BaseException) -> str:
    try:
        return str.__str__(str(error))[:]
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
        except (SystemExit, GeneratorExit):  # its class ends who rebuilds it
            error = None
        if issubclass(type(error), BaseException):
            return error  # type: ignore[no-any-return]
    return RemoteError(name, text)
