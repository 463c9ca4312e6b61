"""Lines on their way to the streams of this process: never waits for whoever reads them."""

from __future__ import annotations

import errno
import select
import sys
from collections import deque

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TextIO

_PIECE = 1000  # characters: what a pipe with room takes at once, in any encoding
_MOST = 16 << 20  # characters that wait; only dead processes' last lines come to so much


class Outlet:
    """The lines that wait to be written to standard output and error, in order."""

    def __init__(self) -> None:
        self._waiting: deque[tuple[int, str]] = deque()
        self._size = 0
        self._dropped = 0
        self.written = 0  # characters so far
        self._failed: set[int] = set()

    def put(self, number: int, line: str) -> None:
        """Add a line for the stream of that number: 0 is output, 1 is error."""
        self._waiting.append((number, f"{line}\n"))
        self._size += len(line) + 1
        while self._size > _MOST and len(self._waiting) > 1:
            self._size -= len(self._waiting.popleft()[1])
            self._dropped += 1

    @property
    def empty(self) -> bool:
        """Whether nothing waits."""
        return not self._waiting

    @property
    def lines(self) -> int:
        """How many lines wait, or were dropped."""
        return len(self._waiting) + self._dropped

    def descriptor(self) -> int | None:
        """Return what to poll before the next line, or None where it can be written at once."""
        return _descriptor(_stream(self._waiting[0][0])) if self._waiting else None

    def write(self) -> None:
        """Write lines as long as nobody has to be waited for."""
        while self._waiting:
            number = self._waiting[0][0]
            stream = _stream(number)
            if not _has_room(stream):
                break
            piece = self._piece(number)
            self.written += len(piece)
            error = _write(stream, piece)
            if error is not None:
                self._tell(number, error)

    def _tell(self, number: int, error: OSError) -> None:
        """Say once, on the other stream, that one cannot be written to.

        Not when whoever read it has gone.
        """
        if number in self._failed or error.errno in (errno.EPIPE, errno.EBADF):
            return
        self._failed.add(number)
        name = "error" if number else "output"
        if 1 - number not in self._failed:
            words = f"what actors print to standard {name} is lost: {error.strerror}"
            self.put(1 - number, words)

    def _piece(self, number: int) -> str:
        """Take lines of one stream, as many as can be written at once, or a part of a long one."""
        parts = []
        left = _PIECE
        if self._dropped:
            parts.append(f"({self._dropped} lines of output were dropped here)\n")
            self._dropped = 0
        while self._waiting and self._waiting[0][0] == number:
            text = self._waiting[0][1]
            if len(text) > left and left < _PIECE:
                break
            self._waiting.popleft()
            if len(text) > left:
                self._waiting.appendleft((number, text[left:]))
            parts.append(text[:left])
            left -= len(parts[-1])
            self._size -= len(parts[-1])
            if not left:
                break
        return "".join(parts)


def _stream(number: int) -> TextIO:
    return sys.stderr if number else sys.stdout


def _descriptor(stream: TextIO) -> int | None:
    try:
        return stream.fileno()
    except (OSError, ValueError, AttributeError):
        return None


def _has_room(stream: TextIO) -> bool:
    fd = _descriptor(stream)
    if fd is None:
        return True
    poll = select.poll()
    poll.register(fd, select.POLLOUT)
    return bool(poll.poll(0))


def _write(stream: TextIO, text: str) -> OSError | None:
    try:
        stream.write(text)
        stream.flush()
    except UnicodeEncodeError:
        return _write(stream, text.encode("ascii", "backslashreplace").decode())
    except OSError as error:
        return error
    except (ValueError, AttributeError):
        return None  # it was closed
    return None
