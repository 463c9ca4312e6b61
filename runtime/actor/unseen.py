"""Calls whose futures are dropped before anybody has looked: what they raised is said."""

from __future__ import annotations

import _thread
import os
import select
import sys
from collections import deque

from runtime.actor.future import Future
from runtime.actor.generic import Generic
from runtime.actor.raised import say
from runtime.actor.replies import unseen
from runtime.core import Notifier

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Protocol, TypeVar

    from runtime.actor.future import Pending
    from runtime.core import Message

    R = TypeVar("R")

    class Asked(Pending, Protocol):
        """What such a future waits for."""

        def problem(self) -> Message | None:
            """Return the reply that is no result, if there is one and it is settled."""

    Entry = tuple[Asked, str, str]
else:
    R = object


class CallFuture(Future[R], Generic[R]):
    """The future of a call, which knows of whose endpoint it is."""

    mesh = endpoint = ""

    def __del__(self) -> None:
        call: Any = self._call
        if call is None or not self.endpoint:
            return
        if call.settled:
            _tell((call, self.mesh, self.endpoint))
        elif not sys.is_finalizing():
            _watch().add((call, self.mesh, self.endpoint))


class _Watch:
    """Waits for the replies of calls whose futures are gone.

    Futures are collected wherever Python is, with any lock held: `add` takes none.
    """

    def __init__(self) -> None:
        self.process = os.getpid()
        self._notifier = Notifier()
        self._new: deque[Entry] = deque()
        self._waiting: dict[int, list[Entry]] = {}  # by call: a stream has several
        _thread.start_new_thread(self._run, ())

    def add(self, entry: Entry) -> None:
        """Say later what the call has raised, if it has."""
        self._new.append(entry)
        self._notifier.tell(0)

    def tell_settled(self) -> None:
        """Say what is known. From any thread."""
        for number in list(self._waiting):
            self._look(number)

    def _run(self) -> None:
        poll = select.poll()
        poll.register(self._notifier.fileno(), select.POLLIN)
        while True:
            poll.poll()
            news = set(self._notifier.drain())
            while self._new:
                entry = self._new.popleft()
                self._waiting.setdefault(entry[0].id, []).append(entry)
                news.add(entry[0].id)
            for number in news:
                for call, *_ in self._look(number)[:1]:
                    call.notify(self._notifier, number)

    def _look(self, number: int) -> list[Entry]:
        """Say what a call has raised; return what is still to come."""
        entries = self._waiting.pop(number, [])
        left = [each for each in entries if not each[0].settled]
        if left:
            self._waiting[number] = left
        for each in entries:
            if each not in left:
                _tell(each)
        return left


_present: list[_Watch] = []


def _watch() -> _Watch:
    """Return the one of this process."""
    if not _present or _present[0].process != os.getpid():
        _present[:] = [_Watch()]
    return _present[0]


def tell_settled() -> None:
    """Say now what calls have raised whose futures are gone: the process ends."""
    for each in _present:
        each.tell_settled()


def _tell(entry: Entry) -> None:
    call, mesh, endpoint = entry
    problem = call.problem()
    line = unseen(problem, f"{mesh}.{endpoint}") if problem is not None else ""
    if line:
        say(f"{line}\n")
