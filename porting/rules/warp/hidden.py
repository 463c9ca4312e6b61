"""Shuffles of a value whose type does not show, in a tree that has bfloat16 numbers."""

import re
from collections.abc import Iterator
from typing import Final

from porting.diagnostics import Diagnostic, Severity
from porting.rules.bfloat_bits import TO_BITS
from porting.rules.functions import Function
from porting.rules.narrow_floats import Narrow, narrow_type, spellings
from porting.rules.unit import Unit
from porting.rules.variables import initial_value, is_a
from porting.rules.warp.codes import HIDDEN
from porting.syntax import IDENT, NOT_A_TYPE, Argument, Call, call_at
from porting.syntax.words import words

_BFLOATS: Final = (Narrow.BFLOAT, Narrow.BFLOAT2)
_AROUND_NAME: Final = words("* & && const volatile __restrict__ __restrict")
_AFTER_NAME: Final = frozenset(("=", ";", ",", ")", "[", "{", "(", ":"))
_NO_VARIABLE: Final = frozenset(("(", "?", ",", "<", "->", "::", "."))
_PLAIN: Final = re.compile(
    r"int|unsigned|signed|long|short|char|bool|float|double|u?int\d*(?:_t)?|u?(?:char|short|long)"
    r"|(?:size|ptrdiff)_t|[uif](?:8|16|32|64)|(?:nv_)?half2?|__half2?"
)
_PLAIN_VALUE: Final = re.compile(
    r"[-+(]*(?:[\d.]|threadIdx|blockIdx|static_cast<|__\w+2(?:float|int|uint|half)\w*\("
    r"|(?:float|double|int|unsigned|uint32_t|half|__half)[()])"
)
_LIBRARIES: Final = frozenset(("std", "at", "c10", "torch", "cuda"))


def check_hidden(unit: Unit, call: Call) -> Iterator[Diagnostic]:
    """Yield a finding where a shuffled value may be a bfloat16 number for all that the text shows.

    A warning where this file passes one to the function; else a note.
    """
    variable = _variable(unit, call.arguments[1])
    function = unit.functions.around(call.name)
    if variable is None or function is None or not unit.project.uses_bfloat16:
        return
    if not _hides(unit, function, variable) or _has_bfloat_form(unit, function):
        return
    name, value = unit.tokens[call.name], unit.tokens[variable].text
    yield unit.diagnose(
        HIDDEN,
        name,
        f"the type of '{value}' does not show here, and {name.text} of a bfloat16 number is"
        " ambiguous in HIP",
        help=f"for __hip_bfloat16, shuffle {TO_BITS[0]}(v){TO_BITS[1]} and make a number of it with"
        " __hip_bfloat16(__hip_bfloat16_raw{bits}), in an overload or under if constexpr",
        severity=Severity.WARNING if _is_reached(unit, function) else Severity.NOTE,
    )


def _variable(unit: Unit, argument: Argument) -> int | None:
    """Return the token of a variable that is passed as it is, or an element of it."""
    tokens, first = unit.tokens, argument.first
    while first < argument.last and tokens[first].text in ("&", "*", "("):
        first += 1
    if first >= argument.last or tokens[first].kind != IDENT:
        return None
    rest = (token.text for token in tokens[first + 1 : argument.last])
    return None if any(text in _NO_VARIABLE for text in rest) else first


def _hides(unit: Unit, function: Function, variable: int) -> bool:
    """Whether the variable's declaration in its function leaves the type open."""
    name = unit.tokens[variable].text
    if function.is_macro:
        return _is_parameter(unit, function, name)
    if is_a(unit, variable, _template_parameters(unit)):
        return True
    for place in reversed(unit.where(name)):
        if function.first <= place < variable:
            kind = _type_before(unit, place)
            if kind is not None:
                return _is_open(unit, kind, variable)
    return False


def _is_parameter(unit: Unit, macro: Function, name: str) -> bool:
    call = call_at(unit.tokens, macro.name)
    return call is not None and any(
        unit.tokens[argument.first].text == name for argument in call.arguments
    )


def _template_parameters(unit: Unit) -> tuple[str, ...]:
    """Return the types that are parameters of some template of the file."""
    tokens = unit.tokens
    places = [*unit.where("typename"), *unit.where("class")]
    named = [at + 1 for at in places if tokens[at - 1].text in ("<", ",")]
    return tuple({tokens[at].text for at in named if tokens[at + 1].text in (",", ">", "=")})


def _type_before(unit: Unit, place: int) -> int | None:
    """Return the last token of the type with which the name at a token is declared, if it is."""
    tokens, at = unit.tokens, place - 1
    if tokens[place + 1].text not in _AFTER_NAME:
        return None
    while at > 0 and tokens[at].text in _AROUND_NAME:
        at -= 1
    return at if tokens[at].kind == IDENT and tokens[at].text not in NOT_A_TYPE else None


def _is_open(unit: Unit, kind: int, variable: int) -> bool:
    """Whether a type's name does not tell which type it is."""
    tokens, text = unit.tokens, unit.tokens[kind].text
    if text == "auto":
        value = initial_value(unit, variable, tokens[variable].text)
        return _PLAIN_VALUE.match(value) is None
    if tokens[kind - 1].text == "::":
        return tokens[kind - 2].text not in _LIBRARIES
    if _PLAIN.fullmatch(text) or unit.names.get(text) is not None:
        return False
    return not any(_is_defined(unit, place) for place in unit.where(text))


def _is_defined(unit: Unit, place: int) -> bool:
    """Whether the type named at a token is defined there: a class, or a name of another type."""
    before, after = unit.tokens[place - 1].text, unit.tokens[place + 1].text
    if before in ("struct", "class", "union", "enum") or (before == "using" and after == "="):
        return True
    return after == ";" and unit.tokens[place - 2].text == "typedef"


def _has_bfloat_form(unit: Unit, function: Function) -> bool:
    """Whether the file has an overload or specialization of the function for bfloat16."""
    name = unit.tokens[function.name].text
    types = _bfloat_names(unit)
    return any(
        other is not function
        and unit.tokens[other.name].text == name
        and any(unit.tokens[at].text in types for at in range(other.first, other.open))
        for other in unit.functions.all
    )


def _is_reached(unit: Unit, function: Function) -> bool:
    """Whether this file calls or instantiates a function with a bfloat16 type."""
    types = _bfloat_names(unit)
    for call in unit.calls(unit.tokens[function.name].text):
        if call.name == function.name:
            continue
        if any(unit.tokens[at].text in types for at in range(call.name, call.open)):
            return True
        if any(narrow_type(unit, argument) in _BFLOATS for argument in call.arguments):
            return True
    return False


def _bfloat_names(unit: Unit) -> frozenset[str]:
    return frozenset(name for narrow in _BFLOATS for name in spellings(unit, narrow))
