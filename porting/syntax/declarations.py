"""Names that a piece of source declares itself, so that they are not CUDA's."""

from collections.abc import Sequence
from typing import Final

from porting.syntax.tokens import IDENT, Lexed, Token

_TYPE_KEYWORDS: Final = frozenset("struct class union enum namespace typename concept".split())
_NOT_A_TYPE: Final = frozenset(
    "return throw case goto else do new delete sizeof co_return co_yield co_await not and or"
    " operator if while for switch alignof decltype using typedef".split()
)
_AFTER_DECLARATOR: Final = frozenset(("=", ";", ",", ")", "[", "{", "(", ":"))


def declared_names(lexed: Lexed) -> frozenset[str]:
    """Return the names of macros, types, functions, variables and parameters declared here.

    Read from the shape of the tokens: `#define N`, `struct N`, `using N =`, `typedef ... N;`, and
    `T N` followed by what may follow a declarator, where T ends in an identifier, `*`, `&` or `>`.
    A `struct N` that only refers to N counts too; callers ask for names in no table.
    """
    tokens = lexed.tokens
    names = {
        tokens[d.first].text
        for d in lexed.directives
        if d.name == "define" and d.first < d.last
    }
    for index in range(1, len(tokens)):
        if tokens[index].kind == IDENT and _declares(tokens, index):
            names.add(tokens[index].text)
    return frozenset(names)


def _declares(tokens: Sequence[Token], index: int) -> bool:
    before = tokens[index - 1]
    if before.text in _TYPE_KEYWORDS:
        return True
    after = tokens[index + 1].text if index + 1 < len(tokens) else ";"
    if before.text == "using" and after == "=":
        return True
    if after not in _AFTER_DECLARATOR:
        return False
    if before.kind == IDENT:
        return before.text not in _NOT_A_TYPE
    if before.text in ("*", "&", "&&"):
        return _ends_a_type(tokens, index - 1) and (after != "(" or _starts_statement(tokens, index))
    return before.text == ">" and after in ("=", ";", "{", "(", ")", ",") and not _compares(
        tokens, index - 1
    )


def _ends_a_type(tokens: Sequence[Token], index: int) -> bool:
    """Whether `tokens[index]` (a `*` or `&`) reads as part of a declaration, not as an operator."""
    while index >= 0 and tokens[index].text in ("*", "&", "&&", "const", "__restrict__"):
        index -= 1
    if index < 0 or tokens[index].kind != IDENT:
        return index >= 0 and tokens[index].text == ">"
    before = tokens[index - 1].text if index else ";"
    return before in (";", "{", "}", "(", ",", "const", "static", "inline", "extern", "::", "struct")


def _starts_statement(tokens: Sequence[Token], index: int) -> bool:
    while index >= 0 and (tokens[index].kind == IDENT or tokens[index].text in ("*", "&", "::")):
        index -= 1
    return index < 0 or tokens[index].text in (";", "{", "}", ">")


def _compares(tokens: Sequence[Token], closer: int) -> bool:
    """Whether the `>` at `closer` has no `<` before it in the same statement."""
    for at in range(closer - 1, -1, -1):
        text = tokens[at].text
        if text == "<":
            return False
        if text in (";", "{", "}"):
            return True
    return True
