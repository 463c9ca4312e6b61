"""Device functions that HIP has by CUDA's name, with a result of another value or type."""

from collections.abc import Iterator
from typing import Final

from porting.diagnostics import Diagnostic
from porting.edits import Edit
from porting.rules.bfloat_bits import FROM_BITS, TO_BITS, TO_SIGNED_BITS
from porting.rules.device import averages, infinities
from porting.rules.device.calls import CallEdits
from porting.rules.device.codes import OTHER_RESULT, UNCALLED
from porting.rules.device.signs import sign_shows
from porting.rules.unit import Unit
from porting.syntax import IDENT, Call

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
_COUNTS: Final = ("__popc", "__popcll")
_PLACES: Final = ("__ffs", "__ffsll")
_SIGNED_PLACES: Final = (7, 0)  # the release whose __ffs and __ffsll return int
_NO_USE: Final = frozenset(("define", "undef", "ifdef", "ifndef", "defined", "using", ".", "->"))


def names(unit: Unit) -> tuple[str, ...]:
    """Return the functions whose result is another one in the release that is ported to."""
    places = _PLACES if unit.target.release < _SIGNED_PLACES else ()
    return (*_FORMS, *_COUNTS, *places)


def rewrite(unit: Unit, call: Call) -> Iterator[Diagnostic]:
    """Yield the rewrite of one call, unless it is cast already."""
    edits = CallEdits(unit, call)
    name = edits.name.text
    if name not in _FORMS:
        yield from _count(edits)
        return
    front, back, why = _FORMS[name]
    if name in front and _is_cast(unit, call):
        return
    edits.rename(front)
    edits.after(back)
    yield edits.done(OTHER_RESULT, f"{name} {why}")


def uncalled(unit: Unit) -> Iterator[Diagnostic]:
    """Yield where such a function is named without a call: then it is HIP's."""
    words = unit.tokens.words
    every = (*names(unit), *infinities.NAMES, *averages.names(unit))
    for name in filter(unit.index.__contains__, every):
        if name in unit.project.declared:
            continue
        for place in unit.where(name):
            if words[place + 1 : place + 2] != ["("] and _is_use(unit, place):
                yield unit.diagnose(
                    UNCALLED,
                    unit.tokens[place],
                    f"{name} is named here without a call, and HIP's function of that name gives"
                    f" {_other(name)}",
                    help=f"name a function or lambda of your own that calls {name}: calls are"
                    " rewritten",
                )


def _is_use(unit: Unit, place: int) -> bool:
    """Whether a name is neither a preprocessor's, a member, nor of another namespace."""
    words, before = unit.tokens.words, place - 1
    if words[before] == "(" and words[before - 1] == "defined":
        return False
    if words[before] == "::":
        before -= 1
        if unit.tokens.kinds[before] == IDENT:
            return False
    return words[before] not in _NO_USE


def _other(name: str) -> str:
    if name == "__umul24":
        return "int where CUDA's gives unsigned"
    if name in _FORMS:
        return "another number where CUDA's keeps the bits (ROCm 6.2)"
    if name in infinities.NAMES:
        return "1 for both infinities where CUDA's gives -1 for that below zero"
    if name in averages.NAMES:
        return "wrong averages of integers before ROCm 7.1"
    return "unsigned where CUDA's gives int"


def _count(edits: CallEdits) -> Iterator[Diagnostic]:
    """Yield the cast around a call whose small result is unsigned, where that may show.

    The name stays free for the rules of masks, and what they put behind the call stays outside.
    """
    unit, call, name = edits.unit, edits.call, edits.name
    if not sign_shows(unit, call):
        return
    first = call.name - (unit.tokens[call.name - 1].text == "::")
    start, close = unit.tokens[first].start, unit.tokens[call.close]
    edits.edits = [
        Edit(start, start, "static_cast<int>(", name.text),
        Edit(close.start, close.end, "))", name.text),
    ]
    yield edits.done(OTHER_RESULT, f"{name.text} is int in CUDA and unsigned in HIP: it is cast")


def _is_cast(unit: Unit, call: Call) -> bool:
    """Whether the call is all that a cast to unsigned holds."""
    before = tuple(unit.tokens.words[max(call.name - len(_CAST), 0) : call.name])
    return before == _CAST and unit.tokens[call.close + 1].text == ")"
