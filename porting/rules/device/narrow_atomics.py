"""Atomic additions to 16-bit floating-point numbers, which HIP has no overloads for."""

from collections.abc import Iterator
from typing import Final

from porting.diagnostics import Diagnostic
from porting.rules.device.calls import CallEdits
from porting.rules.device.codes import NARROW_ATOMIC
from porting.rules.narrow_floats import Narrow, narrow_type, spellings
from porting.rules.unit import Unit
from porting.syntax import Argument, Call

NAMES: Final = ("atomicAdd",)


def rewrite(unit: Unit, call: Call) -> Iterator[Diagnostic]:
    """Yield the finding of one atomicAdd, when its address is known to be that of such a number."""
    if not call.arguments:
        return
    narrow = narrow_type(unit, call.arguments[0]) or _cast_to(unit, call.arguments[0])
    if narrow is None:
        return
    pair = narrow in (Narrow.HALF2, Narrow.BFLOAT2)
    what = "the word of the pair" if pair else "the aligned 32-bit word that holds the number"
    yield CallEdits(unit, call).done(
        NARROW_ATOMIC,
        f"atomicAdd has no overload for {narrow.value[0]} in HIP",
        f"add to a float and convert at the end, or loop over atomicCAS on {what}",
    )


def _cast_to(unit: Unit, argument: Argument) -> Narrow | None:
    """Return the type that the argument casts a pointer to."""
    tokens = unit.tokens
    for narrow in Narrow:
        names = spellings(unit, narrow)
        for at in range(argument.first + 1, argument.last - 2):
            if tokens[at].text in names and tokens[at + 1].text == "*":
                return narrow if tokens[at + 2].text in (">", ")") else None
    return None
