"""C, C++ and CUDA source as tokens, comments and preprocessor directives."""

import re
from dataclasses import dataclass
from typing import Final, NamedTuple

# A token's kind is the number of its group in _TOKEN.
NEWLINE: Final = 1
COMMENT: Final = 2
IDENT: Final = 3
NUMBER: Final = 4
RAW_STRING: Final = 5
STRING: Final = 7
CHAR: Final = 8
PUNCT: Final = 9

# Order matters: a raw string's prefix looks like an identifier, so strings with a prefix come
# through the look-ahead in IDENT.  Line splices inside identifiers and strings are accepted.
_TOKEN = re.compile(
    r"\\[ \t]*\r?\n"
    r"|(\n)"
    r"|(//(?:[^\\\n]|\\\r?\n|\\)*|/\*(?:.|\n)*?(?:\*/|\Z))"
    r"|((?!(?:u8|[uUL])?R?[\"]|(?:u8|[uUL])')[A-Za-z_$\x80-\xff](?:[\w$\x80-\xff]|\\\r?\n(?=\w))*)"
    r"|(\.?\d(?:[eEpP][+-]|'(?=\w)|[\w.])*)"
    r"|((?:u8|[uUL])?R\"([^\s()\\]{0,16})\((?:.|\n)*?\)\6\")"
    r"|((?:u8|[uUL])?R?\"(?:[^\"\\\n]|\\(?:\r\n|.|\n))*\"?)"
    r"|((?:u8|[uUL])?'(?:[^'\\\n]|\\(?:\r\n|.|\n))+')"
    r"|(<<<|>>>|<<=|>>=|->\*|\.\.\.|<=>|%:%:|\+\+|--|->|<<|>>|&&|\|\||::|##|%:|<%|%>|:>"
    r"|<:(?!:[^:>])|[-+*/%&|^<>=!]=|[^\s\\])"
)
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

    tokens: tuple[Token, ...]
    comments: tuple[Comment, ...]
    directives: tuple[Directive, ...]


def tokenize(text: str) -> Lexed:  # noqa: C901 - one loop over all tokens, flat for speed
    """Split source text into tokens, comments and directives.

    Never fails: an unterminated string or comment ends where the line or the file ends.
    Digraphs and continued lines are read as the standard says ([lex.phases], [lex.digraph]);
    trigraphs, which C++17 removed, are not.
    """
    tokens: list[Token] = []
    comments: list[Comment] = []
    directives: list[Directive] = []
    add = tokens.append
    new = Token._make
    line_is_empty = True
    open_at = -1  # offset of the `#` of the directive we are in
    open_first = 0  # index of its first token, the `#`
    current = -1
    for match in _TOKEN.finditer(text, 3 if text.startswith(_BOM) else 0):
        kind = match.lastindex
        if kind is None:  # a line splice: white space that ends no directive
            continue
        if kind == NEWLINE:
            if open_at >= 0:
                directives.append(_directive(tokens, open_at, match.start(), open_first))
                open_at = current = -1
            line_is_empty = True
            continue
        start, end = match.span()
        if kind == COMMENT:
            comments.append(Comment(text[start:end], start, end))
            continue
        word = match[0]
        if kind == IDENT:
            if "\\" in word:
                word = _SPLICE.sub("", word)
        elif kind == PUNCT:
            word = _DIGRAPHS.get(word, word)
            if line_is_empty and word == "#" and open_at < 0:
                open_at, open_first, current = start, len(tokens), len(directives)
        line_is_empty = False
        add(new((kind, word, start, end, current)))
    if open_at >= 0:
        directives.append(_directive(tokens, open_at, len(text), open_first))
    return Lexed(tuple(tokens), tuple(comments), tuple(directives))


def _directive(tokens: list[Token], start: int, end: int, first: int) -> Directive:
    has_name = first + 1 < len(tokens) and tokens[first + 1].kind == IDENT
    name = tokens[first + 1].text if has_name else ""
    return Directive(name, start, end, min(first + 2, len(tokens)), len(tokens))
