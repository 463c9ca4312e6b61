"""Shuffles that a tree overloads for a class of its own: they lose their mask where calls do.

HIP's forms without a mask take what converts to one of their types, and a class that converts to
two of them makes a call ambiguous; the overload is what CUDA's code has for that.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from porting.edits import Edit
from porting.rules.functions import Function
from porting.rules.unit import Unit
from porting.rules.warp.arguments import drop_first
from porting.rules.warp.width import LANES, Widths
from porting.syntax import IDENT, Argument, Token, call_at

_QUALIFIERS: Final = frozenset(("const", "volatile"))
_BASIC: Final = frozenset(
    (
        *("int", "unsigned", "signed", "long", "short", "char", "bool", "float", "double", "auto"),
        *("half", "half2", "uint", "size_t"),
    )
)
_WITHOUT_WIDTH: Final = 3


def without_mask(
    unit: Unit, widths: Widths, function: Function, name: str, plain: str
) -> list[Edit]:
    """Return what makes an overload of a *_sync shuffle one of the form without a mask.

    Nothing for one that HIP has itself, for a template of any type, and where the mask is used
    other than in the call of the builtin.
    """
    call = call_at(unit.tokens, function.name)
    if call is None or len(call.arguments) not in (_WITHOUT_WIDTH, _WITHOUT_WIDTH + 1):
        return []
    mask, value = call.arguments[:2]
    if not _is_of_a_class(unit, function, value) or not _only_passes_on(unit, function, mask, name):
        return []
    token = unit.tokens[function.name]
    edits = [Edit(token.start, token.end, plain, name), drop_first(unit, call)]
    if len(call.arguments) == _WITHOUT_WIDTH:
        width = LANES if widths.logical else "warpSize"
        end = unit.tokens[call.close].start
        edits.append(Edit(end, end, f", int = {width}", name))
    return edits


def _is_of_a_class(unit: Unit, function: Function, value: Argument) -> bool:
    """Whether the type of a parameter is a class, and none that HIP has a shuffle for."""
    words = [token for token in _tokens(unit, value) if token.text not in _QUALIFIERS]
    names = [token.text for token in words[:-1] if token.kind == IDENT]
    if not names or words[-1].kind != IDENT or any(word.text == "*" for word in words):
        return False
    header = [token.text for token in unit.tokens[function.first : function.name]]
    is_parameter = any(
        before in ("typename", "class") and text in names for before, text in pairwise(header)
    )
    known = any(unit.names.get(text) is not None or text in _BASIC for text in names)
    is_template = any(word.text == "<" for word in words)
    return not known and (is_template or not is_parameter)


def _only_passes_on(unit: Unit, function: Function, mask: Argument, name: str) -> bool:
    """Whether the mask is the first argument of each call of the builtin, and no more."""
    last = unit.tokens[mask.last - 1]
    passed: set[int] = set()
    for place in unit.where(name):
        call = call_at(unit.tokens, place)
        if function.open < place < function.close and call is not None and call.arguments:
            passed.update(range(call.arguments[0].first, call.arguments[0].last))
    used = [n for n in unit.where(last.text) if function.open < n < function.close]
    return last.kind != IDENT or all(number in passed for number in used)


def _tokens(unit: Unit, argument: Argument) -> Sequence[Token]:
    return unit.tokens[argument.first : argument.last]
