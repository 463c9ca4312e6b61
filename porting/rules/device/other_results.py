"""Device functions that HIP has by CUDA's name, with a result of another value or type."""

from collections.abc import Iterator
from typing import Final

from porting.diagnostics import Diagnostic
from porting.rules.bfloat_bits import FROM_BITS, TO_BITS, TO_SIGNED_BITS
from porting.rules.device.calls import CallEdits
from porting.rules.device.codes import OTHER_RESULT
from porting.rules.unit import Unit
from porting.syntax import Call

_BITS: Final = "keeps the bits, which the function of HIP's name converts in ROCm 6.2"
_SIGN: Final = "is unsigned in CUDA and int in HIP: it is cast"
_CAST: Final = ("static_cast", "<", "unsigned", ">", "(")
# Function -> what takes the place of its name, what follows its closing parenthesis, and why.
_FORMS: Final = {
    "__bfloat16_as_ushort": (*TO_BITS, _BITS),
    "__bfloat16_as_short": (*TO_SIGNED_BITS, _BITS),
    "__ushort_as_bfloat16": (*FROM_BITS, _BITS),
    "__short_as_bfloat16": (*FROM_BITS, _BITS),
    "__umul24": ("static_cast<unsigned>(__umul24", ")", _SIGN),
}
NAMES: Final = tuple(_FORMS)


def rewrite(unit: Unit, call: Call) -> Iterator[Diagnostic]:
    """Yield the rewrite of one call, unless it is cast already."""
    edits = CallEdits(unit, call)
    name = edits.name.text
    front, back, why = _FORMS[name]
    if name in front and _is_cast(unit, call):
        return
    edits.rename(front)
    edits.after(back)
    yield edits.done(OTHER_RESULT, f"{name} {why}")


def _is_cast(unit: Unit, call: Call) -> bool:
    """Whether the call is all that a cast to unsigned holds."""
    before = tuple(unit.tokens.words[max(call.name - len(_CAST), 0) : call.name])
    return before == _CAST and unit.tokens[call.close + 1].text == ")"
