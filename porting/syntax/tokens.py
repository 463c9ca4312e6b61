"""What C, C++ and CUDA source is made of: tokens, comments and preprocessor directives."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final, NamedTuple

OPENERS: Final = frozenset(("(", "[", "{"))
CLOSERS: Final = frozenset((")", "]", "}"))
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


class Tokens(tuple[Token, ...]):  # noqa: SLOT001 - the cached property needs a __dict__
    """The tokens of a file, which know their brackets once somebody asks."""

    @cached_property
    def brackets(self) -> "Brackets":
        """Which brackets belong together; read in one pass."""
        return Brackets.read(self)


@dataclass(frozen=True, slots=True)
class Brackets:
    """The brackets of a token stream.

    A directive's brackets and those outside it never match each other; kinds are not compared.
    `around`: the innermost bracket that is open in front of each token, -1 when none is.
    `closers`: opening bracket -> closing bracket, for those that are closed.
    """

    around: list[int]
    closers: dict[int, int]

    @classmethod
    def read(cls, tokens: Sequence[Token]) -> "Brackets":
        """Match the brackets of a token stream."""
        around: list[int] = []
        closers: dict[int, int] = {}
        outside: list[int] = []
        inside: list[int] = []
        directive = -1
        for index, token in enumerate(tokens):
            if token.directive != directive:
                directive, inside = token.directive, []
            stack = outside if directive < 0 else inside
            if token.text in CLOSERS and stack:
                closers[stack.pop()] = index
                around.append(stack[-1] if stack else -1)
                continue
            around.append(stack[-1] if stack else -1)
            if token.text in OPENERS:
                stack.append(index)
        return cls(around, closers)


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


def padded(lexed: Lexed, count: int = 4) -> Lexed:
    """Return a result whose last tokens are `count` empty ones of kind END.

    Whoever looks a few tokens ahead finds something there, in a fragment too that breaks off.
    """
    end = lexed.tokens[-1].end if lexed.tokens else 0
    empty = (Token(END, "", end, end, -1),) * count
    return replace(lexed, tokens=Tokens((*lexed.tokens, *empty)))
