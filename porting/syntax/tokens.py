"""C, C++ and CUDA source as tokens, comments and preprocessor directives."""

import re
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
_NEWLINE: Final = 7
_COMMENT: Final = 8

# Every alternative but the last few starts with a character or a set of them, which lets the
# engine skip it at once; the common ones come first.  An identifier in front of a quote or a line
# splice is left to the slower alternatives: it may be the prefix of a literal.
_TOKEN = re.compile(
    r"[ \t\r\f\v]*+(?:"
    r"([A-Za-z_$\x80-\xff][\w$\x80-\xff]*(?![\w$\x80-\xff\"'\\]))"
    r"|([(){}\[\];,~?])"
    r"|(\n)"
    r"|(\d(?:[eEpP][+-]|'(?=\w)|[\w.])*)"
    r"|(//[^\\\n]*(?:\\(?:\r?\n)?[^\\\n]*)*|(?s:/\*.*?(?:\*/|\Z)))"
    r"|(\"[^\"\\\n]*(?:\\(?:\r\n|.|\n)[^\"\\\n]*)*\"?)"
    r"|('(?:[^'\\\n]|\\(?:\r\n|.|\n))+')"
    r"|\\[ \t]*\r?\n"
    r"|(\.\d(?:[eEpP][+-]|'(?=\w)|[\w.])*)"
    r"|((?:u8|[uUL])?R\"(?P<d>[^\s()\\]{0,16})\((?s:.*?)\)(?P=d)\")"
    r"|((?:u8|[uUL])R?\"[^\"\\\n]*(?:\\(?:\r\n|.|\n)[^\"\\\n]*)*\"?"
    r"|R\"[^\"\\\n]*(?:\\(?:\r\n|.|\n)[^\"\\\n]*)*\"?)"
    r"|((?:u8|[uUL])'(?:[^'\\\n]|\\(?:\r\n|.|\n))+')"
    r"|([A-Za-z_$\x80-\xff](?:[\w$\x80-\xff]|\\\r?\n(?=\w))*)"
    r"|(<<<|>>>|<<=|>>=|->\*|\.\.\.|<=>|%:%:|\+\+|--|->|<<|>>|&&|\|\||::|##|%:|<%|%>|:>"
    r"|<:(?!:[^:>])|[-+*/%&|^<>=!]=|[^\s\\])"
    r"|\Z)"
)
# The kind of what each group of _TOKEN holds; the group of a raw string's delimiter is never last.
_KINDS: Final = (
    0,
    IDENT,
    PUNCT,
    _NEWLINE,
    NUMBER,
    _COMMENT,
    STRING,
    CHAR,
    NUMBER,
    RAW_STRING,
    0,
    STRING,
    CHAR,
    IDENT,
    PUNCT,
)
_SPLICED: Final = 13  # the group of identifiers that may hold line splices
_BOM: Final = "\xef\xbb\xbf"
_SPLICE = re.compile(r"\\\r?\n")
_DIGRAPHS: Final = {"%:": "#", "%:%:": "##", "<%": "{", "%>": "}", "<:": "[", ":>": "]"}


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


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment, its delimiters included."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Directive:
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


def tokenize(text: str) -> Lexed:
    """Split source text into tokens, comments and directives.

    Never fails: an unterminated string or comment ends where the line or the file ends.
    Digraphs and continued lines are read as the standard says ([lex.phases], [lex.digraph]);
    trigraphs, which C++17 removed, are not.
    """
    tokens: list[Token] = []
    comments: list[Comment] = []
    directives: list[Directive] = []
    add = tokens.append
    new = tuple.__new__
    line_is_empty = True
    open_at = -1  # offset of the `#` of the directive we are in
    open_first = 0  # index of its first token, the `#`
    current = -1
    for match in _TOKEN.finditer(text, 3 if text.startswith(_BOM) else 0):
        group = match.lastindex
        if group is None:  # a line splice, which is white space that ends no directive, or the end
            continue
        kind = _KINDS[group]
        end = match.end()
        word = match[group]
        start = end - len(word)
        if kind == _NEWLINE:
            if open_at >= 0:
                directives.append(_directive(tokens, open_at, start, open_first))
                open_at = current = -1
            line_is_empty = True
            continue
        if kind == _COMMENT:
            comments.append(Comment(word, start, end))
            continue
        if kind == PUNCT:
            word = _DIGRAPHS.get(word, word)
            if line_is_empty and word == "#" and open_at < 0:
                open_at, open_first, current = start, len(tokens), len(directives)
        elif group == _SPLICED:
            word = _SPLICE.sub("", word)
        line_is_empty = False
        add(new(Token, (kind, word, start, end, current)))
    if open_at >= 0:
        directives.append(_directive(tokens, open_at, len(text), open_first))
    return Lexed(Tokens(tokens), tuple(comments), tuple(directives))


def padded(lexed: Lexed, count: int = 4) -> Lexed:
    """Return a result whose last tokens are `count` empty ones of kind END.

    Whoever looks a few tokens ahead finds something there, in a fragment too that breaks off.
    """
    end = lexed.tokens[-1].end if lexed.tokens else 0
    empty = (Token(END, "", end, end, -1),) * count
    return replace(lexed, tokens=Tokens((*lexed.tokens, *empty)))


def _directive(tokens: list[Token], start: int, end: int, first: int) -> Directive:
    has_name = first + 1 < len(tokens) and tokens[first + 1].kind == IDENT
    name = tokens[first + 1].text if has_name else ""
    return Directive(name, start, end, min(first + 2, len(tokens)), len(tokens))
