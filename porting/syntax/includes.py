"""Header names: in #include and its relatives, in __has_include, and in macros made of one."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from porting.syntax.tokens import STRING, Directive, Lexed

INCLUDE_DIRECTIVES: Final = frozenset(("include", "include_next", "import"))
_HAS_INCLUDE: Final = frozenset(("__has_include", "__has_include_next"))
_MACRO_BODY = re.compile(r"""[<"][\w./+-]+\.(?:h|hh|hpp|hxx|cuh|inc|inl)[>"]""")


@dataclass(frozen=True, slots=True)
class HeaderName:
    """A header's path as written at `[start, end)`, without its delimiters.

    `directive` is the index of the directive that holds it.  `is_include`: that directive includes
    it; otherwise it is asked for by __has_include or is the whole body of a macro.
    """

    path: str
    start: int
    end: int
    quoted: bool
    directive: int
    is_include: bool


def header_names(text: str, lexed: Lexed) -> tuple[HeaderName, ...]:
    """Return every header name of a file, by place."""
    return tuple(_header_names(text, lexed))


def _header_names(text: str, lexed: Lexed) -> Iterator[HeaderName]:
    for number, directive in enumerate(lexed.directives):
        if directive.first >= directive.last:
            continue
        if directive.name in INCLUDE_DIRECTIVES:
            name = _name_at(text, lexed, directive.first, number, is_include=True)
            if name is not None:
                yield name
        elif directive.name in ("if", "elif"):
            yield from _asked_for(text, lexed, number)
        elif directive.name == "define":
            yield from _macro_body(text, lexed, number)


def _name_at(
    text: str, lexed: Lexed, token: int, number: int, *, is_include: bool
) -> HeaderName | None:
    """Return the header name that starts at a token, None when it is a macro."""
    opener = lexed.tokens[token]
    limit = lexed.directives[number].end
    if opener.kind == STRING:
        closer = opener.end - 1
        quoted = True
    elif opener.text.startswith("<"):
        closer = text.find(">", opener.start, limit)
        quoted = False
    else:
        return None
    start = opener.start + 1
    if closer < start:
        return None
    return HeaderName(text[start:closer], start, closer, quoted, number, is_include)


def _asked_for(text: str, lexed: Lexed, number: int) -> Iterator[HeaderName]:
    directive: Directive = lexed.directives[number]
    words = lexed.tokens.words
    for index in range(directive.first, directive.last - 2):
        if words[index] in _HAS_INCLUDE and words[index + 1] == "(":
            name = _name_at(text, lexed, index + 2, number, is_include=False)
            if name is not None:
                yield name


def _macro_body(text: str, lexed: Lexed, number: int) -> Iterator[HeaderName]:
    """Yield the header name that is the whole body of an object-like macro."""
    directive = lexed.directives[number]
    if directive.first + 1 >= directive.last:
        return
    first = lexed.tokens[directive.first + 1].start
    last = lexed.tokens[directive.last - 1].end
    if _MACRO_BODY.fullmatch(text, first, last):
        name = _name_at(text, lexed, directive.first + 1, number, is_include=False)
        if name is not None:
            yield name
