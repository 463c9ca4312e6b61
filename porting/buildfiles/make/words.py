"""Words of a Makefile's value or command, with exact places."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_SPACE = re.compile(r"(?:\s|\\\r?\n)+")
_OPERATOR = re.compile(r"&&|\|\||;;|[;|&<>()]+")
_CLOSERS = {"(": ")", "{": "}"}


@dataclass(frozen=True)
class Word:
    """A word as it stands, or an operator of the shell."""

    text: str
    start: int
    operator: bool = False

    @property
    def end(self) -> int:
        """The offset after it."""
        return self.start + len(self.text)

    @property
    def bare(self) -> str:
        """The word without the quotes around it or inside it."""
        return re.sub(r"(['\"])(.*?)\1", r"\2", self.text)


def split(text: str, start: int, end: int, *, shell: bool) -> Iterator[Word]:
    """Yield the words of a range; `shell`: operators and comments of the shell are told apart."""
    at = start
    while at < end:
        if space := _SPACE.match(text, at, end):
            at = space.end()
            continue
        if shell and text[at] == "#":
            newline = text.find("\n", at)
            at = end if newline < 0 else newline
            continue
        operator = _OPERATOR.match(text, at, end) if shell else None
        if operator:
            yield Word(operator[0], at, operator=True)
            at = operator.end()
            continue
        stop = max(min(_word_end(text, at, end, shell=shell), end), at + 1)
        yield Word(text[at:stop], at)
        at = stop


def _word_end(text: str, at: int, end: int, *, shell: bool) -> int:
    while at < end:
        letter = text[at]
        if letter == "$":
            at = end_of_reference(text, at)
        elif letter in "'\"":
            at = _quote_end(text, at, end)
        elif letter == "\\" and at + 1 < end and text[at + 1] not in "\r\n":
            at += 2
        elif letter.isspace() or letter == "\\" or (shell and letter in ";|&<>()"):
            return at
        else:
            at += 1
    return at


def _quote_end(text: str, at: int, end: int) -> int:
    """Return the offset after a quoted text; without a second quote it is one letter."""
    quote, place = text[at], at + 1
    while place < end:
        if text[place] == quote:
            return place + 1
        place += 2 if text[place] == "\\" and quote == '"' else 1
    return at + 1


def end_of_reference(text: str, at: int) -> int:
    """Return the offset after `$x`, `$$`, `$(name)` or `${function ...}`."""
    opening = text[at + 1 : at + 2]
    if opening not in _CLOSERS:
        return min(at + 2, len(text))
    depth, place = 0, at + 1
    while place < len(text):
        if text[place] == opening:
            depth += 1
        elif text[place] == _CLOSERS[opening]:
            depth -= 1
            if not depth:
                return place + 1
        place += 1
    return len(text)
