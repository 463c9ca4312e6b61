"""The operands around a place in an expression: what a lane mask is combined with."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from porting.syntax import IDENT, NUMBER, Tokens, enclosing_bracket, match_bracket

WIDE_INTEGERS: Final = frozenset(("long", "uint64_t", "int64_t", "size_t", "u64", "uint64"))
INTEGERS: Final = WIDE_INTEGERS | frozenset(
    (
        *("unsigned", "signed", "int", "uint", "uint32_t", "int32_t", "u32", "uint32"),
        *("lane_mask_t", "std", "::", "const"),
    )
)
_MEET: Final = frozenset(("&", "|", "^", "==", "!=", "&=", "|=", "^="))
_BINDS_CLOSER: Final = frozenset(("<<", ">>", "+", "-", "*", "/", "%"))
_UNARY: Final = frozenset(("~", "-", "+", "!", "*", "&"))
_KEYWORDS: Final = frozenset(("return", "case", "else", "if", "while", "switch", "for", "do"))
_CASTS: Final = frozenset(("static_cast", "reinterpret_cast", "const_cast"))


@dataclass(frozen=True, slots=True)
class Met:
    """What is combined with the operand at a place: all tokens `[first, last)`.

    `operands`: the names and numbers that are combined as they are, not those in the arguments of
    calls, subscripts and shift amounts.  `casts`: the types of casts to 32 bits among them.
    """

    first: int
    last: int
    operands: tuple[int, ...]
    casts: tuple[tuple[int, int], ...]


def is_operand_end(tokens: Tokens, at: int) -> bool:
    """Whether the token at `at` may end an operand, so that an operator behind it has two."""
    if at < 0:
        return False
    token = tokens[at]
    if token.text in (")", "]"):
        return True
    return token.kind == NUMBER or (token.kind == IDENT and token.text not in _KEYWORDS)


def operand_end(tokens: Tokens, start: int) -> int:
    """Return the end of the sum or product of operands that starts at `start`."""
    at = _primary_end(tokens, start)
    while at < len(tokens) and tokens[at].text in ("+", "-", "*", "/", "%"):
        at = _primary_end(tokens, at + 1)
    return at


def _primary_end(tokens: Tokens, start: int) -> int:
    """Return the end of one operand with its unary operators, members, calls and subscripts."""
    at, directive = start, tokens[start].directive
    while tokens[at].text in _UNARY:
        at += 1
    if tokens[at].text == "(":
        at = (match_bracket(tokens, at) or at) + 1
        is_cast = set(tokens.words[start:at]) - {"(", ")"} <= INTEGERS
        if is_cast and (tokens[at].kind in (IDENT, NUMBER) or tokens[at].text == "("):
            return _primary_end(tokens, at)
    else:
        at += 1
    while at < len(tokens) and tokens[at].directive == directive:
        if tokens[at].text in ("(", "[", "{") and tokens[at - 1].text not in ("{", "}"):
            if tokens[at].text == "{" and tokens[at - 1].text == ")":
                break
            at = (match_bracket(tokens, at) or at) + 1
        elif tokens[at].text in (".", "->", "::"):
            at += 2
        elif tokens[at].text == "<" and tokens[at - 1].text in _CASTS:
            at = next((i for i in range(at, len(tokens)) if tokens[i].text == ">"), at) + 1
        else:
            break
    return at


def _primary_start(tokens: Tokens, last: int) -> int:
    """Return the first token of the operand that ends at `last`."""
    at = last
    while True:
        if tokens[at].text in (")", "]", "}"):
            opener = _opener(tokens, at)
            if opener is None:
                return at
            at = opener
            if tokens[at - 1].text == ">":
                cast = next(
                    (i for i in range(at, max(0, at - 12), -1) if tokens[i].text in _CASTS), at
                )
                if cast == at:
                    return at
                at = cast
            elif tokens[at - 1].kind == IDENT and tokens[at - 1].text not in _KEYWORDS:
                at -= 1
            elif tokens[at - 1].text == ")" and tokens[at].text == "[":
                at -= 1
                continue
        if tokens[at - 1].text in (".", "->", "::") and at > 1:
            at -= 2
            continue
        break
    return _before_unary(tokens, at)


def _opener(tokens: Tokens, closer: int) -> int | None:
    """Return the bracket that the one at `closer` closes."""
    if tokens[closer - 1].text in ("(", "[", "{"):
        return closer - 1
    return enclosing_bracket(tokens, closer - 1)


def _before_unary(tokens: Tokens, at: int) -> int:
    """Return where the casts and unary operators in front of an operand start."""
    while True:
        before = tokens[at - 1].text
        if before == "~" or (before == "-" and not is_operand_end(tokens, at - 2)):
            at -= 1
        elif before == ")" and _cast_opener(tokens, at - 1) is not None:
            at = _cast_opener(tokens, at - 1) or at
        else:
            return at


def _cast_opener(tokens: Tokens, closer: int) -> int | None:
    """Return the `(` of the C cast that ends at `closer`, or None when it is none."""
    at = closer - 1
    while at > 0 and tokens[at].text in INTEGERS:
        at -= 1
    return at if at < closer - 1 and tokens[at].text == "(" else None


def met_at(tokens: Tokens, place: int, floor: int) -> Met:
    """Return what is combined with the operand at `place`, not before the token `floor`.

    Operators that keep bits in their places combine, and comparisons for equality; groups and casts
    are looked through, calls end the view.
    """
    first, last = _primary_start(tokens, place), _primary_end(tokens, place)
    while first > floor:
        left, right = tokens[first - 1].text, tokens[last].text if last < len(tokens) else ";"
        if left in _MEET and is_operand_end(tokens, first - 2):
            first = _chain_start(tokens, first - 2)
        elif right in _MEET:
            last = _chain_end(tokens, last + 1)
        elif right in ("<<", ">>"):
            last = operand_end(tokens, last + 1)
        elif right == "-" and tokens[last + 1].text in ("1", "1u", "1U"):
            last += 2
        elif left == "(" and right == ")" and not _is_condition(tokens, first, last):
            outer = group_start(tokens, first - 1)
            if outer is None:
                break
            first, last = outer, last + 1
        else:
            break
    operands = tuple(_operands(tokens, first, last))
    return Met(first, last, operands, tuple(_casts(tokens, first, last)))


def _is_condition(tokens: Tokens, first: int, last: int) -> bool:
    """Whether an expression compares, or leaves one bit: what is around it is no mask."""
    words = tokens.words[first:last]
    return "==" in words or "!=" in words or words[-2:] in (["&", "1"], ["&", "1u"], ["&", "1U"])


def _casts(tokens: Tokens, first: int, last: int) -> Iterator[tuple[int, int]]:
    for at in range(first, last):
        text = tokens[at].text
        if text in _CASTS:
            end = next((i for i in range(at, last) if tokens[i].text == ">"), at)
            span = (at + 2, end)
        elif text == ")" and (opener := _cast_opener(tokens, at)) is not None:
            is_cast = not _calls(tokens, opener)
            span = (opener + 1, at) if is_cast else (at, at)
        else:
            continue
        words = frozenset(tokens.words[span[0] : span[1]])
        if words and words <= INTEGERS and not words & WIDE_INTEGERS:
            yield span


def _chain_start(tokens: Tokens, last: int) -> int:
    start = _primary_start(tokens, last)
    while tokens[start - 1].text in _BINDS_CLOSER and is_operand_end(tokens, start - 2):
        start = _primary_start(tokens, start - 2)
    return start


def _chain_end(tokens: Tokens, start: int) -> int:
    at = _primary_end(tokens, start)
    while at < len(tokens) and tokens[at].text in _BINDS_CLOSER:
        at = _primary_end(tokens, at + 1)
    return at


def group_start(tokens: Tokens, opener: int) -> int | None:
    """Return where a group or cast starts whose `(` is at `opener`; None for a call's."""
    before = tokens[opener - 1]
    if before.text == ">":
        return next(
            (at for at in range(opener, max(0, opener - 12), -1) if tokens[at].text in _CASTS), None
        )
    if before.text == ")":
        return _cast_opener(tokens, opener - 1)
    if before.kind == IDENT and before.text != "return":
        return None
    return _before_unary(tokens, opener)


def _operands(tokens: Tokens, first: int, last: int) -> list[int]:
    """Return the names and numbers of `[first, last)`, but for what choices depend on."""
    found: list[int] = []
    groups: list[int] = []
    at = first
    while at < last:
        token = tokens[at]
        if token.text in ("<<", ">>"):
            at = operand_end(tokens, at + 1)
            continue
        if token.text == "[" or (token.text in ("(", "{") and _calls(tokens, at)):
            at = (match_bracket(tokens, at) or at) + 1
            continue
        if token.text in _CASTS:
            at = next((i for i in range(at, last) if tokens[i].text == ">"), at) + 1
            continue
        if token.text == "(":
            groups.append(len(found))
        elif token.text == ")" and groups:
            groups.pop()
        elif token.text == "?":
            del found[groups[-1] if groups else 0 :]
        elif _is_operand(tokens, at):
            found.append(at)
        at += 1
    return found


def _is_operand(tokens: Tokens, at: int) -> bool:
    token = tokens[at]
    follows = tokens[at + 1].text if at + 1 < len(tokens) else ""
    is_name = token.kind == IDENT and follows not in (".", "->", "::")
    return token.kind == NUMBER or (is_name and token.text not in INTEGERS)


def _calls(tokens: Tokens, opener: int) -> bool:
    before = tokens[opener - 1]
    return before.kind == IDENT and before.text not in _KEYWORDS and before.text not in INTEGERS
