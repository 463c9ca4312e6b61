"""CMake text as tokens that tile it: joined again they give the same bytes.

Grammar: the "cmake-language" manual, with the legacy forms of unquoted arguments.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
    """What a token is."""

    SPACE = "space"  # blanks and line ends, a byte order mark
    COMMENT = "comment"  # of a line or in brackets
    WORD = "word"  # an unquoted argument, or a command's name
    QUOTED = "quoted"
    BRACKET = "bracket"
    OPEN = "("
    CLOSE = ")"
    STRAY = "stray"  # what no valid file has, like a quote or bracket that does not end


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of the text: `text[start:end]`."""

    kind: Kind
    start: int
    end: int


_TOKEN = re.compile(
    r"""
    (?P<space>\s+ | \A\xef\xbb\xbf)
    | (?P<comment>\#\[(?P<hashed>=*)\[.*?\](?P=hashed)\] | \#(?!\[=*\[)[^\n]*)
    | (?P<bracket>\[(?P<equals>=*)\[.*?\](?P=equals)\])
    | (?P<quoted>"(?:[^"\\]|\\.)*")
    | (?P<open>\()
    | (?P<close>\))
    | (?P<unclosed>\#?\[=*\[)
    | (?P<word>(?:\$\([^\s()"\#]*\)|[^\s()\#"\\]|\\.)
               (?:\$\([^\s()"\#]*\)|[^\s()\#"\\]|\\.|"(?:[^"\\]|\\.)*")*)
    | (?P<stray>.)
    """,
    re.VERBOSE | re.DOTALL,
)
_KINDS = {
    "space": Kind.SPACE,
    "comment": Kind.COMMENT,
    "bracket": Kind.BRACKET,
    "quoted": Kind.QUOTED,
    "open": Kind.OPEN,
    "close": Kind.CLOSE,
    "word": Kind.WORD,
    "unclosed": Kind.STRAY,
    "stray": Kind.STRAY,
}


def tokenize(text: str) -> Iterator[Token]:
    """Yield the tokens of a text in order, without a gap."""
    for match in _TOKEN.finditer(text):
        kind = next(kind for name, kind in _KINDS.items() if match[name] is not None)
        yield Token(kind, match.start(), match.end())
