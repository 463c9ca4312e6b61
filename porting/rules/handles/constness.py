"""Casts of pointers to handles: `reinterpret_cast` to a pointer type may not drop a const."""

from collections.abc import Iterator
from typing import Final

from porting.diagnostics import Diagnostic
from porting.edits import Edit
from porting.rules.handles.codes import CAST
from porting.rules.handles.targets import is_integer_variable
from porting.rules.handles.types import HANDLES
from porting.rules.unit import Unit
from porting.syntax import IDENT, NUMBER, Argument, call_at, declares

_BEFORE_DECLARATION: Final = frozenset(("(", ")", "{", "}", ";", ",", "<"))


def pointer_casts(unit: Unit, decided: frozenset[int]) -> Iterator[Diagnostic]:
    """Yield `reinterpret_cast<CUdeviceptr>(p)` where p is, or may be, a pointer to const.

    To an integer the cast is valid for every pointer.  The C cast is the one spelling that is
    valid for an integer, a pointer and a pointer to const alike ([expr.cast]).  The casts at the
    tokens in `decided` are left out.
    """
    for number in unit.where("reinterpret_cast"):
        words = unit.tokens[number + 1 : number + 4]
        if len(words) < 3 or words[1].text not in HANDLES or words[2].text != ">":  # noqa: PLR2004
            continue
        call = call_at(unit.tokens, number) if number not in decided else None
        if call is None or len(call.arguments) != 1 or not _may_be_const(unit, call.arguments[0]):
            continue
        token = unit.tokens[number]
        edits = [
            Edit(token.start, words[0].end, "("),
            Edit(words[2].start, words[2].end, ")"),
        ]
        text = f"{words[1].text} is a pointer to non-const in HIP: a C cast drops the const"
        yield unit.diagnose(CAST, token, text, symbol=words[1].text, edits=edits)


def _may_be_const(unit: Unit, argument: Argument) -> bool:
    """Whether an operand is not certainly an integer, null or a pointer to non-const."""
    first = unit.tokens[argument.first]
    if argument.last - argument.first != 1:
        return True
    if first.kind != IDENT:
        return first.kind != NUMBER
    if first.text == "nullptr" or is_integer_variable(unit, argument.first):
        return False
    here = unit.functions.around(argument.first)
    places = [n for n in unit.where(first.text) if declares(unit.lexed, n)]
    local = [n for n in places if here is not None and unit.functions.around(n) == here]
    return not places or any(_declares_const(unit, n) for n in local or places)


def _declares_const(unit: Unit, number: int) -> bool:
    """Whether the declaration of a name says const before a `*`, or does not spell its type."""
    words: list[str] = []
    at = number - 1
    while at >= 0 and unit.tokens[at].text not in _BEFORE_DECLARATION:
        words.append(unit.tokens[at].text)
        at -= 1
    if "*" not in words:
        return not HANDLES.keys() & set(words)
    return "const" in words[words.index("*") :]
