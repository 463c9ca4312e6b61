"""The number of lanes written as 32, and warpSize where a constant is needed."""

from collections.abc import Iterator
from typing import Final

from porting.diagnostics import Diagnostic
from porting.edits import Edit
from porting.rules.unit import Unit
from porting.rules.warp.codes import CONSTANT, LITERAL, MIXED, MIXED_MACRO, SHORT_ARRAY
from porting.rules.warp.votes import FIRST_SYNC
from porting.rules.warp.width import LANES, Literal, Widths, integer
from porting.syntax import statement_start

_CONSTANT_WORDS: Final = frozenset(("constexpr", "static_assert", "case", "enum", "consteval"))


def check_literals(unit: Unit, widths: Widths) -> Iterator[Diagnostic]:
    """Yield the places that fix the number of lanes, and warpSize where they make it 32."""
    for literal in widths.literals:
        yield _literal(unit, literal)
    if not widths.logical:
        yield from _short_arrays(unit)
    for place in widths.wave_places:
        if widths.mixed:
            yield _mixed(unit, widths, place)
        elif unit.target.release >= FIRST_SYNC and _needs_constant(unit, place):
            yield unit.diagnose(
                CONSTANT,
                unit.tokens[place],
                f"warpSize is no constant in ROCm {unit.target.rocm}, and one is needed here",
                help="use 64, the widest wavefront, for a bound; else a template parameter",
            )


def _short_arrays(unit: Unit) -> Iterator[Diagnostic]:
    """Yield writes at a lane's index to shared arrays of 32 elements."""
    tokens = unit.tokens
    for place in unit.where("__shared__"):
        bracket = next((at for at in range(place, place + 12) if tokens[at].text == "["), None)
        if bracket is None or integer(tokens[bracket + 1]) != LANES:
            continue
        for use in unit.where(tokens[bracket - 1].text):
            words = [token.text for token in tokens[use + 1 : use + 5]]
            written = words[:1] == ["["] and words[2:] == ["]", "="]
            if written and "lane" in words[1].lower():
                yield unit.diagnose(
                    SHORT_ARRAY,
                    tokens[use],
                    f"'{tokens[use].text}' has {LANES} elements and is written by every lane, of"
                    " which gfx9 has 64",
                    help="give the array 64 elements",
                )


def _literal(unit: Unit, literal: Literal) -> Diagnostic:
    return unit.diagnose(
        LITERAL,
        unit.tokens[literal.index],
        f"'{literal.text}' counts in 32-lane warps, two to a 64-lane wavefront",
    )


def _mixed(unit: Unit, widths: Widths, place: int) -> Diagnostic:
    """Write warpSize as 32 where other code counts in 32."""
    token = unit.tokens[place]
    where = "this file" if widths.literals else "another file of the tree"
    if token.text != "warpSize":
        return unit.diagnose(
            MIXED_MACRO,
            token,
            f"{token.text} is 64 on gfx9, and {where} counts in 32-lane warps",
            help="count in one of them throughout",
        )
    return unit.diagnose(
        MIXED,
        token,
        f"warpSize is written as {LANES}: {where} counts in 32-lane warps",
        edits=[Edit(token.start, token.end, str(LANES), token.text)],
    )


def _needs_constant(unit: Unit, place: int) -> bool:
    """Whether warpSize stands in an array bound, a template argument or a constant initializer."""
    tokens = unit.tokens
    start = statement_start(tokens, place)
    words = {tokens[at].text for at in range(start, place)}
    if words & _CONSTANT_WORDS:
        return True
    before = start - 1
    if before >= 0 and tokens[before].text == "(" and tokens[before - 1].text in _CONSTANT_WORDS:
        return True
    return _is_bound(unit, place) or _is_template_argument(unit, place)


def _is_bound(unit: Unit, place: int) -> bool:
    """Whether `place` is in the brackets of an array declaration."""
    tokens = unit.tokens
    depth = 0
    for at in range(place - 1, max(0, place - 24), -1):
        text = tokens[at].text
        if text in (")", "]"):
            depth += 1
        elif text in ("(", "["):
            depth -= 1
            if depth < 0:
                start = statement_start(tokens, at)
                words = {tokens[i].text for i in range(start, at)}
                return (
                    text == "["
                    and at - start > 1
                    and not words & {"=", "return", "+="}
                    and ("__shared__" in words or tokens[at - 2].kind == tokens[at - 1].kind)
                )
        elif text in (";", "{", "}"):
            return False
    return False


def _is_template_argument(unit: Unit, place: int) -> bool:
    tokens = unit.tokens
    before, after = tokens[place - 1].text, tokens[place + 1].text
    return (
        before in ("<", ",")
        and after in (">", ",", ">>")
        and (before == "<" or after != ",")
        and any(tokens[at].text == "<" for at in range(max(0, place - 8), place))
        and (before == "<" or ">" in after)
    )
