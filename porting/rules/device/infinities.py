"""__hisinf, which gives -1 for the infinity below zero in CUDA, and 1 or true in HIP."""

from collections.abc import Iterator
from typing import Final

from porting.diagnostics import Diagnostic
from porting.rules.device.calls import CallEdits
from porting.rules.device.codes import OTHER_RESULT
from porting.rules.device.signs import keeps_its_value, operators_around
from porting.rules.unit import Unit
from porting.syntax import Call

NAMES: Final = ("__hisinf",)
_PARAMETER: Final = "ported_x"
# The sign is the highest bit of both types of 16 bits.  Options for fast math may take infinities
# away from comparisons, and neither from HIP's function nor from bits.
_WITH_SIGN: Final = (
    "[](auto ported_x) { return __hisinf(ported_x)"
    " ? 1 - 2 * (__builtin_bit_cast(unsigned short, ported_x) >> 15) : 0; }"
)
_LOGICAL: Final = frozenset(("&&", "||"))
_ASKS: Final = _LOGICAL | {"?"}
_BEFORE: Final = _LOGICAL | {"(", ",", "=", "return", ";", "{", "}", "?", ":", "["}
_BEHIND: Final = _ASKS | {")", ",", ";", "}", ":", "]"}
_CONDITIONS: Final = frozenset(("if", "while"))


def rewrite(unit: Unit, call: Call) -> Iterator[Diagnostic]:
    """Yield the rewrite of one call, unless only its truth counts or it is written already."""
    edits = CallEdits(unit, call)
    if len(call.arguments) != 1 or edits.text(0) == _PARAMETER or _is_condition(unit, call):
        return
    edits.around(_WITH_SIGN)
    yield edits.done(OTHER_RESULT, "__hisinf has the sign of the infinity in CUDA, and gets it")


def _is_condition(unit: Unit, call: Call) -> bool:
    """Whether a result of 1 and one of -1 are the same to what takes them."""
    tokens, words = unit.tokens, unit.tokens.words
    left, right = operators_around(unit, call)
    if words[left] == "!":
        return True
    if keeps_its_value(words, right):
        return False
    if right >= len(tokens) or tokens.directives[left] != tokens.directives[right]:
        return False  # the end of a macro's body, which may become part of any expression
    if words[left] == "(" and words[left - 1] in _CONDITIONS:
        return words[right] == ")" or words[right] in _ASKS
    if words[left] in _LOGICAL:
        return words[right] in _BEHIND
    return words[left] in _BEFORE and words[right] in _ASKS
