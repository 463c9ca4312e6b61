"""Lane masks that are computed by a shift in 32 bits, and what computes them in 64."""

import re
from dataclasses import dataclass
from typing import Final

from porting.edits import Edit
from porting.rules.functions import Function
from porting.rules.unit import Unit
from porting.rules.warp.arguments import (
    FULL_32,
    constant_value,
    is_constant,
    is_full_name,
    is_wide_literal,
)
from porting.rules.warp.operands import INTEGERS, WIDE_INTEGERS, is_operand_end, operand_end
from porting.rules.warp.width import LANES, integer
from porting.syntax import IDENT, NUMBER, match_bracket, statement_end

_OPERATORS: Final = ("<<", ">>")
_LANE: Final = re.compile(r"(?<![a-zA-Z])lane(?![a-z])|Lane(?![a-z])|(?<![A-Z])LANE(?![A-Z])")
_SIZE_NAME: Final = re.compile(r"lanes?_*(?:bits|shift|log|count)", re.IGNORECASE)
_LANE_ID: Final = re.compile(r"(?<![a-zA-Z])lane_?(?:id|idx|index)(?![a-z])", re.IGNORECASE)
_ARITHMETIC: Final = frozenset(("+", "*", "/", "%"))
_BUT_FIRST: Final = FULL_32 - 1
_TOP: Final = 1 << (LANES - 1)
_LANE_MASKS: Final = frozenset((1, 2, _TOP, _BUT_FIRST, FULL_32))
_SIMPLE: Final = frozenset((".", "->", "::", "+", "-", "*", "/", "%", "(", ")", "[", "]", ","))
_REACH: Final = 12


@dataclass(frozen=True, slots=True)
class Shift:
    """`1u << amount`, `~0u >> amount` and their kin, in 32 bits.

    Token indices: the shifted operand is `[first, operator)`, the amount `[start, end)`.  `value`:
    what is shifted.  `by_lane`: the amount is the number of a lane, as far as its names tell, and
    what is shifted is usual for the mask of some lanes.
    """

    first: int
    operator: int
    start: int
    end: int
    value: int
    by_lane: bool

    def is_among(self, operands: tuple[int, ...]) -> bool:
        """Whether what is shifted is one of the operands."""
        return any(self.first <= at < self.operator for at in operands)


def find_shifts(unit: Unit) -> tuple[Shift, ...]:
    """Return the shifts of a number or of 32 ones in a file's live code, in order."""
    found = [
        shift
        for operator in _OPERATORS
        for at in unit.tokens.find(operator)
        if unit.is_live(unit.tokens[at].start) and (shift := _shift_at(unit, at)) is not None
    ]
    return tuple(sorted(found, key=lambda shift: shift.first))


def _shift_at(unit: Unit, operator: int) -> Shift | None:
    tokens = unit.tokens
    operand = _operand(unit, operator - 1)
    if operand is None or operator + 1 >= len(tokens):
        return None
    first, value = operand
    if value < _TOP and tokens[operator].text == ">>":
        return None
    end = operand_end(tokens, operator + 1)
    function = unit.functions.around(operator)
    by_lane = (
        function is not None
        and value in _LANE_MASKS
        and is_by_lane(unit, function, operator + 1, end)
    )
    return Shift(first, operator, operator + 1, end, value, by_lane)


def _operand(unit: Unit, last: int) -> tuple[int, int] | None:
    """Return the first token of the 32-bit operand that ends at `last`, and its value."""
    tokens = unit.tokens
    found: tuple[int, int] | None
    if tokens[last].text in (")", "}"):
        found = _wrapped_operand(unit, last)
    else:
        found = _literal(unit, last)
    if found is None or found[1] == 0:
        return None
    first = _behind_cast(unit, found[0])
    if first is None or tokens[first - 1].text in _ARITHMETIC:
        return None
    if tokens[first - 1].text == "-" and is_operand_end(tokens, first - 2):
        return None
    return first, found[1]


def _literal(unit: Unit, last: int) -> tuple[int, int] | None:
    """Read `1u`, `~0`, `-1`, `UINT_MAX` or a constant of 32 ones that ends at `last`."""
    tokens = unit.tokens
    token = tokens[last]
    if token.kind == IDENT:
        first = last
        while tokens[first - 1].text == "::" and tokens[first - 2].kind == IDENT:
            first -= 2
        return (first, FULL_32) if _is_full_constant(unit, last) else None
    if token.kind != NUMBER or is_wide_literal(token):
        return None
    value = integer(token)
    if value is None:
        return None
    sign = tokens[last - 1].text
    if sign == "~":
        return last - 1, ~value & FULL_32
    if sign == "-" and not is_operand_end(tokens, last - 2):
        return last - 1, -value & FULL_32
    return last, value


def _is_full_constant(unit: Unit, place: int) -> bool:
    name = unit.tokens[place].text
    known = [constant_value(unit, at) for at in unit.where(name) if is_constant(unit.tokens, at)]
    values = [value for value in known if value is not None]
    return set(values) == {FULL_32} if values else is_full_name(name)


def _wrapped_operand(unit: Unit, last: int) -> tuple[int, int] | None:
    """Read `(1u)`, `unsigned(1)`, `uint32_t{1}` or `static_cast<unsigned>(1)`."""
    tokens = unit.tokens
    opener = next((at for at in range(last, max(0, last - 4), -1) if tokens[at].text in "({"), None)
    found = None if opener is None else _literal(unit, last - 1)
    if opener is None or found is None or found[0] != opener + 1:
        return None
    first = opener
    if tokens[first - 1].text == ">":
        start = next(
            (
                at
                for at in range(first, max(0, first - _REACH), -1)
                if tokens[at].text == "static_cast"
            ),
            None,
        )
        words = {tokens[at].text for at in range(start or first, first)}
        return None if start is None or words & WIDE_INTEGERS else (start, found[1])
    while tokens[first - 1].text in INTEGERS:
        first -= 1
        if tokens[first].text in WIDE_INTEGERS:
            return None
    return None if first == opener and is_operand_end(tokens, first - 1) else (first, found[1])


def _behind_cast(unit: Unit, first: int) -> int | None:
    """Return where `(uint32_t)1` starts, whose 1 is at `first`; None for a cast to 64 bits."""
    tokens = unit.tokens
    if tokens[first - 1].text != ")":
        return first
    opener = next(
        (at for at in range(first - 2, max(0, first - _REACH), -1) if tokens[at].text == "("), first
    )
    words = {tokens[at].text for at in range(opener + 1, first - 1)}
    if not words or not words <= INTEGERS:
        return first
    return None if words & WIDE_INTEGERS else opener


def is_by_lane(unit: Unit, function: Function, start: int, end: int) -> bool:
    """Whether the tokens `[start, end)` compute the number of a lane, or of lanes."""
    tokens = unit.tokens
    if any(
        integer(tokens[at + 1]) in (LANES - 1, LANES) and tokens[at].text in ("&", "%")
        for at in range(start, end - 1)
    ):
        return False
    names = [tokens[at].text for at in range(start, end) if tokens[at].kind == IDENT]
    return any(_names_lane(unit, function, name) for name in dict.fromkeys(names))


def _names_lane(unit: Unit, function: Function, name: str) -> bool:
    if name in ("warpSize", "__lane_id"):
        return True
    for place in unit.where(name):
        if function.first <= place < function.close:
            told = _told_by_initializer(unit, place)
            if told is not None:
                return told
    if (_LANE.search(name) or _LANE_ID.search(name)) and not _SIZE_NAME.search(name):
        return True
    return any(
        unit.tokens[place + 1].text == "(" and _returns_lane(unit, place)
        for place in unit.where(name)
    )


def _told_by_initializer(unit: Unit, place: int) -> bool | None:
    """Whether `name = ...` takes a number modulo warpSize; False for another, small modulus."""
    tokens = unit.tokens
    if tokens[place + 1].text not in ("=", "(", "{") or tokens[place - 1].kind != IDENT:
        return None
    for at in range(place + 2, min(statement_end(tokens, place), place + 40)):
        if tokens[at].text in ("%", "&"):
            told = _told_by_modulus(unit, at)
            if told is not None:
                return told
    return None


def _told_by_modulus(unit: Unit, operator: int) -> bool | None:
    tokens = unit.tokens
    after = operator + (2 if tokens[operator + 1].text == "(" else 1)
    if tokens[after].text == "warpSize":
        return True
    value = integer(tokens[after])
    return None if value is None or value > LANES else False


def _returns_lane(unit: Unit, place: int) -> bool:
    """Whether the function named at `place` is defined there, and computes modulo warpSize."""
    function = unit.functions.around(place)
    if function is None or function.name != place:
        return False
    tokens = unit.tokens
    for at in range(function.open, function.close):
        word = tokens[at].text
        if (word in ("%", "&") and _told_by_modulus(unit, at)) or "%laneid" in word:
            return True
    return False


def widened(unit: Unit, shift: Shift) -> list[Edit] | None:
    """Return the edits that compute a shift in 64 bits; None when they cannot be told.

    What is shifted gets 64 bits, and an amount that counts from the top bit counts from bit 63.
    """
    low, high = _stripped(unit, shift.start, shift.end)
    if shift.value == FULL_32 and unit.tokens[shift.operator].text == ">>":
        return _right(unit, shift, low, high)
    return _left(unit, shift, low, high)


def _value(unit: Unit, shift: Shift, text: str) -> Edit:
    tokens = unit.tokens
    start, end = tokens[shift.first].start, tokens[shift.operator - 1].end
    return Edit(start, end, text, tokens[shift.first].text)


def _ones(unit: Unit, shift: Shift) -> str:
    return "0xffffffffffffffffull" if unit.tokens[shift.first].text[:2] in ("0x", "0X") else "~0ull"


def _right(unit: Unit, shift: Shift, low: int, high: int) -> list[Edit] | None:
    counted = from_top(unit, low, high, by_lane=shift.by_lane)
    if counted is None:
        return None
    edit, clears_all = counted
    # A shift by all 64 bits gives nothing in CUDA, and everything on AMD GPUs: two shifts.
    ones = f"{_ones(unit, shift)} >> 1" if clears_all else _ones(unit, shift)
    return [_value(unit, shift, ones), edit]


def from_top(unit: Unit, low: int, high: int, *, by_lane: bool) -> tuple[Edit, bool] | None:
    """Return the edit that makes `31 - x` count from bit 63, and whether it was `32 - x`.

    `32 - x` becomes `63 - x`, for one more shift by 1.  None when the amount is something else.
    """
    tokens = unit.tokens
    if high - low < 3 or tokens[low + 1].text not in ("-", "^"):  # noqa: PLR2004 - `31 - x`
        return None
    token, operator = tokens[low], tokens[low + 1].text
    size, top = integer(token), str(2 * LANES - 1)
    if size == LANES - 1:
        return Edit(token.start, token.end, top, token.text), False
    if operator == "^" or not (size == LANES or token.text == "warpSize"):
        return None
    if integer(tokens[low + 2]) == 1 and tokens[low + 3].text == "-":
        return Edit(token.start, token.end, str(2 * LANES), token.text), False
    return (Edit(token.start, token.end, top, token.text), True) if by_lane else None


def _left(unit: Unit, shift: Shift, low: int, high: int) -> list[Edit] | None:
    tokens = unit.tokens
    first = tokens[low]
    counts = first.text == "warpSize" or integer(first) in (LANES - 1, LANES)
    if counts and (high - low == 1 or tokens[low + 1].text in ("-", "^")):
        return None
    one_more = _one_more(unit, low, high)
    # `1 << (lane + 1)` shifts by all bits at the last lane: 0 in CUDA, 1 on AMD GPUs.
    value = (shift.value << 1) & FULL_32 if one_more else shift.value
    if shift.value == FULL_32:
        text = "~1ull" if one_more else _ones(unit, shift)
    elif shift.value == _BUT_FIRST and not one_more:
        text = "~1ull"
    elif value < _TOP:
        text = f"{value}ull"
    else:
        return None
    return [_value(unit, shift, text), *([one_more] if one_more else [])]


def _one_more(unit: Unit, low: int, high: int) -> Edit | None:
    """Return the edit that leaves the 1 out of an amount like `lane + 1`; None for another."""
    tokens = unit.tokens
    if high - low < 3 or tokens.words[high - 2 : high] != ["+", "1"]:  # noqa: PLR2004 - `x + 1`
        return None
    if not _is_sum(unit, low, high):
        return None
    return Edit(tokens[high - 3].end, tokens[high - 1].end, "", "+")


def _is_sum(unit: Unit, low: int, high: int) -> bool:
    """Whether `... + 1` adds 1 to all that stands before it."""
    words = unit.tokens.words[low : high - 2]
    kinds = unit.tokens.kinds[low : high - 2]
    return bool(words) and all(
        word in _SIMPLE or kind in (IDENT, NUMBER) for word, kind in zip(words, kinds, strict=True)
    )


def _stripped(unit: Unit, low: int, high: int) -> tuple[int, int]:
    """Return the range of an amount without the parentheses around it."""
    tokens = unit.tokens
    while tokens[low].text == "(" and match_bracket(tokens, low) == high - 1:
        low, high = low + 1, high - 1
    return low, high


def mask_shifted(unit: Unit, operator: int) -> list[Edit] | None:
    """Return the edits for `mask << amount` or `mask >> amount`; None when they cannot be told.

    An amount that counts from the top bit counts from bit 63, and a shift by all bits is made of
    two: it gives 0 in CUDA, and is undone on AMD GPUs.
    """
    tokens = unit.tokens
    end = operand_end(tokens, operator + 1)
    low, high = _stripped(unit, operator + 1, end)
    first = tokens[low]
    counts = first.text == "warpSize" or integer(first) in (LANES - 1, LANES)
    if counts and high - low > 1 and tokens[low + 1].text in ("-", "^"):
        counted = from_top(unit, low, high, by_lane=False)
        left = tokens[operator].text == "<<"
        return [counted[0]] if counted is not None and left else None
    one_more = _one_more(unit, low, high) if tokens[operator].text == ">>" else None
    if one_more is None:
        return []
    behind = tokens[end - 1].end
    if one_more.end == behind:
        return [Edit(one_more.start, behind, " >> 1", one_more.symbol)]
    return [one_more, Edit(behind, behind, " >> 1", one_more.symbol)]
