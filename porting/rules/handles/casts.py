"""Casts to a handle's type whose result is calculated with: a pointer type allows few operators."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from porting.diagnostics import Diagnostic
from porting.edits import Edit
from porting.rules.handles.codes import CAST, OPEN
from porting.rules.handles.declared import Handle, Handles
from porting.rules.handles.expressions import Span, Use, use_of
from porting.rules.handles.targets import EQUALS, ORDERS, is_integer_variable, taker, wrap
from porting.rules.handles.types import ADDRESSES
from porting.rules.unit import Unit
from porting.syntax import IDENT, NUMBER, call_at, match_angle, match_bracket
from porting.syntax.words import words

HandleAt = Callable[[int], Handle | None]
_INTEGER: Final = "uintptr_t"
_BYTES: Final = "char*"
_NAMED: Final = ("static_cast", "reinterpret_cast")
_PREFIX: Final = frozenset(("~", "-", "+", "&", "*", "!"))
_BEFORE_CAST: Final = words("return case else")
_BEFORE_CALL: Final = frozenset("( , = + - * / % & | ^ ~ << >> ? : < > <= >= == !=".split())
_HELP: Final = "calculate in uintptr_t and cast the result to what takes it"


@dataclass(frozen=True, slots=True)
class Cast:
    """A cast to a handle's type: the type's token, and the tokens of the whole of it.

    `name` is the token of static_cast or reinterpret_cast, -1 when it is spelled otherwise.
    """

    type: int
    span: Span
    name: int


@dataclass(frozen=True, slots=True)
class Around:
    """What stands around a cast, and what takes the value of the whole expression.

    `handle`: a handle is an operand beside the casts.  `paired`: another cast is.  `of_handle`: the
    cast's own operand names one.
    """

    use: Use
    takes: str
    handle: bool
    paired: bool
    of_handle: bool


def calculated_casts(
    unit: Unit, handles: Handles, handle_at: HandleAt
) -> Iterator[tuple[Cast, Diagnostic]]:
    """Yield the casts to an address whose result is an operand, with what is to be done."""
    casts = [
        cast for type_ in sorted(ADDRESSES) for n in unit.where(type_) for cast in _at(unit, n)
    ]
    casts.sort(key=lambda cast: cast.span.first)
    wrapped: set[int] = set()
    for cast in casts:
        around = _around(unit, handles, handle_at, cast, casts)
        target = _target(unit, cast, around)
        if target == "":
            continue
        first = around.use.whole.first
        yield cast, _finding(unit, cast, around, target, is_wrapped=first in wrapped)
        wrapped.add(first)


def _around(
    unit: Unit, handles: Handles, handle_at: HandleAt, cast: Cast, casts: Sequence[Cast]
) -> Around:
    use = use_of(unit.tokens, cast.span)
    beside = [c for c in casts if c is not cast and _holds(use.whole, c.span)]
    named = [
        n
        for n in range(use.whole.first, use.whole.last + 1)
        if unit.tokens[n].kind == IDENT and handle_at(n) is not None
    ]
    free = [n for n in named if not any(_holds(c.span, Span(n, n)) for c in (cast, *beside))]
    of_handle = any(_holds(cast.span, Span(n, n)) for n in named)
    return Around(use, taker(unit, handles, use.whole), bool(free), bool(beside), of_handle)


def _finding(
    unit: Unit, cast: Cast, around: Around, target: str | None, *, is_wrapped: bool
) -> Diagnostic:
    token = unit.tokens[cast.type]
    if target is None:
        text = f"a cast to {token.text} is calculated with, and it is a pointer in HIP"
        return unit.diagnose(OPEN, token, f"{text} (CUdeviceptr is an integer)", help=_HELP)
    edits = _written(unit, cast, target)
    is_wanted = target == _INTEGER and around.takes == "handle" and not around.handle
    if is_wanted and not is_wrapped:
        front, *back = wrap(unit, around.use.whole, "hipDeviceptr_t")
        edits = [front, *edits, *back]
    text = f"a cast to {token.text} that is calculated with becomes one to {target}"
    return unit.diagnose(CAST, token, text, edits=edits)


def _holds(outer: Span, inner: Span) -> bool:
    return outer.first <= inner.first and inner.last <= outer.last


def _at(unit: Unit, number: int) -> Iterator[Cast]:
    """Yield the cast that the type at a token belongs to, if there is one."""
    tokens = unit.tokens
    before, after = tokens[number - 1], tokens[number + 1].text
    if number < 2:  # noqa: PLR2004
        return
    front = tokens[number - 2]
    if before.text == "(" and after == ")":
        is_call = (front.kind == IDENT and front.text not in _BEFORE_CAST) or front.text in (
            ">",
            "]",
        )
        last = _operand_last(unit, number + 2)
        if not is_call and last is not None:
            yield Cast(number, Span(number - 1, last), -1)
    elif before.text == "<" and after == ">" and front.text in _NAMED:
        call = call_at(tokens, number - 2)
        if call is not None and call.arguments:
            yield Cast(number, Span(number - 2, call.close), number - 2)
    elif after == "(" and (before.text in _BEFORE_CALL or before.text == "return"):
        close = match_bracket(tokens, number + 1)
        if close is not None and close > number + 2 and tokens[number + 2].text != "*":
            yield Cast(number, Span(number, close), -1)


def _operand_last(unit: Unit, at: int) -> int | None:
    """Return the last token of the operand of a C cast, None when none starts at a token."""
    tokens = unit.tokens
    while tokens[at].text in _PREFIX:
        at += 1
    if tokens[at].text == "(":
        close = match_bracket(tokens, at)
        if close is None:
            return None
        if tokens[close + 1].kind in (IDENT, NUMBER) or tokens[close + 1].text == "(":
            return _operand_last(unit, close + 1)  # behind a further cast
        return _postfix_last(unit, close)
    return _postfix_last(unit, at) if tokens[at].kind in (IDENT, NUMBER) else None


def _postfix_last(unit: Unit, last: int) -> int:
    tokens = unit.tokens
    while True:
        following = tokens[last + 1].text
        if following in ("(", "["):
            closer = match_bracket(tokens, last + 1)
        elif following == "<" and tokens[last].text.endswith("_cast"):
            closer = match_angle(tokens, last + 1)
        elif following in (".", "->", "::") and tokens[last + 2].kind == IDENT:
            closer = last + 2
        else:
            return last
        if closer is None:
            return last
        last = closer


def _target(unit: Unit, cast: Cast, around: Around) -> str | None:
    """Return the type to cast to instead; empty: it stays; None: that is not certain."""
    tokens = unit.tokens
    use, takes = around.use, around.takes
    before, after = tokens[use.whole.first - 1].text, tokens[use.whole.last + 1].text
    if not use.integer and not use.sums:
        return _INTEGER if before == "=" and takes == "integer" else ""
    if tokens[use.whole.first].directive != tokens[cast.type].directive:
        return None
    if use.integer:
        return _INTEGER if around.handle or takes in ("integer", "handle") else None
    if around.handle:
        is_subtracted = tokens[cast.span.first - 1].text == "-" and not _is_integer(unit, cast)
        is_difference = is_subtracted and (takes != "integer" or around.of_handle)
        return _BYTES if is_difference else _INTEGER
    is_compared = not (ORDERS | EQUALS).isdisjoint((before, after))
    if around.paired or (takes == "integer" and not is_compared):
        return _INTEGER
    return None if is_compared else _BYTES


def _is_integer(unit: Unit, cast: Cast) -> bool:
    """Whether what is cast is made of numbers and integer variables alone."""
    inner = range(cast.type + 2, cast.span.last + 1)
    return all(
        is_integer_variable(unit, n) or unit.tokens[n].text == "sizeof"
        for n in inner
        if unit.tokens[n].kind == IDENT
    )


def _written(unit: Unit, cast: Cast, target: str) -> list[Edit]:
    type_ = unit.tokens[cast.type]
    if target == _INTEGER:
        return [Edit(type_.start, type_.end, target, type_.text)]
    if cast.name >= 0:
        opener, closer = unit.tokens[cast.type - 1], unit.tokens[cast.type + 1]
        name = unit.tokens[cast.name]
        return [
            Edit(name.start, opener.end, "("),
            Edit(type_.start, type_.end, target, type_.text),
            Edit(closer.start, closer.end, ")"),
        ]
    is_bracketed = cast.span.first < cast.type
    return [Edit(type_.start, type_.end, target if is_bracketed else f"({target})", type_.text)]
