"""What C, C++ and CUDA source is made of: tokens, comments and preprocessor directives."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import repeat
from operator import sub
from typing import Any, Final, NamedTuple, overload

from porting.syntax.brackets import Brackets

# Kinds of tokens.
IDENT: Final = 1
PUNCT: Final = 2
NUMBER: Final = 3
STRING: Final = 4
CHAR: Final = 5
RAW_STRING: Final = 6
END: Final = 9
# Token(...) would go through a function in Python, at twice the price.
_new: Final[Any] = tuple.__new__


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


class Tokens(Sequence[Token]):
    """The tokens of a file, by column; a token is made when it is asked for.

    Most tokens are looked at by nobody, and a search in a column is many times faster than a loop
    over tokens.  `words` and `directives` hold the tokens' `text` and `directive`, `raws` the texts
    as they are in the source, `firsts` the first character of each word (NUL for an empty one).
    """

    def __init__(  # noqa: PLR0913, PLR0917 - one for each column
        self,
        kinds: bytes,
        words: Sequence[str],
        raws: Sequence[str],
        ends: Sequence[int],
        directives: Sequence[int],
        firsts: bytes,
    ) -> None:
        self.kinds = kinds
        self.words = words
        self.directives = directives
        self.firsts = firsts
        self._raws = raws
        self._ends = ends

    def __len__(self) -> int:
        """Return the number of tokens."""
        return len(self.kinds)

    @overload
    def __getitem__(self, at: int) -> Token: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[Token, ...]: ...
    def __getitem__(self, at: int | slice) -> Token | tuple[Token, ...]:
        """Return a token, or the tokens of a slice."""
        if isinstance(at, slice):
            where, raws = self.directives[at], self._raws[at]
            return tuple(_made(self.kinds[at], self.words[at], raws, self._ends[at], where))
        end = self._ends[at]
        start = end - len(self._raws[at])
        made: Token = _new(Token, (self.kinds[at], self.words[at], start, end, self.directives[at]))
        return made

    def __iter__(self) -> Iterator[Token]:
        """Yield every token."""
        return _made(self.kinds, self.words, self._raws, self._ends, self.directives)

    def find(self, text: str) -> Iterator[int]:
        """Yield the index of every token with this text."""
        first = text[0].encode("latin-1")
        at = self.firsts.find(first)
        while at >= 0:
            if self.words[at] == text:
                yield at
            at = self.firsts.find(first, at + 1)

    def first_from(self, offset: int) -> int:
        """Return the index of the first token that starts at or behind an offset."""
        at = bisect_right(self._ends, offset)
        is_inside = at < len(self) and self._ends[at] - len(self._raws[at]) < offset
        return at + is_inside

    @cached_property
    def brackets(self) -> Brackets:
        """Which brackets belong together."""
        return Brackets(self.firsts, self.directives)


def _made(
    kinds: bytes,
    words: Sequence[str],
    raws: Sequence[str],
    ends: Sequence[int],
    directives: Sequence[int],
) -> Iterator[Token]:
    starts = map(sub, ends, map(len, raws))
    return map(_new, repeat(Token), zip(kinds, words, starts, ends, directives, strict=True))


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
