"""Integers that become handles: casts, assignments, arguments and results."""

from collections.abc import Callable, Iterator
from typing import Final

from porting.diagnostics import Diagnostic
from porting.edits import Edit
from porting.rules.handles.codes import CAST
from porting.rules.handles.declared import Handle, Handles
from porting.rules.handles.expressions import Span
from porting.rules.handles.targets import is_integer_variable, wrap
from porting.rules.handles.types import HANDLES, INTEGER, NULLS
from porting.rules.unit import Unit
from porting.syntax import IDENT, NUMBER, call_at, match_bracket

HandleAt = Callable[[int], Handle | None]
# Driver functions and which of their arguments are device pointers.
_TAKES_POINTERS: Final = {
    "cuMemFree": (0,),
    "cuMemFreeAsync": (0,),
    "cuMemcpyHtoD": (0,),
    "cuMemcpyHtoDAsync": (0,),
    "cuMemcpyDtoH": (1,),
    "cuMemcpyDtoHAsync": (1,),
    "cuMemcpyDtoD": (0, 1),
    "cuMemcpyDtoDAsync": (0, 1),
    "cuMemsetD8": (0,),
    "cuMemsetD16": (0,),
    "cuMemsetD32": (0,),
    "cuMemsetD8Async": (0,),
    "cuMemsetD32Async": (0,),
    "cuMemMap": (0,),
    "cuMemUnmap": (0,),
    "cuMemAddressFree": (0,),
    "cuMemSetAccess": (0,),
    "cuIpcGetMemHandle": (1,),
    "cuIpcCloseMemHandle": (0,),
    "cuPointerGetAttribute": (2,),
    "cuMemGetAddressRange": (2,),
    "cuMemGetHandleForAddressRange": (1,),
    "cuStreamWaitValue32": (1,),
    "cuStreamWriteValue32": (1,),
    "cuStreamWaitValue64": (1,),
    "cuStreamWriteValue64": (1,),
}
_SUM: Final = frozenset(("+", "-", "*", "/", "%", "&", "|", "^", "~", "<<", ">>", "(", ")"))
_ENDS: Final = frozenset((";", ",", ")", "}"))


def check_incoming(
    unit: Unit, handles: Handles, handle_at: HandleAt, decided: frozenset[int]
) -> Iterator[Diagnostic]:
    """Yield the casts that turn an integer into the pointer that a handle is in HIP.

    The casts at the tokens in `decided` are left out.
    """
    yield from _static_casts(unit, handle_at, decided)
    yield from _assignments(unit, handles)
    yield from _results(unit)
    yield from _arguments(unit)


def _static_casts(unit: Unit, handle_at: HandleAt, decided: frozenset[int]) -> Iterator[Diagnostic]:
    """Yield `static_cast<CUdeviceptr>(integer)`, which must be a reinterpret_cast to a pointer."""
    for number in unit.where("static_cast"):
        words = unit.tokens[number + 1 : number + 4]
        if len(words) < 3 or words[1].text not in HANDLES or words[2].text != ">":  # noqa: PLR2004
            continue
        call = call_at(unit.tokens, number) if number not in decided else None
        if call is None or not call.arguments:
            continue
        argument = call.arguments[0]
        if unit.text_of(argument.first, argument.last) in NULLS:
            continue
        inner = range(argument.first, argument.last)
        if any(unit.tokens[n].kind == IDENT and handle_at(n) is not None for n in inner):
            continue
        token = unit.tokens[number]
        edit = Edit(token.start, token.end, "reinterpret_cast")
        text = f"{words[1].text} is a pointer in HIP, and an integer is cast to it"
        yield unit.diagnose(CAST, token, text, symbol=words[1].text, edits=[edit])


def _assignments(unit: Unit, handles: Handles) -> Iterator[Diagnostic]:
    for name in sorted((handles.variables.keys() | handles.members.keys()) & unit.index.keys()):
        for number in unit.where(name):
            tokens = unit.tokens
            if number + 1 >= len(tokens) or tokens[number + 1].text != "=":
                continue
            is_member = tokens[number - 1].text in (".", "->")
            handle = handles.members.get(name) if is_member else handles.variable(unit, number)
            if handle is not None and handle.depth == 0:
                yield from _cast(unit, number + 2, handle.type)


def _results(unit: Unit) -> Iterator[Diagnostic]:
    for number in unit.where("return"):
        function = unit.functions.around(number)
        if function is None:
            continue
        words = [token.text for token in unit.tokens[function.first : function.open]]
        types = [word for word in words[:3] if word in HANDLES]
        if types and words[words.index(types[0]) + 1] not in ("*", "&", ">"):
            yield from _cast(unit, number + 1, types[0])


def _arguments(unit: Unit) -> Iterator[Diagnostic]:
    for name in _TAKES_POINTERS.keys() & unit.index.keys():
        for call in unit.calls(name):
            for place in _TAKES_POINTERS[name]:
                if place < len(call.arguments):
                    yield from _cast(unit, call.arguments[place].first, "CUdeviceptr")


def _cast(unit: Unit, first: int, type_: str) -> Iterator[Diagnostic]:
    """Yield the cast of the expression that starts at a token, when it is an integer for sure."""
    last = _integer_expression(unit, first)
    if last is None:
        return
    span = Span(first, last)
    text = f"an integer becomes a {type_}, which is a pointer in HIP"
    edits = wrap(unit, span, HANDLES[type_])
    yield unit.diagnose(CAST, unit.tokens[first], text, symbol=type_, edits=edits)


def _integer_expression(unit: Unit, first: int) -> int | None:
    """Return the last token of an expression made of 64-bit integers, None when it is another."""
    tokens = unit.tokens
    at, depth, has_integer = first, 0, False
    while at < len(tokens):
        token = tokens[at]
        cast = _integer_cast(unit, at)
        if cast is not None:
            has_integer, at = True, cast
        elif token.kind == IDENT and is_integer_variable(unit, at):
            has_integer = True
        elif token.text in _ENDS and depth == 0:
            return at - 1 if has_integer else None
        elif token.text not in _SUM and token.kind != NUMBER:
            return None
        depth += {"(": 1, ")": -1}.get(tokens[at].text, 0) if cast is None else 0
        at += 1
    return None


def _integer_cast(unit: Unit, number: int) -> int | None:
    """Return the end of `static_cast<uint64_t>(...)` and the like, None when it is none."""
    tokens = unit.tokens
    if tokens[number].text not in ("static_cast", "reinterpret_cast"):
        return None
    call = call_at(tokens, number)
    if call is None:
        return None
    words = [t.text for t in tokens[number + 2 : call.open - 1] if t.text not in ("std", "::")]
    if INTEGER.fullmatch(" ".join(words)) is None:
        return None
    return match_bracket(tokens, call.open)
