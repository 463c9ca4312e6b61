"""Messages on their way out: arguments become bytes, and go to the actors of a mesh."""

from __future__ import annotations

import os

from runtime import config, core
from runtime.actor import _context
from runtime.actor.errors import (
    MailboxFullError,
    MeshFailure,
    MessageTooLargeError,
    SerializationError,
    SupervisionError,
)
from runtime.actor.local import local
from runtime.actor.replies import failure_from
from runtime.telemetry import state
from runtime.transport.pickling import PicklingError, dump_call, dumps, loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from runtime.actor.shapes.shape import Extent
    from runtime.core import Message

#: The mailbox of every process, which its agent serves.
AGENT = 0


class Recipients:
    """The actors that a message goes to, in the order of their mesh."""

    __slots__ = ("actors", "count", "name", "nodes", "place", "shape", "targets")

    def __init__(
        self, name: str, nodes: Sequence[int], actors: Sequence[int], shape: Extent
    ) -> None:
        self.name = name
        self.nodes = nodes
        self.actors = actors
        self.shape = shape
        self.count = len(nodes)
        self.targets = core.make_targets(nodes, actors)
        labels = tuple(shape.labels)
        # The slice that the message is sent to, as each actor sees it.
        self.place = (labels, tuple(shape.sizes)) if labels else None

    def only(self, index: int) -> Recipients:
        """Return one of them."""
        from runtime.actor.shapes.shape import Extent

        name = self.name
        return Recipients(name, [self.nodes[index]], [self.actors[index]], Extent((), ()))


def agents(nodes: Sequence[int]) -> core.Targets:
    """Return the agents of processes as targets; each gets its place in the order as index."""
    return core.make_targets(list(nodes), [AGENT] * len(nodes))


def ask(  # noqa: PLR0913, PLR0917 - what a question is
    node: core.Node,
    nodes: Sequence[int],
    method: str,
    data: bytes = b"",
    buffers: Sequence[Any] = (),
    patience: float | None = None,
) -> core.Call:
    """Ask the agents of processes; waits up to `patience`, or `send_timeout`, for room."""
    timeout = config.get("send_timeout") if patience is None else patience
    return core.call(node, agents(nodes), AGENT, method, (), data, list(buffers), timeout, "")


def tell(  # noqa: PLR0913, PLR0917 - what a message is
    node: core.Node,
    nodes: Sequence[int],
    method: str,
    data: bytes = b"",
    buffers: Sequence[Any] = (),
    patience: float = 0.0,
) -> None:
    """Tell the agents of processes something that they do not answer."""
    node.cast(agents(nodes), AGENT, method, (), data, list(buffers), patience)


def call(to: Recipients, method: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> core.Call:
    """Send a message that is answered. Blocks while a mailbox is full."""
    context = _context.context()
    me = context.actor_instance
    data, buffers = _pickled(method, args, kwargs, to, None)
    timeout = config.get("send_timeout")
    try:
        return core.call(
            local().node,
            to.targets,
            me.actor,
            method,
            context.chain,
            data,
            buffers,
            timeout,
            me.path if me.mailbox is not None else "",
        )
    except core.FullError as error:
        raise refusal(error, timeout) from None


def cast(
    to: Recipients,
    method: str,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    port: object = None,
) -> None:
    """Send a message that is not answered, or to a port. Blocks while a mailbox is full.

    SupervisionError when an actor is known to be dead, unless the sender takes messages back.
    """
    context = _context.context()
    me = context.actor_instance
    node = local().node
    for target in to.nodes if me.returns is None else ():
        obituary = node.obituary_of(target)
        if obituary is not None:
            raise SupervisionError(failure_from(obituary), f"{to.name}.{method}")
    data, buffers = _pickled(method, args, kwargs, to, port)
    timeout = config.get("send_timeout")
    try:
        node.cast(to.targets, me.actor, method, context.chain, data, buffers, timeout)
    except core.FullError as error:
        raise refusal(error, timeout) from None
    if me.returns is not None:
        me.returns.sent(to, method)


def put(
    to: Recipients, method: str, data: bytes, buffers: list[Any], *, returned: bool = True
) -> None:
    """Send bytes to a mailbox that is no actor's. Blocks while it is full.

    What is `returned` goes back to a sender that wants to know when it does not arrive.
    """
    timeout = config.get("send_timeout")
    me = _context.context().actor_instance
    try:
        local().node.cast(to.targets, me.actor, method, (), data, buffers, timeout)
    except core.FullError as error:
        raise refusal(error, timeout) from None
    if returned and me.returns is not None:
        me.returns.sent(to, "")


def cancel(to: Recipients, request: int) -> None:
    """Ask the processes of a call to give it up."""
    data, _ = dumps((request, tuple(to.actors)))
    tell(local().node, to.nodes, "cancel", data)


def result_of(message: Message, endpoint: str) -> Any:  # noqa: ANN401 - the endpoint's result
    """Return the result in a reply; SupervisionError when its sender died while it wrote it."""
    try:
        buffers = message.buffers() if message.buffer_count else ()
    except core.SenderDiedError as error:
        # Without an obituary it lives again already.
        obituary = local().node.obituary_of(message.source_node)
        failure = failure_from(obituary) if obituary is not None else _died_writing(error)
        raise SupervisionError(failure, endpoint) from None
    return loads(message.data, buffers)[0]


def _died_writing(error: Exception) -> MeshFailure:
    return MeshFailure(
        event_id=os.urandom(16).hex(), kind="exit", cause=f"{error}; it was restarted"
    )


def _pickled(
    method: str, args: tuple[Any, ...], kwargs: dict[str, Any], to: Recipients, port: object
) -> tuple[bytes, list[Any]]:
    try:
        data, buffers = dump_call(args, kwargs, to.place, port)
    except PicklingError as error:
        raise SerializationError(f"the arguments of {method}: {error}") from error
    size = len(data)
    if buffers:
        size += sum(memoryview(buffer).nbytes for buffer in buffers)
    if state.on:
        state.sent(size, to.count)
    limit = config.get("max_frame")
    if size > limit:
        raise MessageTooLargeError(size, limit)
    return data, buffers


def refusal(error: core.FullError, timeout: float) -> Exception:
    """Return what a sender is told that has found no room for so many seconds."""
    if "mailbox" in str(error):
        held = local().settings
        return MailboxFullError(held["mailbox_capacity"], timeout, held["mailbox_bytes"])
    limit = local().settings["shared_memory_limit"]
    return RuntimeError(
        f"{limit} bytes of shared memory have been in use for {timeout:g} s; wait for the "
        "receivers, or raise shared_memory_limit (runtime.config)"
    )
