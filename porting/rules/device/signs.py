"""Where it shows that a small number of an integer function is unsigned and not int.

Such a number has the same value in both types.  They differ where it is calculated with, compared
with a number that may be negative, chosen by `?:`, or where its type is deduced; not where it is
stored, compared for equality, or the index or the count of places of a shift.
"""

from collections.abc import Sequence
from typing import Final

from porting.rules.device.calls import NUMBERS
from porting.rules.unit import Unit
from porting.rules.warp.lambdas import lambda_around
from porting.syntax import IDENT, NUMBER, Call

_LOOSE: Final = frozenset(("==", "!=", "&&", "||"))
_STORES: Final = frozenset(("=", "+=", "-=", "*=", "&=", "|=", "^=", "<<=", ">>="))
_BEFORE: Final = _LOOSE | _STORES | frozenset(("!", "<<", ">>", "return", "[", ";"))
_BEHIND: Final = _LOOSE | frozenset((";", ",", ")", "]", "?"))
_COMPARED: Final = frozenset(("<", ">", "<=", ">="))
_BEFORE_NUMBER: Final = frozenset(("(", "&&", "||", "return", "=", ";", "?"))
_CONDITIONS: Final = frozenset(("if", "while", "switch"))
_GROUPS: Final = frozenset(("return", "else", "do", "case"))
_SUMS: Final = frozenset(("+", "-"))
# Types that keep no more than the 32 bits that both types give.
_NARROW: Final = frozenset(("int", "unsigned", "short", "uint32_t", "int32_t"))
_TYPES: Final = NUMBERS | {"const", "bool", "std", "::"}


def sign_shows(unit: Unit, call: Call) -> bool:
    """Whether something else may come out when a call's small result is unsigned."""
    tokens = unit.tokens
    left, right = operators_around(unit, call)
    if right + 2 >= len(tokens) or tokens.directives[left] != tokens.directives[right]:
        return True  # the end of a macro's body, which may become part of any expression
    if _is_cast(unit, left, right) or _is_sum(unit, left, right):
        return False
    return not (_hides_before(unit, left, right) and _hides_behind(unit, right))


def _hides_before(unit: Unit, left: int, right: int) -> bool:
    """Whether what stands before a call does not tell its type, if it is what takes the result."""
    words = unit.tokens.words
    if words[left] == "(":
        return words[left - 1] in _CONDITIONS
    if words[left] in _COMPARED:
        return unit.tokens.kinds[left - 1] == NUMBER and words[left - 2] in _BEFORE_NUMBER
    return words[left] in _BEFORE and not _is_deduced(unit, left, right)


def _hides_behind(unit: Unit, right: int) -> bool:
    """Whether what stands behind a call does not tell its type."""
    words = unit.tokens.words
    if words[right] in _COMPARED:
        return unit.tokens.kinds[right + 1] == NUMBER and words[right + 2] in _BEHIND
    return words[right] in _BEHIND and not keeps_its_value(words, right)


def keeps_its_value(words: Sequence[str], right: int) -> bool:
    """Whether what stands behind a call is GNU's `?:`, which gives the value that it asks for."""
    return words[right : right + 2] == ["?", ":"]


def operators_around(unit: Unit, call: Call) -> tuple[int, int]:
    """Return the tokens around a call and the parentheses that hold nothing else."""
    words, kinds = unit.tokens.words, unit.tokens.kinds
    left, right = call.name - 1, call.close + 1
    if words[left] == "::":
        left -= 1
    while (
        words[left] == "("
        and right < len(words)
        and words[right] == ")"
        and words[left - 1] not in (">", ")", "]")
        and (kinds[left - 1] != IDENT or words[left - 1] in _GROUPS)
    ):
        left, right = left - 1, right + 1
    return left, right


def _is_cast(unit: Unit, left: int, right: int) -> bool:
    """Whether a cast to a number's type gives the result its type."""
    words = unit.tokens.words
    if words[left] == ")":
        at = left - 1
        while words[at] in _TYPES:
            at -= 1
        return at < left - 1 and words[at] == "(" and words[at - 1] not in ("sizeof", "alignof")
    if words[left] != "(" or words[right] != ")":
        return False
    if words[left - 1] in NUMBERS:
        return True
    at = left - 2
    while words[at] in _TYPES:
        at -= 1
    return words[left - 1] == ">" and words[at] == "<" and words[at - 1] == "static_cast"


def _is_deduced(unit: Unit, left: int, right: int) -> bool:
    """Whether what takes the result gets its type, or must not narrow it.

    These are auto, a lambda's capture or value, and a member that an initializer names.
    """
    words = unit.tokens.words
    if words[left] == "=":
        if words[left - 2] == "." and words[left - 3] in ("{", ","):
            return True
        at = left - 2
        while words[at] in ("&", "&&", "*", "const"):
            at -= 1
        return words[right] == "]" or words[at] in ("auto", ")", "[", ",")
    if words[left] == "return":
        function = unit.functions.around(left)
        return (
            function is None
            or function.is_macro
            or "auto" in words[function.first : function.name]
            or lambda_around(unit, function, left) is not None
        )
    return False


def _is_sum(unit: Unit, left: int, right: int) -> bool:
    """Whether a variable of at most 32 bits begins as the result and a number: __ffs(m) - 1."""
    words = unit.tokens.words
    return (
        words[left] == "="
        and words[left - 2] in _NARROW
        and words[left - 3] != "long"
        and words[right] in _SUMS
        and unit.tokens.kinds[right + 1] == NUMBER
        and words[right + 1].isdigit()
        and words[right + 2] in (";", ",")
    )
