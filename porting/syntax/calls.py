"""Calls, their arguments, and matching brackets on the token stream."""

from dataclasses import dataclass

from porting.syntax.brackets import CLOSERS, OPENERS
from porting.syntax.tokens import IDENT, Tokens


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


def match_bracket(tokens: Tokens, opener: int) -> int | None:
    """Return the index of the bracket that closes `tokens[opener]`, or None.

    A directive's tokens and those outside it never match each other.
    """
    return tokens.brackets.closer(opener)


def match_angle(tokens: Tokens, opener: int) -> int | None:
    """Return the index of the token that closes the template list opened by the `<` at `opener`.

    The result may be a `>>` or `>>>` that closes several lists at once.  None when what follows
    is no template argument list (a comparison).
    """
    words = tokens.words
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


def enclosing_bracket(tokens: Tokens, index: int) -> int | None:
    """Return the index of the innermost bracket that is open at `tokens[index]`, or None.

    A directive's tokens are looked at on their own, and are passed over from outside.
    """
    opener = tokens.brackets.around(index)
    return opener if opener >= 0 else None


def callee_of(tokens: Tokens, opener: int) -> str:
    """Return the name in front of the `(` at `opener` (`f(`, `f<T>(`), empty when none is."""
    words = tokens.words
    at = opener - 1
    if at >= 0 and words[at] == ">":
        depth = 0
        while at >= 0:
            depth += {">": 1, "<": -1}.get(words[at], 0)
            at -= 1
            if depth == 0:
                break
    return words[at] if at >= 0 and tokens.kinds[at] == IDENT else ""


def call_at(tokens: Tokens, name: int) -> Call | None:
    """Return the call whose callee's last identifier is `tokens[name]`, or None if none is."""
    index = name + 1
    words = tokens.words
    if index < len(words) and words[index] == "<":
        closer = match_angle(tokens, index)
        if closer is None or words[closer] != ">":
            return None
        index = closer + 1
    if index >= len(words) or words[index] != "(":
        return None
    if tokens.directives[index] != tokens.directives[name]:
        return None
    close = match_bracket(tokens, index)
    if close is None:
        return None
    return Call(name, index, close, split_arguments(tokens, index + 1, close))


def split_arguments(tokens: Tokens, first: int, last: int) -> tuple[Argument, ...]:
    """Split `tokens[first:last]` at its top-level commas.

    Template argument lists that look like ones (`f<a, b>`, closed before the argument ends and
    followed by what may follow a type) keep their commas.  No tokens: no arguments.
    """
    if first >= last:
        return ()
    arguments: list[Argument] = []
    start = index = first
    words, directives = tokens.words, tokens.directives
    directive = directives[first - 1] if first else directives[first]
    while index < last:
        if directives[index] == directive:
            word = words[index]
            if word in OPENERS:
                index = match_bracket(tokens, index) or last
            elif word == "<" and index > first:
                index = _end_of_template_list(tokens, index, last)
            elif word == ",":
                arguments.append(Argument(start, index))
                start = index + 1
        index += 1
    arguments.append(Argument(start, last))
    return tuple(arguments)


def _end_of_template_list(tokens: Tokens, opener: int, last: int) -> int:
    """Return the closing index of a template list, or `opener` when `<` is a comparison."""
    closer = match_angle(tokens, opener)
    if closer is None or closer >= last:
        return opener
    after = tokens.words[closer + 1] if closer + 1 < last else ")"
    return closer if after in ("(", ")", "{", "::", ",", "*", "&", "<<<", "...") else opener


def statement_end(tokens: Tokens, index: int) -> int:
    """Return the index of the `;` that ends the statement holding `index` (or len(tokens))."""
    words = tokens.words
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
