"""Averages of integers, which HIP computes wrongly before ROCm 7.1.

The header of ROCm 6.2 gives 0 or 1 for __hadd and __rhadd, and loses the carry in __uhadd and
__urhadd; that of 7.1 is right, and none between them was read.  __hadd is also the sum of two
halves or two bfloat16 numbers, which stays: where the operands do not tell, the compiler chooses.
"""

import re
from collections.abc import Iterator
from typing import Final

from porting.diagnostics import Diagnostic
from porting.edits import Edit
from porting.rules.device.calls import NUMBERS, CallEdits, declared, pointee
from porting.rules.device.codes import OTHER_RESULT
from porting.rules.narrow_floats import Narrow, narrow_type, spellings
from porting.rules.unit import Unit
from porting.syntax import IDENT, NUMBER, Argument, Call, call_at

SINCE: Final = (7, 1)  # the oldest release whose header is known to be right
# Function -> the type of the average, and what is added to the sum.
_AVERAGES: Final = {
    "__hadd": ("int", "0ll"),
    "__rhadd": ("int", "1ll"),
    "__uhadd": ("unsigned", "0ull"),
    "__urhadd": ("unsigned", "1ull"),
}
NAMES: Final = tuple(_AVERAGES)
_ALSO_A_SUM: Final = "__hadd"
_TWO: Final = 2
_PARAMETERS: Final = ("ported_x", "ported_y")
_BY_TYPE: Final = (
    "[](auto ported_x, auto ported_y) {"
    " if constexpr (__is_class(decltype(__hadd(ported_x, ported_y))))"
    " return __hadd(ported_x, ported_y);"
    " else return static_cast<int>((0ll + static_cast<int>(ported_x)"
    " + static_cast<int>(ported_y)) >> 1); }"
)
# Functions that give a 16-bit floating-point number, and such that give what they are given.
_GIVES_NARROW: Final = re.compile(
    r"__\w+(?:2|_as_)(?:b?float16|half)(?:_r[nzdu])?"
    r"|__h(?:sub|mul|div|fma|abs|neg|max|min)(?:_\w+)?"
)
_PASSES_ON: Final = re.compile(r"__hadd|__ldg|__shfl\w*")


def names(unit: Unit) -> tuple[str, ...]:
    """Return the functions that the release that is ported to computes wrongly."""
    return NAMES if unit.target.release < SINCE else ()


def rewrite(unit: Unit, call: Call) -> Iterator[Diagnostic]:
    """Yield the rewrite of one call, unless it is a sum of 16-bit numbers or written already."""
    if len(call.arguments) != _TWO:
        return
    edits = CallEdits(unit, call)
    name = edits.name.text
    if name == _ALSO_A_SUM and not any(_is_number(unit, argument) for argument in call.arguments):
        if _is_written(edits) or any(_is_narrow(unit, argument) for argument in call.arguments):
            return
        edits.around(_BY_TYPE)
        how = "the compiler chooses between it and the sum of halves"
    else:
        _average(edits)
        how = "it is written out"
    text = f"{name} of integers is another number in HIP before ROCm 7.1: {how}"
    yield edits.done(OTHER_RESULT, text)


def _average(edits: CallEdits) -> None:
    kind, added = _AVERAGES[edits.name.text]
    comma, second = (edits.tokens[edits.call.arguments[1].first - back] for back in (1, 0))
    is_close = edits.unit.source.text[comma.end : second.start] in ("", " ")
    end = second.start if is_close else comma.end
    edits.rename(f"static_cast<{kind}>(({added} + static_cast<{kind}>")
    edits.edits.append(Edit(comma.start, end, f") + static_cast<{kind}>(", edits.name.text))
    edits.after(") >> 1)")


def _is_written(edits: CallEdits) -> bool:
    """Whether the call is one of those in what this rule writes."""
    return tuple(edits.text(number) for number in range(_TWO)) == _PARAMETERS


def _is_narrow(unit: Unit, argument: Argument) -> bool:
    """Whether an operand is a 16-bit floating-point number by its declaration or its form."""
    if narrow_type(unit, argument) is not None or _is_cast_to_narrow(unit, argument):
        return True
    call = call_at(unit.tokens, argument.first)
    if call is None or call.close != argument.last - 1:
        return False
    name = unit.tokens[call.name].text
    if _PASSES_ON.fullmatch(name):
        return any(_is_narrow(unit, part) for part in call.arguments)
    return _GIVES_NARROW.fullmatch(name) is not None


def _is_cast_to_narrow(unit: Unit, argument: Argument) -> bool:
    """Whether an operand begins with a cast to a 16-bit floating-point type."""
    words = unit.tokens.words[argument.first : argument.last]
    kinds = {spelling for narrow in Narrow for spelling in spellings(unit, narrow)}
    if words[0] in kinds:
        return words[1:2] == ["("]
    if words[0] == "(":
        return words[2:3] == [")"] and words[1] in kinds
    return words[0] == "static_cast" and words[2] in kinds


def _is_number(unit: Unit, argument: Argument) -> bool:
    """Whether an operand is made of numbers, and of variables declared as such, alone."""
    places = range(argument.first, argument.last)
    kinds = unit.tokens.kinds
    return all(_is_of_number(unit, place) for place in places if kinds[place] == IDENT) and any(
        kinds[place] in (IDENT, NUMBER) for place in places
    )


def _is_of_number(unit: Unit, place: int) -> bool:
    """Whether a word is a type of numbers, a variable of one, or an average."""
    words = unit.tokens.words
    word = words[place]
    if word in NUMBERS or word in NAMES or word == "static_cast":
        return True
    if words[place - 1] in (".", "->", "::"):
        return False
    types = declared(unit, place, word, pointer=False)
    if not types and (words[place - 1] == "*" or words[place + 1] == "["):
        types = pointee(unit, Argument(place, place + 1))
    return bool(types) and types <= NUMBERS
