"""The expression around a handle: its extent, what is done with it, and what takes the result."""

from dataclasses import dataclass
from typing import Final

from porting.syntax import IDENT, PUNCT, Tokens, match_bracket
from porting.syntax.words import words

_POSTFIX: Final = frozenset(("(", "["))
# Binary operators by precedence, tightest first.
_LEVELS: Final = {
    **dict.fromkeys(("*", "/", "%"), 0),
    **dict.fromkeys(("+", "-"), 1),
    **dict.fromkeys(("<<", ">>"), 2),
    "&": 3,
    "^": 4,
    "|": 5,
}
_SUM: Final = 1
_LOOSEST: Final = 9
_BOUNDARIES: Final = words("= += -= , ; { } ? : && || return < > <= >= == != case")
_KEYWORDS: Final = frozenset(("if", "while", "for", "switch", "return", "sizeof", "case"))


@dataclass(frozen=True, slots=True)
class Span:
    """Tokens `[first, last]`."""

    first: int
    last: int


def primary(tokens: Tokens, number: int) -> Span:
    """Return the postfix expression that an identifier belongs to: `a::b->c[i].d(x)`."""
    first = number
    while first >= 2 and tokens[first - 1].text in (".", "->", "::"):  # noqa: PLR2004
        first = _operand_start(tokens, first - 2)
    last = number
    while last + 1 < len(tokens) and tokens[last + 1].text in _POSTFIX:
        closer = match_bracket(tokens, last + 1)
        if closer is None:
            break
        last = closer
    return Span(first, last)


def _operand_start(tokens: Tokens, at: int) -> int:
    while at > 0 and tokens[at].text in (")", "]"):
        depth = 0
        while at > 0:
            depth += {")": 1, "]": 1, "(": -1, "[": -1}.get(tokens[at].text, 0)
            if depth == 0:
                break
            at -= 1
        if at > 0 and (tokens[at - 1].kind == IDENT or tokens[at - 1].text in (")", "]")):
            at -= 1
        else:
            return at
    return at


@dataclass(frozen=True, slots=True)
class Use:
    """What becomes of a handle: `whole` is the largest expression made by operators around it.

    `sums`: it is an operand of + or -.  `integer`: of an operator that pointers lack.
    """

    whole: Span
    sums: bool
    integer: bool


def use_of(tokens: Tokens, span: Span) -> Use:
    """Return the arithmetic around an expression, brackets passed."""
    sums = integer = False
    while span.first > 0 and span.last + 1 < len(tokens):
        left, right = tokens[span.first - 1].text, tokens[span.last + 1].text
        if left == ")":
            break  # a cast in C's way: what follows is done with its result
        if left == "~":
            integer, span = True, Span(span.first - 1, span.last)
            continue
        before = _LEVELS.get(left, _LOOSEST) if _is_binary(tokens, span.first - 1) else _LOOSEST
        after = _LEVELS.get(right, _LOOSEST)
        level = min(before, after)
        if level == _LOOSEST:
            if left == "(" and right == ")" and _is_grouping(tokens, span.first - 1):
                span = Span(span.first - 1, span.last + 1)
                continue
            break
        sums, integer = sums or level == _SUM, integer or level != _SUM
        if before == level:
            span = Span(_left_operand(tokens, span.first - 2, level), span.last)
        else:
            span = Span(span.first, _right_operand(tokens, span.last + 2, level))
    return Use(span, sums, integer)


def _is_grouping(tokens: Tokens, opener: int) -> bool:
    """Whether a `(` groups, rather than calls, casts or belongs to a statement."""
    before = tokens[opener - 1] if opener else None
    if before is None or before.text == "return":
        return True
    return before.kind != IDENT and before.text not in (")", "]", ">")


def _is_binary(tokens: Tokens, operator: int) -> bool:
    before = tokens[operator - 1] if operator else None
    if before is None or before.text in _KEYWORDS:
        return False
    return before.kind != PUNCT or before.text in (")", "]")


def _left_operand(tokens: Tokens, at: int, level: int) -> int:
    """Return where the operand that ends at a token starts: behind a looser operator."""
    while at >= 0:
        text = tokens[at].text
        if text in (")", "]"):
            at = _open_of(tokens, at)
            if at > 0 and tokens[at - 1].text == ">":  # a cast's type
                while at > 0 and tokens[at].text != "<":
                    at -= 1
        elif (
            text in ("(", "[")
            or text in _BOUNDARIES
            or (_LEVELS.get(text, -1) > level and _is_binary(tokens, at))
        ):
            return at + 1
        at -= 1
    return 0


def _right_operand(tokens: Tokens, first: int, level: int) -> int:
    """Return the last token of the operand that starts at a token."""
    at = first
    while at < len(tokens):
        text = tokens[at].text
        if text in _POSTFIX:
            at = match_bracket(tokens, at) or at
        elif text == "<" and at > first and tokens[at - 1].text.endswith("_cast"):
            while at < len(tokens) and tokens[at].text != ">":
                at += 1
        elif (
            text in (")", "]", "")
            or text in _BOUNDARIES
            or (at > first and _LEVELS.get(text, -1) >= level and _is_binary(tokens, at))
        ):
            return at - 1
        at += 1
    return len(tokens) - 1


def _open_of(tokens: Tokens, closer: int) -> int:
    depth = 0
    for at in range(closer, -1, -1):
        depth += {")": 1, "]": 1, "(": -1, "[": -1}.get(tokens[at].text, 0)
        if depth == 0:
            return at
    return 0
