"""The output of a process as lines: whose they are, whole, readable, of bounded length.

The stream of a process is bytes. What actors print is marked with who they are (marking.mark); what
comes without a mark, from C code or another program, is the process's own. Pure: bytes in, lines
out.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

#: Bytes after which a line is given out in pieces.
LONGEST = 64 << 10
_MARK = re.compile(rb"\x1e([^\x1e\x1f\n]{0,999})\x1f")
_OPEN = re.compile(rb"\x1e[^\x1e\x1f\n]{0,999}\Z")
_CONTINUES = 0x80  # the top bits of a byte that is not the first of a character
_UNPRINTABLE = {code: f"\\x{code:02x}" for code in (*range(32), 127) if chr(code) not in "\t\x1b"}

Line = tuple[str, str]  # who, what


class LineReader:
    """Takes the bytes of one stream as they come, and gives the lines that are complete.

    A line that is drawn over itself with carriage returns counts as its last state.
    """

    def __init__(self) -> None:
        self._speaker = b""
        self._open = b""  # the beginning of a mark, or what looks like one
        self._rests: dict[bytes, bytes] = {}
        self._shown: dict[bytes, str] = {}  # the states of unfinished lines that were given out
        self._dropped = 0

    def feed(self, data: bytes, dropped: int = 0) -> list[Line]:
        """Take what has come, `dropped` bytes after what came before it."""
        if not dropped and not self._dropped:
            return list(self._read(self._open + data))
        lines = [] if self._dropped else self.finish()
        end = data.find(b"\n")
        self._dropped += dropped + (len(data) if end < 0 else end)
        if end < 0:
            return lines
        notice = f"({self._dropped} bytes of output were dropped here; log_buffer was full)"
        self._dropped = 0
        return [*lines, ("", notice), *self._read(data[end + 1 :])]

    @property
    def drawing(self) -> bool:
        """Whether a line is drawn over itself now."""
        return any(b"\r" in rest for rest in self._rests.values())

    def progress(self) -> list[Line]:
        """Return the new states of lines that are drawn over themselves and not finished."""
        lines = []
        for speaker, rest in self._rests.items():
            if b"\r" not in rest:
                continue
            text = readable(rest)
            if text and self._shown.get(speaker) != text:
                self._shown[speaker] = text
                lines.append((speaker.decode(errors="replace"), text))
        return lines

    def finish(self) -> list[Line]:
        """Return what is left as lines, ended or not: there will be no more."""
        lines = list(self._say(self._speaker, self._open)) if self._open else []
        self._open = b""
        for speaker, rest in self._rests.items():
            if rest:
                lines += self._line(speaker, rest)
        if self._dropped:
            lines.append(("", f"({self._dropped} bytes of output were dropped here)"))
        self._rests.clear()
        self._speaker = b""
        self._dropped = 0
        return lines

    def _read(self, data: bytes) -> Iterator[Line]:
        self._open = b""
        if b"\x1e" not in data:
            yield from self._say(self._speaker, data)
            return
        unfinished = _OPEN.search(data)
        if unfinished:
            self._open = unfinished[0]
            data = data[: unfinished.start()]
        pieces = _MARK.split(data)
        yield from self._say(self._speaker, pieces[0])
        for speaker, text in zip(pieces[1::2], pieces[2::2], strict=True):
            self._speaker = speaker
            yield from self._say(speaker, text)

    def _say(self, speaker: bytes, text: bytes) -> Iterator[Line]:
        if not text:
            return
        *lines, rest = (self._rests.pop(speaker, b"") + text).split(b"\n")
        for line in lines:
            yield from self._line(speaker, line)
        rest = _last_state(rest)
        while len(rest) > LONGEST:
            cut = _boundary(rest, LONGEST)
            yield from self._line(speaker, rest[:cut])
            rest = rest[cut:]
        if rest:
            self._rests[speaker] = rest

    def _line(self, speaker: bytes, line: bytes) -> Iterator[Line]:
        line = _last_state(line)
        who = speaker.decode(errors="replace")
        shown = self._shown.pop(speaker, None)
        while len(line) > LONGEST:
            cut = _boundary(line, LONGEST)
            yield who, readable(line[:cut])
            line = line[cut:]
        text = readable(line)
        if shown != text:
            yield who, text


def readable(line: bytes) -> str:
    """Return a line as people can read it: bytes that are no text are shown as such."""
    text = _last_state(line).strip(b"\r").decode(errors="replace")
    return text if text.isprintable() else text.translate(_UNPRINTABLE)


def _last_state(line: bytes) -> bytes:
    """Return what is left of a line after its carriage returns, with the last of them."""
    if b"\r" not in line:
        return line
    body = line.rstrip(b"\r")
    start = body.rfind(b"\r")
    return body[max(start, 0) :] + line[len(body) : len(body) + 1]


def _boundary(line: bytes, limit: int) -> int:
    """Return the place at most at `limit` where no character is cut in two."""
    starts = [cut for cut in range(limit - 3, limit + 1) if line[cut] & 0xC0 != _CONTINUES]
    return starts[-1] if starts else limit
