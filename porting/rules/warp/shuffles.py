"""Shuffles: without the 32-bit mask, and 32 lanes wide where the code counts in 32."""

from collections.abc import Iterator, Sequence
from typing import Final

from porting.diagnostics import Diagnostic
from porting.edits import Edit
from porting.rules.bfloat_bits import FROM_BITS, TO_BITS
from porting.rules.functions import Function
from porting.rules.narrow_floats import Narrow, narrow_type
from porting.rules.unit import Unit
from porting.rules.warp.arguments import (
    Mask,
    drop_first,
    has_effects,
    is_variadic,
    kind_of_mask,
)
from porting.rules.warp.codes import PAIR, SHUFFLE, UNFOLLOWED
from porting.rules.warp.hidden import check_hidden
from porting.rules.warp.overloads import without_mask
from porting.rules.warp.width import LANES, Widths
from porting.syntax import Call, call_at

SHUFFLES: Final = {
    "__shfl_sync": "__shfl",
    "__shfl_up_sync": "__shfl_up",
    "__shfl_down_sync": "__shfl_down",
    "__shfl_xor_sync": "__shfl_xor",
}
_ARGUMENTS: Final = (3, 4)


def check_shuffles(unit: Unit, widths: Widths) -> Iterator[Diagnostic]:
    """Yield the rewrite of every shuffle with a mask that is not 64 bits wide."""
    for name, plain in SHUFFLES.items():
        own = _own(unit, name) if name in unit.project.declared else []
        overloads = [function for function in own if _calls_builtin(unit, function, name)]
        if own and not overloads:
            continue
        mended = [without_mask(unit, widths, function, name, plain) for function in overloads]
        if all(mended):
            pairs = zip(overloads, mended, strict=True)
            yield from (_overload(unit, function, plain, edits) for function, edits in pairs)
        for place in unit.where(name):
            if unit.tokens[place - 1].text in ("define", "undef", "defined", "ifdef", "ifndef"):
                continue
            if any(place == function.name for function in own):
                continue
            call = call_at(unit.tokens, place)
            is_beside = own and unit.functions.around(place) not in overloads
            if call is None or not _is_readable(unit, call) or (is_beside and not all(mended)):
                yield _unfollowed(unit, place)
            else:
                yield from _rewritten(unit, widths, call, plain)


def _overload(unit: Unit, function: Function, plain: str, edits: Sequence[Edit]) -> Diagnostic:
    name = unit.tokens[function.name]
    message = f"this overload of {name.text} becomes one of {plain}, which its calls become"
    return unit.diagnose(SHUFFLE, name, message, symbol=name.text, edits=edits)


def _rewritten(unit: Unit, widths: Widths, call: Call, plain: str) -> Iterator[Diagnostic]:
    """Yield what becomes of one call, and whether its value's type leaves that open."""
    value = narrow_type(unit, call.arguments[1])
    if value is None:
        yield from check_hidden(unit, call)
    if value is Narrow.BFLOAT2:
        yield _pair(unit, call.name)
    elif value is Narrow.BFLOAT or kind_of_mask(unit, call.arguments[0]) is not Mask.WIDE:
        yield _shuffle(unit, widths, call, plain)


def _own(unit: Unit, name: str) -> list[Function]:
    """Return the functions and macros of this file with the builtin's name."""
    return [
        function
        for function in unit.functions.all
        if function.name >= 0 and unit.tokens[function.name].text == name
    ]


def _calls_builtin(unit: Unit, function: Function, name: str) -> bool:
    """Whether a function calls its own name: an overload for a class that uses the builtin."""
    return any(function.open < place < function.close for place in unit.where(name))


def _is_readable(unit: Unit, call: Call) -> bool:
    return (
        len(call.arguments) in _ARGUMENTS
        and unit.tokens[call.name + 1].text == "("
        and not is_variadic(unit.tokens, call)
        and not has_effects(unit.tokens, call.arguments[0])
    )


def _unfollowed(unit: Unit, place: int) -> Diagnostic:
    name = unit.tokens[place].text
    return unit.diagnose(
        UNFOLLOWED,
        unit.tokens[place],
        f"{name} is used here in a way that hides its lane mask; HIP needs a 64-bit mask",
        help=f"pass a 64-bit mask, or call {SHUFFLES[name]} without one",
    )


def _shuffle(unit: Unit, widths: Widths, call: Call, plain: str) -> Diagnostic:
    tokens = unit.tokens
    name = tokens[call.name]
    edits = [Edit(name.start, name.end, plain, name.text), drop_first(unit, call)]
    logical = widths.logical
    width = "the width it has"
    if len(call.arguments) == _ARGUMENTS[0]:
        width = "32-lane warps" if logical else "the whole wavefront"
        if logical:
            # In the place of the bracket: what is put behind a call in an argument comes before.
            close = tokens[call.close]
            edits.append(Edit(close.start, close.end, f", {LANES})", name.text))
    if narrow_type(unit, call.arguments[1]) is Narrow.BFLOAT:
        edits += _through_bits(unit, call)
        edits[0] = Edit(name.start, name.end, f"{FROM_BITS[0]}({plain}", name.text)
    return unit.diagnose(
        SHUFFLE,
        name,
        f"{name.text} becomes {plain} over {width}: HIP's masks have 64 bits and must name the"
        " active lanes exactly",
        end=tokens[call.close].end,
        edits=edits,
    )


def _through_bits(unit: Unit, call: Call) -> list[Edit]:
    """Return the edits that pass a bfloat16 to a shuffle as the 16 bits it has."""
    tokens, value = unit.tokens, call.arguments[1]
    name = tokens[call.name].text
    start, comma, close = tokens[value.first].start, tokens[value.last], tokens[call.close]
    return [
        Edit(start, start, f"{TO_BITS[0]}(", name),
        Edit(comma.start, comma.end, f"){TO_BITS[1]},", name),
        Edit(close.end, close.end, f"){FROM_BITS[1]}", name),
    ]


def _pair(unit: Unit, place: int) -> Diagnostic:
    name = unit.tokens[place].text
    return unit.diagnose(
        PAIR,
        unit.tokens[place],
        f"{name} of two bfloat16 numbers in one value, which no function of HIP shuffles",
        help="shuffle __low2bfloat16(v) and __high2bfloat16(v), and join them with"
        " __halves2bfloat162",
    )
