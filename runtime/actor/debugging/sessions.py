"""Actors at breakpoints: where each stands, and which terminal talks to it."""

from __future__ import annotations

import threading
from dataclasses import dataclass

from runtime.actor.local import local

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    from runtime.actor.channel import Port

    class Shows(Protocol):
        """A terminal, as a session sees it."""

        def show(self, text: str) -> None:
            """Print something."""

        def gone(self, session: Session) -> None:
            """Leave an actor that runs again."""


_KEPT = 1 << 16  # characters that nobody has read


@dataclass(frozen=True)
class Stop:
    """Where an actor stands."""

    key: str
    path: str
    name: str
    point: dict[str, int]
    rank: int
    node: int
    function: str
    file: str
    line: int


class Session:
    """An actor that is at a breakpoint, or was."""

    def __init__(self, number: int, stop: Stop, port: Port[str]) -> None:
        self.number = number
        self.stop = stop
        self.stands = True
        self.terminal: Shows | None = None
        self._port = port
        self._unread = ""

    @property
    def where(self) -> str:
        """Where it stands, for people."""
        at = self.stop
        return f"{at.path} in {at.function} ({at.file}:{at.line})"

    def send(self, line: str) -> None:
        """Give a command to its pdb."""
        self._port.send(line + "\n")

    def told(self, text: str) -> None:
        """Show what pdb printed, now or to the next who attaches."""
        if self.terminal is not None:
            self.terminal.show(text)
        else:
            self._unread = (self._unread + text)[-_KEPT:]

    def unread(self) -> str:
        """Return what nobody has seen yet."""
        text, self._unread = self._unread, ""
        return text


class Sessions:
    """All of them; whoever looks at one has the lock."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self._all: dict[str, Session] = {}

    def stopped(self, stop: Stop, port: Port[str]) -> Session:
        """Note that an actor waits for commands."""
        with self.lock:
            session = self._all.get(stop.key)
            if session is None:
                session = self._all[stop.key] = Session(len(self._all) + 1, stop, port)
            session.stop, session.stands = stop, True
            return session

    def told(self, key: str, text: str) -> None:
        """Take what the pdb of an actor prints."""
        with self.lock:
            if key in self._all:
                self._all[key].told(text)

    def goes_on(self, key: str) -> None:
        """Note that an actor runs again."""
        with self.lock:
            session = self._all.get(key)
            if session is not None:
                session.stands = False
                if session.terminal is not None:
                    session.terminal.gone(session)

    def standing(self) -> list[Session]:
        """Return the actors that wait for commands; the dead do not."""
        node = local().node
        with self.lock:
            return [
                each
                for each in self._all.values()
                if each.stands and node.obituary_of(each.stop.node) is None
            ]
