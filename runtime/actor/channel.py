"""Channels: explicit messages to whoever has the receiving end."""

from __future__ import annotations

import threading
import time
from collections import deque
from contextlib import suppress
from weakref import WeakValueDictionary

from runtime import core
from runtime.actor import _context
from runtime.actor.future import Future
from runtime.actor.generic import Generic
from runtime.actor.local import local
from runtime.actor.nodes import new_actor_id
from runtime.actor.raised import describe_error, rebuilt_error
from runtime.actor.replies import ERROR, result_bytes
from runtime.actor.shapes.shape import Extent
from runtime.transport.pickling import Kept, loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    from runtime.actor.raised import Place

    R = TypeVar("R")
else:
    R = object


class Port(Generic[R]):
    """The sending end of a channel; can be passed to other actors.

    Messages of one sender arrive in their order. What nobody can take any more is dropped; an actor
    with `_handle_undeliverable_message` is told, unless it sets `return_undeliverable` to False.
    """

    def __init__(self, node: int, mailbox: int, rank: int | None = None) -> None:
        self._node = node
        self._mailbox = mailbox
        self._rank = rank
        self.return_undeliverable = True

    def send(self, value: R) -> None:
        """Send a value; does not wait for anybody to take it, only for room in the mailbox."""
        status, data, buffers = result_bytes(value, "a message for a port")
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
        put(to, f"{kind}:{rank}", data, buffers, returned=self.return_undeliverable)

    def __reduce__(self) -> tuple[Any, ...]:
        return Port, (self._node, self._mailbox, self._rank)


class ReplyPort(Port[R]):
    """The port of an endpoint with an explicit response port: sends replies of one call."""

    def __init__(self, caller: int, request: int, index: int, place: Place) -> None:
        super().__init__(caller, 0, index)
        self._request = request
        self._index = index
        self._place = place  # of the actor that was called

    def send(self, value: R) -> None:
        """Reply with a value; of several replies to `call_one` the first counts."""
        status, data, buffers = result_bytes(value, "the result of an endpoint")
        self._reply(status, data, buffers)

    def exception(self, error: BaseException) -> None:
        """Reply with an exception."""
        self._reply(ERROR, describe_error(error, self._place), [])

    def _reply(self, status: int, data: bytes, buffers: list[Any]) -> None:
        if self._request:
            local().node.reply(self._node, self._request, self._index, status, data, buffers)

    def __reduce__(self) -> tuple[Any, ...]:
        return ReplyPort, (self._node, self._request, self._index, self._place)


class _Inbox:
    """What comes through a channel, given to those who wait in the order in which they began."""

    def __init__(self, mailbox: core.Mailbox) -> None:
        self.mailbox = mailbox
        # A receipt may be collected, and hand its message back, wherever Python is.
        self.lock = threading.RLock()
        self.waiting: deque[_Receipt] = deque()
        self._back: deque[core.Message] = deque()

    def deal(self) -> None:
        """Give what is there to those who wait. With the lock."""
        while self.waiting:
            message = self.next()
            if message is None:
                return
            self.waiting.popleft().message = message

    def next(self) -> core.Message | None:
        """Return the next message that nobody has. With the lock."""
        return self._back.popleft() if self._back else self.mailbox.take()

    def give_back(self, message: core.Message) -> None:
        """Take back what was dealt to a future that nobody has looked at."""
        with self.lock:
            self._back.appendleft(message)
        self.mailbox.wake()


#: Those of this process that somebody can still receive from.
open_channels: WeakValueDictionary[int, _Inbox] = WeakValueDictionary()


class _Receipt:
    """The next message of a channel, as a future sees it."""

    def __init__(self, inbox: _Inbox) -> None:
        self._inbox = inbox
        self.message: core.Message | None = None
        self.id = 0
        self._is_read = False

    def read(self) -> core.Message:
        """Return the message, which is nobody else's any more."""
        message, self.message = self.message, None
        assert message is not None  # noqa: S101 - settled
        self._is_read = True
        return message

    @property
    def settled(self) -> bool:
        with self._inbox.lock:
            self._inbox.deal()
            if self.message is None and not self._is_read and not self._inbox.waiting:
                self.message = self._inbox.next()
            return self.message is not None or self._is_read

    def wait(self, timeout: float | None) -> bool:
        end = None if timeout is None else time.monotonic() + timeout
        mailbox = self._inbox.mailbox
        self._join()
        try:
            while True:
                seen = mailbox.news
                left = None if end is None else max(0.0, end - time.monotonic())
                if self.settled or not mailbox.wait(seen, left):
                    return self.settled
        finally:
            self.leave()

    def notify(self, notifier: core.Notifier, token: int) -> None:
        self._join()
        self._inbox.mailbox.notify(notifier, token)

    def _join(self) -> None:
        with self._inbox.lock:
            if self.message is None and self not in self._inbox.waiting:
                self._inbox.waiting.append(self)

    def leave(self) -> None:
        """Wait no more."""
        with self._inbox.lock, suppress(ValueError):
            self._inbox.waiting.remove(self)

    def __del__(self) -> None:
        if self.message is not None:
            self._inbox.give_back(self.message)


class _Received(Future["Any"]):
    """A future of the next message; one that is no longer awaited takes none."""

    late = "no message yet after {} s; the next one is for whoever waits then, by get() again too"

    def __init__(self, receipt: _Receipt, settle: Callable[[Any], Any]) -> None:
        super().__init__(receipt, settle, receipt.leave)
        self._receipt = receipt

    async def _awaited(self) -> Any:  # noqa: ANN401 - whatever was sent
        try:
            return await super()._awaited()
        finally:
            self._receipt.leave()


class PortReceiver(Kept, Generic[R]):
    """The receiving end of a channel; it stays in the process that opened it.

    The channel ends when nobody has it any more: what is sent then is dropped.
    """

    why_kept = "the receiver of a channel stays in the process that opened it; send the port"

    def __init__(self, inbox: _Inbox) -> None:
        self._inbox = inbox

    def recv(self) -> Future[R]:
        """Return a future of the next message that nobody has taken.

        Of several that wait, each gets a message, in the order in which they began to wait. One
        whose `get` has timed out, or whose task was cancelled, waits no more.
        """
        return self._future(lambda _rank, value: value)

    def ranked(self) -> RankedPortReceiver[R]:
        """Return a receiver of (rank, value): the rank of the sender in its slice."""
        return RankedPortReceiver(self._inbox)

    def _future(self, make: Callable[[int, Any], Any]) -> Future[Any]:
        receipt = _Receipt(self._inbox)

        def settle(_: object) -> Any:  # noqa: ANN401 - whatever was sent
            message = receipt.read()
            kind, _, rank = message.method.partition(":")
            if kind == "exception":
                raise rebuilt_error(message.data)[0]
            value = loads(message.data, message.buffers() if message.buffer_count else ())[0]
            return make(int(rank), value)

        return _Received(receipt, settle)


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
        del once  # a mailbox costs the same for one message
        mailbox = core.open_channel(node, new_actor_id())
        inbox = open_channels[mailbox.id] = _Inbox(mailbox)
        return Port(node.id, mailbox.id), PortReceiver(inbox)

    @staticmethod
    def open_ranked(once: bool = False) -> tuple[Port[Any], RankedPortReceiver[Any]]:  # noqa: FBT001, FBT002
        """Return a port and a receiver of (rank, value)."""
        port, receiver = Channel.open(once)
        return port, receiver.ranked()
