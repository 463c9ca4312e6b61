"""What the actors of a process print is marked with who they are, and leaves at once."""

from __future__ import annotations

import io
import os
import sys
import threading

from runtime.actor import _context

_SEPARATORS = dict.fromkeys(range(32))


def mark(speaker: str) -> str:
    """Return what stands before the text of an actor; the mark of nobody ends it."""
    return f"\x1e{speaker.translate(_SEPARATORS)[:240]}\x1f"


_END = mark("")


class MarkedText(io.TextIOWrapper):
    """A standard stream of a process of a mesh.

    Text goes out as it is written, also without an end of line: a killed process flushes nothing.
    Where another actor begins, and after each end of line, a mark says so: threads cannot get into
    each other's lines, and what comes from elsewhere is nobody's.
    """

    def __init__(self, fd: int) -> None:
        # The buffers that are there believe what the descriptor was when they were made.
        buffer = io.BufferedWriter(io.FileIO(fd, "w", closefd=False))
        super().__init__(buffer, encoding="utf-8", errors="backslashreplace", line_buffering=True)
        self._begin()
        os.register_at_fork(before=self._forget, after_in_child=self._begin)

    def _begin(self) -> None:
        self._lock = threading.RLock()  # a signal's handler may print too
        self._forget()

    def _forget(self) -> None:
        self._open: str | None = None  # the mark that holds now, if this process knows it

    def write(self, text: str) -> int:
        """Write text as the running actor's."""
        if not text or not isinstance(text, str):
            return super().write(text)
        context = _context.current()
        who = _END if context is None else _mark_of(context.actor_instance)
        plain = text.replace("\x1e", "\\x1e") if "\x1e" in text else text
        with self._lock:
            start = "" if who == self._open else who
            end = _END if plain.endswith("\n") and who != _END else ""
            self._open = end or who
            super().write(f"{start}{plain}{end}")
            self.flush()
        return len(text)


def _mark_of(instance: _context.Instance) -> str:
    found: str | None = instance.own.get("mark")
    if found is None:
        place = ",".join(f"{label}={index}" for label, index in instance.rank.items())
        size = instance.rank.extent.nelements
        found = instance.own["mark"] = mark(f"{size}:{instance.name}{{{place}}}")
    return found


_before: list[object] = []  # a stream that is forgotten would close its buffer


def install() -> None:
    """Mark what is printed in this process from now on."""
    _before[:] = [sys.stdout, sys.stderr]
    sys.stdout, sys.stderr = MarkedText(1), MarkedText(2)
