"""Functions of the standard library that device code cannot call, as they may throw."""

from collections.abc import Iterator
from typing import Final

from porting.diagnostics import Diagnostic, Severity
from porting.edits import Edit
from porting.rules.device.codes import THROWS
from porting.rules.functions import Function
from porting.rules.unit import Unit
from porting.syntax import IDENT, Call, call_at, match_angle

# Member -> the class that has it, and what does the same without a check.
_MEMBERS: Final = {
    "at": ("array", "write []; the index must be in range"),
    "value": ("optional", "ask has_value() and write *"),
}
_DECORATION: Final = frozenset(("const", "volatile", "&", "&&", "*", "__restrict__"))


def throwing(unit: Unit) -> Iterator[Diagnostic]:
    """Yield the calls in device code; those of std::array's at() are written as []."""
    if not any(map(unit.where, ("array", "optional", "variant"))):
        return
    for member, (owner, advice) in _MEMBERS.items():
        for place in unit.where(member):
            call = call_at(unit.tokens, place)
            function = unit.functions.around(place)
            if call is None or function is None or not _is_in_body(function, place):
                continue
            if unit.tokens[place - 1].text in (".", "->") and unit.where(owner):
                yield from _member(unit, function, call, owner, advice)
    yield from _functions(unit)


def _is_in_body(function: Function, place: int) -> bool:
    return function.on_device and not function.is_macro and function.open < place


def _member(
    unit: Unit, function: Function, call: Call, owner: str, advice: str
) -> Iterator[Diagnostic]:
    """Tell of a call on a variable of the class, or on one whose type is not in this file."""
    tokens = unit.tokens
    name, receiver = tokens[call.name], tokens[call.name - 2]
    kind = _kind_of(unit, receiver.text, call.name) if receiver.kind == IDENT else None
    if kind == owner:
        edits = _as_subscript(unit, function, call) if name.text == "at" else []
        text = f"std::{owner}::{name.text}() may throw, which device code cannot"
        text += ": it becomes []" if edits else ""
        severity = Severity.NOTE if edits else None
        yield unit.diagnose(
            THROWS, name, text, help="" if edits else advice, severity=severity, edits=edits
        )
    elif kind is None and receiver.kind == IDENT and not _is_declared(unit, name.text):
        yield unit.diagnose(
            THROWS,
            name,
            f"if {receiver.text} is a std::{owner}, {name.text}() may throw, which device code"
            " cannot",
            help=advice,
            severity=Severity.WARNING,
        )


def _as_subscript(unit: Unit, function: Function, call: Call) -> list[Edit]:
    """Return the edits from at(n) to [n], in a function that no host code runs."""
    tokens = unit.tokens
    header = tokens.words[function.first : function.open]
    if "__host__" in header or tokens[call.name - 1].text != "." or len(call.arguments) != 1:
        return []
    close = tokens[call.close]
    name = tokens[call.name].text
    return [
        Edit(tokens[call.name - 1].start, tokens[call.open].end, "[", name),
        Edit(close.start, close.end, "]", name),
    ]


def _kind_of(unit: Unit, name: str, before: int) -> str | None:
    """Return the class of the variable, parameter or member `name`, None when it is not seen."""
    tokens = unit.tokens
    function = unit.functions.around(before)
    found = None
    for place in unit.where(name):
        around = unit.functions.around(place)
        if around not in (function, None) or (around is function and place > before):
            continue
        at = place - 1
        while at > 0 and tokens[at].text in _DECORATION:
            at -= 1
        if tokens[at].text == ">":
            found = _template_before(unit, at) or found
        elif tokens[at].kind == IDENT and at < place and tokens[place + 1].text in ";,=){[":
            found = tokens[at].text if tokens[at].text != "return" else found
    return found


def _template_before(unit: Unit, close: int) -> str | None:
    """Return the name of the template whose arguments end at a token."""
    tokens = unit.tokens
    for at in range(close - 1, max(close - 64, 0), -1):
        if tokens[at].text == "<" and match_angle(tokens, at) == close:
            return tokens[at - 1].text if tokens[at - 1].kind == IDENT else None
    return None


def _is_declared(unit: Unit, name: str) -> bool:
    """Whether the file has a function of that name, so that it may be meant."""
    return any(
        function.name >= 0 and unit.tokens[function.name].text == name
        for function in unit.functions.all
    )


def _functions(unit: Unit) -> Iterator[Diagnostic]:
    """Tell of std::visit, and of std::get of a variable that is a std::variant."""
    tokens = unit.tokens
    for name in ("visit", "get"):
        for place in unit.where(name):
            function, call = unit.functions.around(place), call_at(tokens, place)
            is_std = tokens[place - 1].text == "::" and tokens[place - 2].text == "std"
            if call is None or function is None or not is_std or not _is_in_body(function, place):
                continue
            if name == "get" and not _is_of_variant(unit, call):
                continue
            yield unit.diagnose(
                THROWS,
                tokens[place],
                f"std::{name} of a std::variant may throw, which device code cannot",
                help="ask with std::get_if",
            )


def _is_of_variant(unit: Unit, call: Call) -> bool:
    if not call.arguments:
        return False
    last = unit.tokens[call.arguments[0].last - 1]
    return last.kind == IDENT and _kind_of(unit, last.text, call.name) == "variant"
