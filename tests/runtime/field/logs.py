"""Logs in the words of the field cases: the aggregator with a virtual clock, and paused readers."""

import os
import sys
import threading
import time
from typing import TextIO

from runtime.actor import client
from runtime.actor.logs.aggregation import Aggregator as Rules
from runtime.actor.logs.output import Forwarder

_SECONDS = 60.0
_END = "\x00all that was written before this has been read\n"


class FakeClock:
    """A clock that goes on by `advance` only."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

    def advance(self, seconds: float) -> None:
        """Let time pass."""
        self.now += seconds


class Aggregator:
    """Lines of ranks that become one within a window; time is a fake clock's."""

    def __init__(self, window: float, clock: FakeClock) -> None:
        self._rules = Rules(window)
        self._clock = clock

    def feed(self, rank: int, text: str) -> None:
        """Take what a rank prints: a line, or several."""
        for line in text.splitlines():
            self._rules.feed(rank, line, self._clock())

    def advance(self, seconds: float) -> None:
        """Let time pass."""
        self._clock.advance(seconds)

    def take(self) -> list[str]:
        """Return the lines that are given out by now."""
        return [str(line) for line in self._rules.take(self._clock())]


def aggregator(*, window: float = 3.0, clock: FakeClock | None = None) -> Aggregator:
    """Return an aggregator; without a clock it has one of its own."""
    return Aggregator(window, clock or FakeClock())


class Lines(list[str]):
    """Lines in which a text is looked for as in one text."""

    def __contains__(self, text: object) -> bool:
        return isinstance(text, str) and any(text in line for line in self)


class Reader:
    """Reads what this program writes to its standard streams; may be paused."""

    def __init__(self) -> None:
        self._goes_on = threading.Event()
        self._changed = threading.Condition()
        self._text = ""
        self._before: tuple[TextIO, TextIO] | None = None
        self._thread: threading.Thread | None = None

    def begin(self, *, paused: bool) -> None:
        """Take the place of whoever reads the program's output."""
        read, write = os.pipe()
        self._before = sys.stdout, sys.stderr
        self._stream = os.fdopen(write, "w", 1, encoding="utf-8", errors="backslashreplace")
        sys.stdout = sys.stderr = self._stream
        self._thread = threading.Thread(target=self._read, args=(read,), daemon=True)
        self._thread.start()
        if not paused:
            self.resume()

    def end(self) -> None:
        """Give the streams back."""
        if self._before is None or self._thread is None:
            return
        self.resume()
        sys.stdout, sys.stderr = self._before
        self._before = None
        self._stream.close()
        self._thread.join(_SECONDS)

    def resume(self) -> None:
        """Read on."""
        self._goes_on.set()

    def drain(self) -> Lines:
        """Read all that has been printed until now; return it."""
        self.resume()
        _bring_all()
        self._stream.write(_END)
        end = time.monotonic() + _SECONDS
        with self._changed:
            while not self._text.endswith(_END):
                assert self._changed.wait(end - time.monotonic()), self._text[-1000:]
            self._text = self._text.replace(_END, "")
            return Lines(self._text.splitlines())

    def _read(self, fd: int) -> None:
        with os.fdopen(fd, "rb", 0) as pipe:
            self._goes_on.wait()
            while data := pipe.read(1 << 16):
                with self._changed:
                    self._text += data.decode(errors="replace")
                    self._changed.notify_all()
                self._goes_on.wait()


def _bring_all() -> None:
    """Have the program bring all that its processes have printed to its streams."""
    forwarders = [each.gateway.output for each in client._clients]
    for forwarder in forwarders:
        for streams in list(forwarder._streams.values()):
            streams.drain()
    end = time.monotonic() + _SECONDS
    while any(not _is_idle(forwarder) for forwarder in forwarders):
        assert time.monotonic() < end
        threading.Event().wait(0.01)


def _is_idle(forwarder: Forwarder) -> bool:
    """Tell whether nothing is on its way."""
    waiting = (forwarder._rows, forwarder._groups, forwarder._unread, forwarder._flush)
    return forwarder._outlet.empty and not any(waiting)
