"""What goes over the wire for a result and a death, and what callers make of replies."""

from __future__ import annotations

import pickle

from runtime.actor.errors import (
    ActorError,
    CallCancelledError,
    DeadlockError,
    MeshFailure,
    SerializationError,
    SupervisionError,
    placed,
)
from runtime.actor.raised import describe_error, described, rebuilt_error
from runtime.transport.pickling import PicklingError, dumps, loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from runtime import core
    from runtime.core import Message

_OURS = SerializationError, DeadlockError, CallCancelledError
OK, ERROR, FAILED, DEADLOCK = range(4)
_UNKNOWN = "the process of the actor cannot be reached, and how it ended is not known here"


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
        error, formatted, place = rebuilt_error(message.data)
        if issubclass(type(error), _OURS) and isinstance(error, _OURS):
            return error
        rank, point = place or (None, {})
        text = (
            f"actor call {_at(endpoint, point)} failed: {formatted.rstrip().splitlines()[-1]}\n"
            f"the traceback of the actor:\n{formatted}"
        )
        return ActorError(error, text, formatted, endpoint=endpoint, rank=rank, point=point)
    if message.status == DEADLOCK:
        names = message.data.decode().split("\n")[:-1]
        return DeadlockError((*names, names[0]) if names else ())
    return SupervisionError(failure_from(message.data), endpoint)


def unseen(message: Message, endpoint: str) -> str:
    """Return in a line what a call has raised whose future nobody has looked at.

    A death is its owner's to know, and a call that was given up has its reason: "".
    """
    if message.status == DEADLOCK:
        at, text = endpoint, str(problem_of(message, endpoint))
    elif message.status == ERROR:
        kind, formatted, place = described(message.data)
        if kind == f"{CallCancelledError.__module__}.{CallCancelledError.__qualname__}":
            return ""
        at = _at(endpoint, place[1] if place else {})
        text = _last_line(formatted, kind)
    else:
        return ""
    return f"actor call {at} failed, and nobody has looked at its future: {text}"


def _last_line(formatted: str, kind: str) -> str:
    """Return the first line of what the exception said, below its traceback."""
    lines = formatted.rstrip().splitlines()
    return next((line for line in reversed(lines) if line.startswith(kind)), lines[-1])


def _at(endpoint: str, point: dict[str, int]) -> str:
    """Return the name of an endpoint with the place of the actor."""
    mesh, dot, method = endpoint.rpartition(".")
    return f"{mesh}{placed(point)}{dot}{method}"


def answer(node: core.Node, message: Message, value: object = None) -> None:
    """Answer a message with a value."""
    reply(node, message, OK, *dumps((value,)))


def reply(
    node: core.Node, message: Message, status: int, data: bytes, buffers: Sequence[Any] = ()
) -> None:
    """Send a reply to whoever waits for it."""
    to, request, index = message.source_node, message.request, message.index
    node.reply(to, request, index, status, data, list(buffers))


def result_bytes(result: object, what: object) -> tuple[int, bytes, list[Any]]:
    """Return the reply of a result: status, data and buffers. The text of `what` names it."""
    try:
        data, buffers = dumps((result,))
    except PicklingError as error:
        refusal = SerializationError(f"{what}: {error}")
        return ERROR, describe_error(refusal), []
    return OK, data, buffers
