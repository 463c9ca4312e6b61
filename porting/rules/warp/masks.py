"""Variables that hold lane masks: 64 bits wide, with the functions that count their bits."""

from collections.abc import Iterator

from porting.diagnostics import Diagnostic
from porting.rules.unit import Unit
from porting.rules.warp.arguments import FULL_32, constant_value
from porting.rules.warp.codes import WIDENED
from porting.rules.warp.combining import cast_finding
from porting.rules.warp.declarations import declaration_at, widen
from porting.rules.warp.flow import Known
from porting.rules.warp.operands import met_at
from porting.rules.warp.places import is_sole_declarator
from porting.rules.warp.reading import macro_shifts, read_masks
from porting.rules.warp.results import prototypes
from porting.rules.warp.vocabulary import MASKED
from porting.rules.warp.widening import Widening, full_literal, shift_finding
from porting.rules.warp.width import Widths
from porting.syntax import IDENT


def check_masks(unit: Unit, widths: Widths) -> Iterator[Diagnostic]:
    """Yield the widening of every variable, constant and result type that holds lane masks."""
    wave = not widths.logical
    if wave:
        yield from _constants(unit)
    tree = Known(unit.project.lane_masks, unit.project.met_by_masks) if wave else Known()
    flows, known = read_masks(unit, tree, wave=wave)
    for flow in flows:
        yield from Widening(unit, widths, flow, known).findings()
    if wave:
        yield from _macros(unit, known)
        yield from prototypes(unit, known.functions)


def _macros(unit: Unit, known: Known) -> Iterator[Diagnostic]:
    """Widen the shifts that make masks in macros, and what they are cast to there."""
    cast: set[int] = set()
    for macro, shift in macro_shifts(unit, known):
        yield shift_finding(unit, shift)
        for first, last in met_at(unit.tokens, shift.first, macro.first).casts:
            if not shift.first <= first < shift.operator and first not in cast:
                cast.add(first)
                yield cast_finding(unit, first, last)


def _constants(unit: Unit) -> Iterator[Diagnostic]:
    """Widen the constants of this file that are used as masks of *_sync functions."""
    names: dict[str, None] = {}
    for builtin in sorted(MASKED):
        for call in unit.calls(builtin):
            if not call.arguments:
                continue
            last = unit.tokens[call.arguments[0].last - 1]
            if last.kind == IDENT:
                names[last.text] = None
    for name in names:
        for place in unit.where(name):
            if constant_value(unit, place) == FULL_32 and _is_constant(unit, place):
                yield _constant(unit, place)


def _is_constant(unit: Unit, place: int) -> bool:
    """Whether `place` defines a macro, or a constant outside of functions or marked constexpr."""
    tokens = unit.tokens
    if tokens[place - 1].text == "define":
        return True
    declaration = declaration_at(tokens, place)
    return (
        declaration is not None
        and not declaration.wide
        and not declaration.deduced
        and is_sole_declarator(unit, declaration)
        and any(tokens[at].text in ("const", "constexpr") for at in range(max(0, place - 6), place))
    )


def _constant(unit: Unit, place: int) -> Diagnostic:
    tokens = unit.tokens
    name = tokens[place]
    edits = [full_literal(unit, place + (1 if tokens[place - 1].text == "define" else 2))]
    declaration = declaration_at(tokens, place)
    if tokens[place - 1].text != "define" and declaration is not None:
        edits.append(widen(tokens, declaration))
    return unit.diagnose(WIDENED, name, f"the lane mask {name.text} gets 64 bits", edits=edits)
