"""K3: cast integer handles, which are pointers in HIP, where an integer or a sum is wanted."""

import re
from collections.abc import Iterator
from typing import Final

from porting.diagnostics import Code, Diagnostic
from porting.edits import Edit
from porting.rules.handles.casts import calculated_casts
from porting.rules.handles.codes import CAST, OPEN, PRINTED
from porting.rules.handles.constness import pointer_casts
from porting.rules.handles.declared import Handle, Handles, find_handles
from porting.rules.handles.expressions import Span, Use, primary, use_of
from porting.rules.handles.incoming import check_incoming
from porting.rules.handles.targets import (
    EQUALS,
    ORDERS,
    format_of,
    integer_target,
    is_integer_variable,
    taker,
    wrap,
)
from porting.rules.handles.types import ADDRESSES, HANDLES, NULLS
from porting.rules.unit import Unit
from porting.syntax import IDENT, call_at, callee_of, declares, enclosing_bracket

_PRINTS: Final = re.compile(r"\w*printf\w*")
_C_SUFFIXES: Final = (".c",)
_HELP: Final = "do the arithmetic in uintptr_t and cast the result back to the handle's type"


def check(unit: Unit) -> Iterator[Diagnostic]:
    """Yield a finding for every use of a handle that a pointer does not allow."""
    if HANDLES.keys().isdisjoint(unit.index) and not (
        unit.project.handle_members.keys() & unit.index.keys()
        or unit.project.handle_functions.keys() & unit.index.keys()
    ):
        return
    handles = find_handles(unit)
    names = handles.variables.keys() | handles.members.keys() | handles.functions.keys()
    for name in sorted(names & unit.index.keys()):
        for number in unit.where(name):
            handle = _handle_at(unit, handles, number)
            if handle is not None:
                yield from _use(unit, handles, handle, number)
    yield from _casts(unit, handles)


def _casts(unit: Unit, handles: Handles) -> Iterator[Diagnostic]:
    """Yield what becomes of casts to a handle, and of integers that become one without a cast."""

    def handle_at(number: int) -> Handle | None:
        return _handle_at(unit, handles, number)

    calculated = list(calculated_casts(unit, handles, handle_at))
    yield from (finding for _, finding in calculated)
    decided = frozenset(cast.name for cast, _ in calculated)
    yield from check_incoming(unit, handles, handle_at, decided)
    yield from pointer_casts(unit, decided)


def _handle_at(unit: Unit, handles: Handles, number: int) -> Handle | None:
    """Return the handle that an identifier stands for in an expression."""
    tokens = unit.tokens
    name = tokens[number].text
    before = tokens[number - 1].text if number else ""
    after = tokens[number + 1].text if number + 1 < len(tokens) else ""
    if tokens[number].directive >= 0 or declares(unit.lexed, number):
        return None
    if after == "(":
        return handles.functions.get(name)
    if before in (".", "->"):
        return handles.members.get(name)
    if before == "::":
        return None
    return handles.variable(unit, number) or _own_member(unit, handles, number)


def _own_member(unit: Unit, handles: Handles, number: int) -> Handle | None:
    """Return a member named without an object, inside a function of the file that declares it."""
    function = unit.functions.around(number)
    name = unit.tokens[number].text
    if function is None:
        return None
    is_declared_here = any(declares(unit.lexed, place) for place in unit.where(name))
    return handles.members.get(name) if is_declared_here or name.endswith("_") else None


def _use(unit: Unit, handles: Handles, handle: Handle, number: int) -> Iterator[Diagnostic]:
    tokens = unit.tokens
    span = primary(tokens, number)
    depth = handle.depth
    if span.last > number and tokens[span.last].text == "]":
        depth -= 1
    if depth == 1 and span.first and tokens[span.first - 1].text == "*":
        before = tokens[span.first - 2] if span.first > 1 else None
        if before is None or before.text in ("(", ",", "=", "return", ";", "{", "}", "+", "-"):
            span, depth = Span(span.first - 1, span.last), 0
    after = tokens[span.last + 1].text if span.last + 1 < len(tokens) else ""
    if depth != 0 or after in (".", "->", "[", "(") or _is_address_of(unit, span):
        return
    macro = _calculating_macro(unit, span)
    if macro:
        yield _open(unit, span, f"is calculated with by the macro {macro}")
    else:
        yield from _arithmetic(unit, handles, handle, span)


def _calculating_macro(unit: Unit, span: Span) -> str:
    """Return the macro whose argument an expression is and that calculates with it; empty: none."""
    tokens = unit.tokens
    opener = enclosing_bracket(tokens, span.first)
    name = callee_of(tokens, opener) if opener is not None else ""
    numbers = unit.project.calculating_macros.get(name)
    call = call_at(tokens, opener - 1) if numbers and opener else None
    if call is None or numbers is None:
        return ""
    arguments = enumerate(call.arguments)
    return name if any(n in numbers and a.first == span.first for n, a in arguments) else ""


def _is_address_of(unit: Unit, span: Span) -> bool:
    tokens = unit.tokens
    if not span.first or tokens[span.first - 1].text != "&":
        return False
    before = tokens[span.first - 2].text if span.first > 1 else "("
    return before in ("(", ",", "=", "return", "{", "}", ";", "?", ":", ")", "&&", "||")


def _arithmetic(unit: Unit, handles: Handles, handle: Handle, span: Span) -> Iterator[Diagnostic]:
    tokens = unit.tokens
    after = tokens[span.last + 1].text if span.last + 1 < len(tokens) else ";"
    before = tokens[span.first - 1].text if span.first else ";"
    if after in ("++", "--") or before in ("++", "--"):
        yield _open(unit, span, "is counted up or down")
        return
    if after in ("+=", "-="):
        yield _compound(unit, span, after)
        return
    use = use_of(tokens, span)
    if use.integer:
        yield _as_integer(unit, handles, span, use)
    elif use.sums and handle.type in ADDRESSES:
        yield _as_bytes(unit, handles, span, use)
    elif use.sums:
        yield _open(unit, span, "is an operand of a sum")
    else:
        yield from _converted(unit, span, use.whole)


def _text(unit: Unit, span: Span) -> str:
    return unit.text_of(span.first, span.last + 1)


def _found(unit: Unit, span: Span, text: str, edits: list[Edit], code: Code = CAST) -> Diagnostic:
    token = unit.tokens[span.first]
    return unit.diagnose(code, token, text, symbol=_text(unit, span), edits=edits)


def _open(unit: Unit, span: Span, what: str) -> Diagnostic:
    name = _text(unit, span)
    text = f"handle '{name}' {what}, and is a pointer in HIP (CUdeviceptr is an integer in CUDA)"
    return unit.diagnose(OPEN, unit.tokens[span.first], text, help=_HELP, symbol=name)


def _compound(unit: Unit, span: Span, operator: str) -> Diagnostic:
    """Write `p += n` as `p = static_cast<char*>(p) + n`."""
    tokens = unit.tokens
    name = _text(unit, span)
    if span.first != span.last and not name.replace(".", "").replace("->", "").isidentifier():
        return _open(unit, span, "is changed by " + operator)
    at = tokens[span.last + 1]
    is_c = unit.source.suffix in _C_SUFFIXES
    cast = f"(char*){name}" if is_c else f"static_cast<char*>({name})"
    first = tokens[span.last + 2]
    simple = tokens[span.last + 3].text == ";"
    edits = [Edit(at.start, at.end, f"= {cast} {operator[0]}")]
    if operator == "-=" and not simple:
        end = _statement_last(unit, span.last + 2)
        edits += [Edit(first.start, first.start, "("), Edit(end, end, ")")]
    return _found(unit, span, f"'{name}' is moved by bytes, as a char*", edits)


def _statement_last(unit: Unit, first: int) -> int:
    at = first
    while at < len(unit.tokens) and unit.tokens[at].text != ";":
        at += 1
    return unit.tokens[at - 1].end


def _as_bytes(unit: Unit, handles: Handles, span: Span, use: Use) -> Diagnostic:
    """Make a handle a char* in a sum, so that it counts bytes; it turns into a handle again."""
    edits = wrap(unit, span, "char*", reinterpret=False)
    text = f"'{_text(unit, span)}' counts bytes here, as a char*"
    operands = _operands(unit, handles, use.whole)
    if len(operands) == 1:  # the difference of two handles is an integer anyway
        target = integer_target(unit, use.whole)
        if target is None and _compares(unit, use.whole):
            return _open(unit, span, "is compared after a sum")
        if target is not None:
            front, *back = target
            edits = [front, *edits, *back]
    return _found(unit, span, text, edits)


def _as_integer(unit: Unit, handles: Handles, span: Span, use: Use) -> Diagnostic:
    """Make a handle an integer for masks and remainders, and the result one if one takes it."""
    edits = wrap(unit, span, "uintptr_t")
    takes = taker(unit, handles, use.whole)
    operands = _operands(unit, handles, use.whole)
    is_first = not operands or operands[0] >= span.first
    if takes == "handle" and is_first:
        front, *back = wrap(unit, use.whole, "hipDeviceptr_t")
        edits = [front, *edits, *back]
    elif takes not in ("integer", "handle"):
        return _open(unit, span, "is used as an integer, and what takes the result is not known")
    return _found(unit, span, f"'{_text(unit, span)}' is an integer here", edits)


def _operands(unit: Unit, handles: Handles, whole: Span) -> list[int]:
    """Return the identifiers in an expression that are handles."""
    return [
        number
        for number in range(whole.first, whole.last + 1)
        if unit.tokens[number].kind == IDENT and _handle_at(unit, handles, number) is not None
    ]


def _compares(unit: Unit, whole: Span) -> bool:
    tokens = unit.tokens
    sides = (
        tokens[whole.first - 1].text if whole.first else "",
        tokens[whole.last + 1].text if whole.last + 1 < len(tokens) else "",
    )
    if not (ORDERS | EQUALS).intersection(sides):
        return False
    other = whole.last + 2 if sides[1] in ORDERS | EQUALS else whole.first - 2
    return is_integer_variable(unit, other)


def _converted(unit: Unit, span: Span, whole: Span) -> Iterator[Diagnostic]:
    """Yield what a handle that stands alone needs from what takes it."""
    tokens = unit.tokens
    target = integer_target(unit, whole)
    if target is not None:
        yield _found(unit, span, f"'{_text(unit, span)}' becomes an integer by a cast", target)
        return
    after = tokens[whole.last + 1].text if whole.last + 1 < len(tokens) else ";"
    before = tokens[whole.first - 1].text if whole.first else ";"
    if after in ORDERS and tokens[whole.last + 2].text in NULLS:
        operator, zero = tokens[whole.last + 1], tokens[whole.last + 2]
        if after == ">":
            edits = [
                Edit(operator.start, operator.end, "!="),
                Edit(zero.start, zero.end, "nullptr"),
            ]
            yield _found(unit, span, "a pointer is compared with null by !=", edits)
        else:
            yield _open(unit, span, f"is compared by {after} with zero")
        return
    if after in EQUALS or before in EQUALS:
        other = whole.last + 2 if after in EQUALS else whole.first - 2
        if is_integer_variable(unit, other):
            edits = wrap(unit, span, "uintptr_t")
            yield _found(unit, span, f"'{_text(unit, span)}' is compared as an integer", edits)
        return
    yield from _printed(unit, span)


def _printed(unit: Unit, span: Span) -> Iterator[Diagnostic]:
    """Yield the cast of a handle that is an argument of a printing function."""
    tokens = unit.tokens
    opener = enclosing_bracket(tokens, span.first)
    if opener is None or tokens[opener].text != "(":
        return
    if not _PRINTS.fullmatch(callee_of(tokens, opener)):
        return
    neighbours = tokens[span.first - 1].text, tokens[span.last + 1].text
    if neighbours[0] != "," or neighbours[1] not in (",", ")"):
        return
    format_text = format_of(unit, opener, span)
    if format_text is not None and "p" in format_text:
        return
    edits = wrap(unit, span, "unsigned long long")
    text = f"'{_text(unit, span)}' is printed as an integer"
    yield _found(unit, span, text, edits, PRINTED)
