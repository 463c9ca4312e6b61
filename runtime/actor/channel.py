"""Channels: explicit messages to whoever has the receiving end."""

from __future__ import annotations

from runtime import core
from runtime.actor import _context
from runtime.actor.future import Future
from runtime.actor.generic import Generic
from runtime.actor.local import local, new_actor_id
from runtime.actor.raised import describe_error, rebuilt_error
from runtime.actor.replies import ERROR, result_bytes
from runtime.actor.shape import Extent
from runtime.transport.pickling import loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    R = TypeVar("R")
else:
    R = object


class Port(Generic[R]):
    """The sending end of a channel; can be passed to other actors.

    Messages of one sender arrive in their order. `return_undeliverable` is kept for programs that
    set it: a message to a port whose process is dead is dropped.
    """

    def __init__(self, node: int, mailbox: int, rank: int | None = None) -> None:
        self._node = node
        self._mailbox = mailbox
        self._rank = rank
        self.return_undeliverable = True

    def send(self, value: R) -> None:
        """Send a value; does not wait for anybody to take it, only for room in the mailbox."""
        status, data, buffers = result_bytes(value, "a port")
        if status == ERROR:
            raise rebuilt_error(data)[0]
        self._cast("value", data, buffers)

    def exception(self, error: BaseException) -> None:
        """Send an exception, which is raised where the value is waited for."""
        self._cast("exception", describe_error(error), [])

    def with_rank(self, rank: int) -> Port[R]:
        """Return the same port for one of several senders, which ranked receivers tell apart."""
        return Port(self._node, self._mailbox, rank)

    def _cast(self, kind: str, data: bytes, buffers: list[Any]) -> None:
        from runtime.actor.sending import Recipients, put

        to = Recipients("port", [self._node], [self._mailbox], Extent((), ()))
        rank = self._rank
        if rank is None:
            rank = _context.context().message_rank.rank
        put(to, f"{kind}:{rank}", data, buffers)

    def __reduce__(self) -> tuple[Any, ...]:
        return Port, (self._node, self._mailbox, self._rank)


class ReplyPort(Port[R]):
    """The port of an endpoint with an explicit response port: sends replies of one call."""

    def __init__(self, caller: int, request: int, index: int) -> None:
        super().__init__(caller, 0, index)
        self._request = request
        self._index = index

    def send(self, value: R) -> None:
        """Reply with a value; of several replies to `call_one` the first counts."""
        status, data, buffers = result_bytes(value, "an endpoint")
        self._reply(status, data, buffers)

    def exception(self, error: BaseException) -> None:
        """Reply with an exception."""
        self._reply(ERROR, describe_error(error), [])

    def _reply(self, status: int, data: bytes, buffers: list[Any]) -> None:
        if self._request:
            local().node.reply(self._node, self._request, self._index, status, data, buffers)

    def __reduce__(self) -> tuple[Any, ...]:
        return ReplyPort, (self._node, self._request, self._index)


class _Receipt:
    """The next message of a mailbox, as a future sees it."""

    def __init__(self, mailbox: core.Mailbox) -> None:
        self._mailbox = mailbox
        self.message: core.Message | None = None
        self.id = 0

    @property
    def settled(self) -> bool:
        if self.message is None:
            self.message = self._mailbox.take()
        return self.message is not None

    def wait(self, timeout: float | None) -> bool:
        if self.message is None:
            self.message = self._mailbox.receive(timeout)
        return self.message is not None

    def notify(self, notifier: core.Notifier, token: int) -> None:
        self._mailbox.notify(notifier, token)


class PortReceiver(Generic[R]):
    """The receiving end of a channel; it stays in the process that opened it."""

    def __init__(self, mailbox: core.Mailbox) -> None:
        self._mailbox = mailbox

    def recv(self) -> Future[R]:
        """Return a future of the next message that nobody has taken."""
        return self._future(lambda _rank, value: value)

    def ranked(self) -> RankedPortReceiver[R]:
        """Return a receiver of (rank, value): the rank of the sender in its slice."""
        return RankedPortReceiver(self._mailbox)

    def _future(self, make: Callable[[int, Any], Any]) -> Future[Any]:
        receipt = _Receipt(self._mailbox)

        def settle(_: object) -> Any:  # noqa: ANN401 - whatever was sent
            message = receipt.message
            assert message is not None  # noqa: S101 - settled
            kind, _, rank = message.method.partition(":")
            if kind == "exception":
                raise rebuilt_error(message.data)[0]
            value = loads(message.data, message.buffers() if message.buffer_count else ())[0]
            return make(int(rank), value)

        return Future(receipt, settle, lambda: None)


class RankedPortReceiver(PortReceiver[R]):
    """A receiver that tells which rank has sent."""

    def recv(self) -> Future[Any]:
        """Return a future of (rank, value) of the next message."""
        return self._future(lambda rank, value: (rank, value))


class Channel(Generic[R]):
    """Two ends of a way for messages."""

    @staticmethod
    def open(once: bool = False) -> tuple[Port[Any], PortReceiver[Any]]:  # noqa: FBT001, FBT002 - Monarch's
        """Return a port and its receiver; `once` says that one message will come."""
        node = local().node
        actor = new_actor_id()
        del once  # a mailbox costs the same for one message
        return Port(node.id, actor), PortReceiver(core.open_mailbox(node, actor))

    @staticmethod
    def open_ranked(once: bool = False) -> tuple[Port[Any], RankedPortReceiver[Any]]:  # noqa: FBT001, FBT002
        """Return a port and a receiver of (rank, value)."""
        port, receiver = Channel.open(once)
        return port, receiver.ranked()
