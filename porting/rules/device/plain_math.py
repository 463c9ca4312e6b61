"""Functions of CUDA's math headers that HIP lacks, for all operands or for some types."""

from collections.abc import Callable, Iterator
from typing import Final

from porting.diagnostics import Diagnostic
from porting.edits import Edit
from porting.rules.device.calls import CallEdits, is_simple
from porting.rules.device.codes import INTRINSIC, INTRINSIC_UNKNOWN
from porting.rules.narrow_floats import Narrow, narrow_type
from porting.rules.unit import Unit
from porting.rules.variables import is_a
from porting.syntax import IDENT, Argument, Call

_OF_TYPE: Final = {
    f"{prefix}{function}": (function, kind)
    for prefix, kind in (("u", "unsigned"), ("ll", "long long"), ("ull", "unsigned long long"))
    for function in ("min", "max")
}
_FLOATS: Final = {"sincos": "sincosf", "sincospi": "sincospif"}
_PAIRS: Final = {"__hmax2": "__hmax", "__hmin2": "__hmin"}
NAMES: Final = (*_OF_TYPE, "fdivide", *_FLOATS, *_PAIRS)
_TWO: Final = 2
_THREE: Final = 3


def rewrite(unit: Unit, call: Call) -> Iterator[Diagnostic]:
    """Yield the rewrite of one call, when it is CUDA's function that is called."""
    edits = CallEdits(unit, call)
    name = edits.name.text
    wanted = _THREE if name in _FLOATS else _TWO
    if len(call.arguments) != wanted or _is_of_another(unit, call):
        return
    writer: Callable[[CallEdits], Diagnostic | None] = _divide
    if name in _OF_TYPE:
        writer = _of_type
    elif name in _FLOATS:
        writer = _float
    elif name in _PAIRS:
        writer = _pair
    finding = writer(edits)
    if finding is not None:
        yield finding


def _is_of_another(unit: Unit, call: Call) -> bool:
    """Whether the name is a namespace's or a class's, or a variable's of this file."""
    tokens = unit.tokens
    if tokens[call.name - 1].text == "::" and tokens[call.name - 2].kind == IDENT:
        return True
    name = tokens[call.name].text
    function = unit.functions.around(call.open)
    is_plain = not name.startswith("__")  # the others are for the device, whatever marks the caller
    if is_plain and (function is None or not (function.on_device or function.is_macro)):
        return True
    places = unit.where(name)
    return any(at + 1 < len(tokens) and tokens[at + 1].text in ("=", "{") for at in places)


def _of_type(edits: CallEdits) -> Diagnostic:
    """Write umin and its kin as min and max of operands with that type."""
    function, kind = _OF_TYPE[edits.name.text]
    edits.rename(f"::{function}")
    for argument in edits.call.arguments:
        start, end = edits.tokens[argument.first].start, edits.tokens[argument.last - 1].end
        edits.edits.append(Edit(start, start, f"static_cast<{kind}>(", edits.name.text))
        edits.edits.append(Edit(end, end, ")", edits.name.text))
    message = f"{edits.name.text} is written as {function} of two {kind} values"
    return edits.done(INTRINSIC, message)


def _divide(edits: CallEdits) -> Diagnostic:
    first, second = edits.call.arguments
    start, end = edits.tokens[first.last - 1].end, edits.tokens[second.first].start
    edits.rename("(")
    edits.edits.append(Edit(start, end, ") / (", edits.name.text))
    edits.after(")")
    return edits.done(INTRINSIC, "fdivide is written as a division")


def _float(edits: CallEdits) -> Diagnostic | None:
    """Name the float form, when the results go to floats: HIP has no overload."""
    result = edits.call.arguments[1]
    name = next(
        (at for at in range(result.first, result.last) if edits.tokens[at].kind == IDENT), None
    )
    if name is None or not is_a(edits.unit, name, ("float",)):
        return None
    new = _FLOATS[edits.name.text]
    edits.rename(new)
    return edits.done(INTRINSIC, f"{edits.name.text} of floats becomes {new}: HIP has no overload")


def _pair(edits: CallEdits) -> Diagnostic | None:
    """Write the larger or smaller of two __half2 values half by half."""
    unit, arguments = edits.unit, edits.call.arguments
    if unit.functions.around(edits.call.open) is None:
        if not any(_is_half2(unit, argument) for argument in arguments):
            return None
    elif not any(narrow_type(unit, argument) is Narrow.HALF2 for argument in arguments):
        return None
    name = edits.name.text
    if not all(is_simple(edits.tokens, argument) for argument in arguments):
        return edits.done(
            INTRINSIC_UNKNOWN,
            f"{name} of __half2 is not in HIP, and is written with each operand twice",
            "store the operands in variables first, and port again",
        )
    left, right = edits.text(0), edits.text(1)
    one = _PAIRS[name]
    halves = ", ".join(
        f"{one}(__{part}2half({left}), __{part}2half({right}))" for part in ("low", "high")
    )
    edits.whole(f"__halves2half2({halves})")
    return edits.done(INTRINSIC, f"{name} of __half2 is written half by half")


def _is_half2(unit: Unit, argument: Argument) -> bool:
    """Whether a name was last declared as a __half2, in a function that is not told apart."""
    if argument.last - argument.first != 1:
        return False
    tokens = unit.tokens
    for place in reversed(unit.where(tokens[argument.first].text)):
        at = place - 1
        while tokens[at].text in ("const", "&"):
            at -= 1
        if place < argument.first and tokens[at].kind == IDENT and tokens[at].text != "return":
            return tokens[at].text in Narrow.HALF2.value
    return False
