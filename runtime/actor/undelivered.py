"""Messages of an actor that were not delivered, for actors that want to know.

Nobody waits for what is broadcast or sent to a port. An actor with `_handle_undeliverable_message`
has its process ask there, behind the message and on its way, whether it has arrived. That costs a
message more for each process that it went to.
"""

from __future__ import annotations

import sys
import threading
from collections import deque

from runtime.actor import sending
from runtime.actor.local import local
from runtime.actor.replies import problem_of, value_of
from runtime.transport.pickling import dumps, loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable
    from typing import Any

    from runtime.actor.errors import MeshFailure
    from runtime.actor.local import Local

_CHANNEL = 1 << 63  # of the numbers of channels
NOBODY = "nobody takes messages there any more"


class UndeliverableMessage:
    """What the hook is told: who has sent what to whom, and why it did not arrive.

    `failure` is the death that it met; None when its receiver had ended, or was never there.
    """

    def __init__(self, sender: str, dest: str, method: str) -> None:
        self.sender = sender
        self.dest = dest
        self.method = method
        self.error_msg = ""
        self.failure: MeshFailure | None = None

    def __repr__(self) -> str:
        what = f"{self.dest}.{self.method}" if self.method else self.dest
        return f"UndeliverableMessage({self.sender} to {what}: {self.error_msg})"


class Returns:
    """Follows the messages of an actor that has the hook, and gives it those that are lost."""

    def __init__(self, actor: Any) -> None:  # noqa: ANN401 - a Runner, which is above this module
        self._actor = actor
        self._lock = threading.Lock()
        self._asked: dict[int, deque[_Question]] = {}

    def sent(self, to: sending.Recipients, method: str) -> None:
        """Follow a message that was sent, to each of its receivers."""
        by_node: dict[int, list[tuple[int, UndeliverableMessage]]] = {}
        for number, (node, mailbox) in enumerate(zip(to.nodes, to.actors, strict=True)):
            place = f"[{number}]" if to.count > 1 else ""
            message = UndeliverableMessage(self._actor.watch.path, f"{to.name}{place}", method)
            by_node.setdefault(node, []).append((mailbox, message))
        for node, messages in by_node.items():
            self._follow(node, _Question(node, messages))

    def _follow(self, node: int, question: _Question) -> None:
        with self._lock:
            waiting = self._asked.get(node)
            if waiting is not None:
                waiting.append(question)
                return
            self._asked[node] = deque((question,))
        threading.Thread(target=self._wait, args=(node,), name="returns", daemon=True).start()

    def _wait(self, node: int) -> None:
        """Take the answers of one process, which come in order, until nothing is asked."""
        while True:
            with self._lock:
                waiting = self._asked[node]
                if not waiting:
                    del self._asked[node]
                    return
                question = waiting.popleft()
            for message in question.lost():
                self._actor.tell("!undelivered", dumps((message,))[0])


class _Question:
    """Whether messages to one process have arrived; it goes behind them, on their way."""

    def __init__(self, node: int, messages: list[tuple[int, UndeliverableMessage]]) -> None:
        self._node = node
        self._messages = messages
        data, _ = dumps((tuple(mailbox for mailbox, _ in messages),))
        self._call = sending.ask(local().node, [node], "missing", data)

    def lost(self) -> list[UndeliverableMessage]:
        """Wait for the answer; return the messages that have not arrived."""
        self._call.wait(None)  # what dies is an answer, and what is stopped may go on
        problem = self._call.problem()
        gone: set[int] | None = None
        failure: MeshFailure | None = None
        if problem is None:
            gone = set(value_of(self._call.take()[0]))
        else:
            failure = getattr(problem_of(problem, "missing"), "failure", None)
        lost = [each for mailbox, each in self._messages if gone is None or mailbox in gone]
        for message in lost:
            message.failure = failure
            message.error_msg = failure.cause if failure is not None else NOBODY
        return lost


def is_gone(here: Local, mailbox: int) -> bool:
    """Tell whether a mailbox of this process takes no messages any more.

    That of an actor which is not there yet keeps them for it.
    """
    if mailbox & _CHANNEL:
        channels = sys.modules.get("runtime.actor.channel")
        return channels is None or mailbox not in channels.open_channels
    return mailbox in here.ended


def take_back(actor: Any, data: bytes) -> Awaitable[None] | None:  # noqa: ANN401 - the user's
    """Tell an actor of a message of its own; return what is to be awaited, if its hook is async.

    What it does not handle is said on standard error.
    """
    message: UndeliverableMessage = loads(data)[0]
    found = actor._handle_undeliverable_message(message)  # noqa: SLF001 - Monarch's name
    if hasattr(found, "__await__"):
        return _awaited(found, message)
    if not found:
        _say_unhandled(message)
    return None


async def _awaited(found: Awaitable[bool], message: UndeliverableMessage) -> None:
    if not await found:
        _say_unhandled(message)


def _say_unhandled(message: UndeliverableMessage) -> None:
    sys.stderr.write(f"not delivered: {message!r}\n")
