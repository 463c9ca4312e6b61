"""What goes over the wire for a result, an exception and a death, and what callers make of it."""

from __future__ import annotations

import pickle
import sys

from runtime.actor.errors import (
    ActorError,
    CallCancelledError,
    DeadlockError,
    MeshFailure,
    RemoteError,
    SerializationError,
    SupervisionError,
)
from runtime.transport.pickling import PicklingError, dumps, loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from runtime.core import Message

_OURS = SerializationError, SupervisionError, DeadlockError, CallCancelledError
OK, ERROR, FAILED, DEADLOCK = range(4)
_UNKNOWN = "the process of the actor cannot be reached, and nobody has said how it ended"


def describe_error(error: BaseException) -> bytes:
    """Return an exception as bytes: its type and text, its traceback, and itself if it can be."""
    kind = type(error)
    name = kind.__qualname__
    if kind.__module__ not in ("builtins", "__main__"):
        name = f"{kind.__module__}.{name}"
    return pickle.dumps((name, _text(error), told(error)[1], _whole(error)), 5)


def told(error: BaseException) -> tuple[str, str]:
    """Return an exception in a line, and with its traceback and its causes."""
    import traceback  # costs a process a part of its start

    line = "".join(traceback.format_exception_only(error)).strip()
    return line, "".join(traceback.format_exception(error))


def print_exception(error: BaseException) -> None:
    """Print an exception that nobody waits for to this process's standard error."""
    sys.stderr.write(told(error)[1])


def _text(error: BaseException) -> str:
    try:
        return str(error)
    except Exception as second:  # noqa: BLE001 - a __str__ of the user's
        return f"(its text cannot be had: {second!r})"


def _whole(error: BaseException) -> bytes | None:
    """Pickle an exception if it comes back the same; many cannot, and stay a type and a text."""
    try:
        data, buffers = dumps((error,))
        again = loads(data, buffers)[0]
        same = type(again) is type(error) and str(again) == str(error)
    except Exception:  # noqa: BLE001 - pickling and rebuilding run the user's code
        return None
    return data if same and not buffers else None


def rebuilt_error(data: bytes) -> tuple[BaseException, str]:
    """Return the exception, or a RemoteError in its place, and the remote traceback."""
    name, text, formatted, whole = pickle.loads(data)  # noqa: S301 - of a proven peer
    if whole is not None:
        try:
            error = loads(whole)[0]
        except Exception:  # noqa: BLE001 - its class may not exist here
            error = None
        if isinstance(error, BaseException):
            return error, formatted
    return RemoteError(name, text), formatted


def failure_bytes(failure: MeshFailure) -> bytes:
    """Return a failure as bytes, without the mesh object, which is its viewer's."""
    return pickle.dumps(failure.of(None), 5)


def failure_from(data: bytes) -> MeshFailure:
    """Return the failure that was sent, or what is said when nobody knows more."""
    if not data:
        return MeshFailure(event_id="", kind="connection", cause=_UNKNOWN)
    failure = pickle.loads(data)  # noqa: S301 - of a proven peer
    assert isinstance(failure, MeshFailure)  # noqa: S101 - written by failure_bytes
    return failure


def value_of(message: Message) -> Any:  # noqa: ANN401 - the endpoint's result
    """Return the result in a reply."""
    return loads(message.data, message.buffers() if message.buffer_count else ())[0]


def problem_of(message: Message, endpoint: str) -> Exception:
    """Return the exception for a reply that is no result."""
    if message.status == ERROR:
        error, formatted = rebuilt_error(message.data)
        if isinstance(error, _OURS):
            return error
        text = (
            f"actor call {endpoint} failed: {formatted.rstrip().splitlines()[-1]}\n"
            f"the traceback of the actor:\n{formatted}"
        )
        return ActorError(error, text, formatted)
    if message.status == DEADLOCK:
        names = message.data.decode().split("\n")[:-1]
        return DeadlockError((*names, names[0]) if names else ())
    return SupervisionError(failure_from(message.data), endpoint)


def result_bytes(result: object, endpoint: str) -> tuple[int, bytes, list[Any]]:
    """Return the reply of a result: status, data and buffers."""
    try:
        data, buffers = dumps((result,))
    except PicklingError as error:
        refusal = SerializationError(f"the result of {endpoint}: {error}")
        return ERROR, describe_error(refusal), []
    return OK, data, buffers
