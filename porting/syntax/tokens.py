"""What C, C++ and CUDA source is made of: tokens, comments and preprocessor directives."""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import repeat
from typing import Final, NamedTuple

OPENERS: Final = frozenset(("(", "[", "{"))
CLOSERS: Final = frozenset((")", "]", "}"))
_BRACKET: Final = re.compile(r"[(){}\[\]]")
# Kinds of tokens.
IDENT: Final = 1
PUNCT: Final = 2
NUMBER: Final = 3
STRING: Final = 4
CHAR: Final = 5
RAW_STRING: Final = 6
END: Final = 9


class Token(NamedTuple):
    """A token of the code: no white space, no comment.

    `text` has line splices removed and digraphs spelled out; the bytes are `[start, end)`.
    `directive` is the index of the preprocessor directive that holds it, -1 in ordinary code.
    """

    kind: int
    text: str
    start: int
    end: int
    directive: int


class Tokens(tuple[Token, ...]):  # noqa: SLOT001 - the cached properties need a __dict__
    """The tokens of a file, also by column, and with their brackets once somebody asks.

    A search in a column is many times faster than a loop over tokens.
    """

    @classmethod
    def of_columns(
        cls,
        kinds: bytes,
        words: list[str],
        starts: Sequence[int],
        ends: Sequence[int],
        directives: Sequence[int],
    ) -> "Tokens":
        """Make tokens of their kinds, texts, places and directives."""
        columns = zip(kinds, words, starts, ends, directives, strict=True)
        tokens = cls(map(tuple.__new__, repeat(Token), columns))
        tokens.__dict__.update(kinds=kinds, words=words)
        return tokens

    @cached_property
    def kinds(self) -> bytes:
        """The kind of every token."""
        return bytes(token.kind for token in self)

    @cached_property
    def words(self) -> list[str]:
        """The text of every token."""
        return [token.text for token in self]

    @cached_property
    def firsts(self) -> str:
        """The first character of every token; a NUL for an empty one."""
        return "".join([word[:1] or "\0" for word in self.words])

    def find(self, text: str) -> Iterator[int]:
        """Yield the index of every token with this text."""
        at = -1
        try:
            while True:
                at = self.words.index(text, at + 1)
                yield at
        except ValueError:
            return

    @cached_property
    def brackets(self) -> "Brackets":
        """Which brackets belong together; read in one pass."""
        return Brackets.read(self)


@dataclass(frozen=True, slots=True)
class _Nesting:
    """The brackets of one side: the place of each, and the innermost open one behind it."""

    places: list[int] = field(default_factory=list)
    behind: list[int] = field(default_factory=list)

    def add(self, place: int, innermost: int) -> None:
        self.places.append(place)
        self.behind.append(innermost)


@dataclass(frozen=True, slots=True)
class Brackets:
    """The brackets of a token stream.

    A directive's brackets and those outside it never match each other; kinds are not compared.
    `closers`: opening bracket -> closing bracket, for those that are closed.
    """

    tokens: Tokens
    closers: dict[int, int]
    _code: _Nesting
    _directives: _Nesting

    @classmethod
    def read(cls, tokens: Tokens) -> "Brackets":
        """Match the brackets of a token stream."""
        closers: dict[int, int] = {}
        code, directives = _Nesting(), _Nesting()
        outside: list[int] = []
        inside: list[int] = []
        directive = -1
        for match in _BRACKET.finditer(tokens.firsts):
            place = match.start()
            found_in = tokens[place].directive
            if found_in != directive:
                directive, inside = found_in, []
            stack = outside if directive < 0 else inside
            if match[0] in OPENERS:
                stack.append(place)
            elif stack:
                closers[stack.pop()] = place
            nesting = code if directive < 0 else directives
            nesting.add(place, stack[-1] if stack else -1)
        return cls(tokens, closers, code, directives)

    def around(self, index: int) -> int:
        """Return the innermost bracket that is open in front of a token, -1 when none is.

        In front of a closing bracket, that is the one around the pair.
        """
        directive = self.tokens[index].directive
        nesting = self._code if directive < 0 else self._directives
        at = bisect_left(nesting.places, index)
        is_closer = self.tokens[index].text in CLOSERS
        if not (is_closer and at < len(nesting.places) and nesting.places[at] == index):
            at -= 1
        if at < 0 or self.tokens[nesting.places[at]].directive != directive:
            return -1
        return nesting.behind[at]


class Comment(NamedTuple):
    """A comment, its delimiters included."""

    text: str
    start: int
    end: int


class Directive(NamedTuple):
    """A preprocessor directive: its name and the tokens after the name.

    `tokens[first:last]` are the operands; `start` is the offset of the `#`, `end` that of the line
    end (after continued lines).
    """

    name: str
    start: int
    end: int
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Lexed:
    """The result of `tokenize`."""

    tokens: Tokens
    comments: tuple[Comment, ...]
    directives: tuple[Directive, ...]
