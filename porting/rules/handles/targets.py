"""What takes the value of an expression: a handle, an integer, a printing function."""

import re
from typing import Final

from porting.edits import Edit
from porting.rules.handles.declared import Handles
from porting.rules.handles.expressions import Span
from porting.rules.handles.types import HANDLES, INTEGER, INTEGER_WORDS
from porting.rules.unit import Unit
from porting.syntax import callee_of, declares, match_bracket, split_arguments

ORDERS: Final = frozenset((">", ">=", "<", "<="))
EQUALS: Final = frozenset(("==", "!="))
_C_SUFFIXES: Final = (".c",)
_CONVERSION: Final = re.compile(r"%[-+ #0-9.*]*(?:hh|h|ll|l|j|z|t|L)?[a-zA-Z]")


def wrap(unit: Unit, span: Span, type_: str, *, reinterpret: bool = True) -> list[Edit]:
    """Return the edits that cast an expression, in C's way in a C file."""
    start, end = unit.tokens[span.first].start, unit.tokens[span.last].end
    if unit.source.suffix in _C_SUFFIXES:
        simple = span.first == span.last
        front, back = (f"({type_})", "") if simple else (f"({type_})(", ")")
    else:
        word = "reinterpret_cast" if reinterpret else "static_cast"
        front, back = f"{word}<{type_}>(", ")"
    edits = [Edit(start, start, front)]
    return [*edits, Edit(end, end, back)] if back else edits


def taker(unit: Unit, handles: Handles, whole: Span) -> str:
    """Return what takes the value of an expression: handle, integer, or unknown."""
    tokens = unit.tokens
    before = tokens[whole.first - 1].text if whole.first else ";"
    after = tokens[whole.last + 1].text if whole.last + 1 < len(tokens) else ";"
    if before in ORDERS | EQUALS or after in ORDERS | EQUALS or before in ("!", "?", "&&", "||"):
        return "integer"
    if after in ("?", "&&", "||"):
        return "integer"
    if before == "=":
        return _assigned(unit, handles, whole.first - 1)
    if before == "return":
        function = unit.functions.around(whole.first)
        header = unit.tokens[function.first : function.open] if function is not None else ()
        words = [token.text for token in header]
        return "handle" if words and words[0] in HANDLES else "unknown"
    if before == "(" and after == ")":
        callee = callee_of(tokens, whole.first - 1)
        if callee in ("if", "while", "switch") or _cast_type(unit, whole.first - 1) is not None:
            return "integer"
    return "unknown"


def _assigned(unit: Unit, handles: Handles, equals: int) -> str:
    """Return what the left side of an assignment or initialization is."""
    name = unit.tokens[equals - 1]
    handle = handles.variable(unit, equals - 1) or handles.members.get(name.text)
    if handle is not None and handle.depth == 0:
        return "handle"
    return "integer" if is_integer_variable(unit, equals - 1) else "unknown"


def is_integer_variable(unit: Unit, number: int) -> bool:
    """Whether the identifier at a token is a variable of a 64-bit integer type."""
    return INTEGER.fullmatch(declared_type(unit, number)) is not None


def declared_type(unit: Unit, number: int) -> str:
    """Return the integer type that a variable is declared with, empty when that is not certain.

    Looked for in the function around the use first, then at file level.
    """
    here = unit.functions.around(number)
    places = [n for n in unit.where(unit.tokens[number].text) if declares(unit.lexed, n)]
    local = [n for n in places if here is not None and unit.functions.around(n) == here]
    types = {_type_before(unit, n) for n in local or places}
    return types.pop() if len(types) == 1 else ""


def _type_before(unit: Unit, number: int) -> str:
    first = number
    while first and unit.tokens[first - 1].text in INTEGER_WORDS:
        first -= 1
    words = [t.text for t in unit.tokens[first:number] if t.text not in ("const", "std", "::")]
    return " ".join(words)


def integer_target(unit: Unit, whole: Span) -> list[Edit] | None:
    """Return the edits that make an integer of a pointer where an integer takes it, None if not."""
    tokens = unit.tokens
    before = tokens[whole.first - 1].text if whole.first else ""
    if before == "(" and tokens[whole.last + 1].text == ")":
        cast = _cast_type(unit, whole.first - 1)
        if cast is not None and INTEGER.fullmatch(cast):
            return _static_to_reinterpret(unit, whole.first - 1)
    if before == "=" and is_integer_variable(unit, whole.first - 2):
        return wrap(unit, whole, declared_type(unit, whole.first - 2))
    return None


def _cast_type(unit: Unit, opener: int) -> str | None:
    """Return the type of a `static_cast<T>` whose bracket opens at a token, None if it is none."""
    tokens = unit.tokens
    if not opener or tokens[opener - 1].text != ">":
        return None
    at = opener - 1
    while at and tokens[at].text != "<":
        at -= 1
    if tokens[at - 1].text != "static_cast":
        return None
    return " ".join(t.text for t in tokens[at + 1 : opener - 1] if t.text not in ("std", "::"))


def _static_to_reinterpret(unit: Unit, opener: int) -> list[Edit]:
    at = opener
    while unit.tokens[at].text != "static_cast":
        at -= 1
    return [Edit(unit.tokens[at].start, unit.tokens[at].end, "reinterpret_cast")]


def format_of(unit: Unit, opener: int, span: Span) -> str | None:
    """Return the conversion that prints an argument, None when the format cannot be read."""
    close = match_bracket(unit.tokens, opener)
    if close is None:
        return None
    arguments = split_arguments(unit.tokens, opener + 1, close)
    position = next((i for i, a in enumerate(arguments) if a.first <= span.first < a.last), 0)
    for number, argument in enumerate(arguments[:position]):
        text = unit.text_of(argument.first, argument.last)
        if '"' in text:
            conversions = _CONVERSION.findall(text)
            place = position - number - 1
            return conversions[place] if place < len(conversions) else None
    return None
