"""Calls, their arguments, and matching brackets on the token stream."""

from collections.abc import Sequence
from dataclasses import dataclass

from porting.syntax.brackets import CLOSERS, OPENERS, Brackets
from porting.syntax.tokens import IDENT, Token, Tokens


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument: its tokens are `tokens[first:last]`; empty when first == last."""

    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Call:
    """A call `name(...)` or `name<...>(...)`: token indices of the name and its brackets."""

    name: int
    open: int
    close: int
    arguments: tuple[Argument, ...]


def match_bracket(tokens: Sequence[Token], opener: int) -> int | None:
    """Return the index of the bracket that closes `tokens[opener]`, or None.

    A directive's tokens and those outside it never match each other.
    """
    return _brackets(tokens).closer(opener)


def _brackets(tokens: Sequence[Token]) -> Brackets:
    if isinstance(tokens, Tokens):
        return tokens.brackets
    firsts = "".join([token.text[:1] or "\0" for token in tokens])
    return Brackets(firsts.encode("latin-1"), [token.directive for token in tokens])


def _words(tokens: Sequence[Token]) -> Sequence[str]:
    return tokens.words if isinstance(tokens, Tokens) else [token.text for token in tokens]


def match_angle(tokens: Sequence[Token], opener: int) -> int | None:
    """Return the index of the token that closes the template list opened by the `<` at `opener`.

    The result may be a `>>` or `>>>` that closes several lists at once.  None when what follows
    is no template argument list (a comparison).
    """
    words = _words(tokens)
    depth = 0
    index = opener
    while index < len(words):
        text = words[index]
        if text == "<":
            depth += 1
        elif text in (">", ">>", ">>>"):
            depth -= len(text)
            if depth <= 0:
                return index
        elif text in OPENERS:
            closer = match_bracket(tokens, index)
            if closer is None:
                return None
            index = closer
        elif text in (";", "&&", "||", "<<<") or text in CLOSERS:
            return None
        index += 1
    return None


def enclosing_bracket(tokens: Sequence[Token], index: int) -> int | None:
    """Return the index of the innermost bracket that is open at `tokens[index]`, or None.

    A directive's tokens are looked at on their own, and are passed over from outside.
    """
    opener = _brackets(tokens).around(index)
    return opener if opener >= 0 else None


def callee_of(tokens: Sequence[Token], opener: int) -> str:
    """Return the name in front of the `(` at `opener` (`f(`, `f<T>(`), empty when none is."""
    at = opener - 1
    if at >= 0 and tokens[at].text == ">":
        depth = 0
        while at >= 0:
            depth += {">": 1, "<": -1}.get(tokens[at].text, 0)
            at -= 1
            if depth == 0:
                break
    return tokens[at].text if at >= 0 and tokens[at].kind == IDENT else ""


def call_at(tokens: Sequence[Token], name: int) -> Call | None:
    """Return the call whose callee's last identifier is `tokens[name]`, or None if none is."""
    index = name + 1
    if index < len(tokens) and tokens[index].text == "<":
        closer = match_angle(tokens, index)
        if closer is None or tokens[closer].text != ">":
            return None
        index = closer + 1
    if index >= len(tokens) or tokens[index].text != "(":
        return None
    if tokens[index].directive != tokens[name].directive:
        return None
    close = match_bracket(tokens, index)
    if close is None:
        return None
    return Call(name, index, close, split_arguments(tokens, index + 1, close))


def split_arguments(tokens: Sequence[Token], first: int, last: int) -> tuple[Argument, ...]:
    """Split `tokens[first:last]` at its top-level commas.

    Template argument lists that look like ones (`f<a, b>`, closed before the argument ends and
    followed by what may follow a type) keep their commas.  No tokens: no arguments.
    """
    if first >= last:
        return ()
    arguments: list[Argument] = []
    start = index = first
    directive = tokens[first - 1].directive if first else tokens[first].directive
    while index < last:
        token = tokens[index]
        if token.directive == directive:
            if token.text in OPENERS:
                index = match_bracket(tokens, index) or last
            elif token.text == "<" and index > first:
                index = _end_of_template_list(tokens, index, last)
            elif token.text == ",":
                arguments.append(Argument(start, index))
                start = index + 1
        index += 1
    arguments.append(Argument(start, last))
    return tuple(arguments)


def _end_of_template_list(tokens: Sequence[Token], opener: int, last: int) -> int:
    """Return the closing index of a template list, or `opener` when `<` is a comparison."""
    closer = match_angle(tokens, opener)
    if closer is None or closer >= last:
        return opener
    after = tokens[closer + 1].text if closer + 1 < last else ")"
    return closer if after in ("(", ")", "{", "::", ",", "*", "&", "<<<", "...") else opener


def statement_end(tokens: Sequence[Token], index: int) -> int:
    """Return the index of the `;` that ends the statement holding `index` (or len(tokens))."""
    words = _words(tokens)
    depth = 0
    for at in range(index, len(words)):
        text = words[at]
        if text in OPENERS:
            depth += 1
        elif text in CLOSERS:
            depth -= 1
            if depth < 0:
                return at
        elif text == ";" and depth == 0:
            return at
    return len(words)


def statement_start(tokens: Tokens, index: int, limit: int = 0) -> int:
    """Return the index of the first token of the statement that holds `index`, not before `limit`.

    A directive's tokens and those outside it are no part of each other's statements.
    """
    words, directives = tokens.words, tokens.directives
    depth = 0
    for at in range(index - 1, limit - 1, -1):
        text = words[at]
        if text in (")", "]"):
            depth += 1
        elif text in ("(", "["):
            depth -= 1
            if depth < 0:
                return at + 1
        elif (depth == 0 and text in (";", "{", "}")) or directives[at] != directives[index]:
            return at + 1
    return limit
