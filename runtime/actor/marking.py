"""What the actors of a process print is marked with who they are, and leaves at once."""

from __future__ import annotations

import io
import sys

from runtime.actor import _context

_SEPARATORS = dict.fromkeys(range(32))


def mark(speaker: str) -> str:
    """Return what stands before the text of an actor; the mark of nobody ends it."""
    return f"\x1e{speaker.translate(_SEPARATORS)[:240]}\x1f"


_END = mark("")


class MarkedText(io.TextIOWrapper):
    """A standard stream of a process of a mesh.

    Text goes out as it is written, also without an end of line: a killed process flushes nothing.
    Each piece carries its own marks, so threads cannot get into each other's lines.
    """

    def write(self, text: str) -> int:
        """Write text as the running actor's."""
        context = _context.current()
        if context is None or not text or not isinstance(text, str):
            super().write(text)
        else:
            plain = text.replace("\x1e", "\\x1e") if "\x1e" in text else text
            super().write(f"{_mark_of(context.actor_instance)}{plain}{_END}")
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
    sys.stdout, sys.stderr = _marked(1), _marked(2)


def _marked(fd: int) -> MarkedText:
    # The buffers that are there believe what the descriptor was when they were made.
    buffer = io.BufferedWriter(io.FileIO(fd, "w", closefd=False))
    return MarkedText(buffer, encoding="utf-8", errors="backslashreplace", line_buffering=True)
