"""Functions whose result is a lane mask: the types in front of and behind their names."""

from collections.abc import Iterator

from porting.diagnostics import Diagnostic
from porting.edits import Edit
from porting.rules.unit import Unit
from porting.rules.warp.codes import WIDENED
from porting.rules.warp.declarations import declaration_at, wide_type, widen
from porting.rules.warp.operands import INTEGERS, WIDE_INTEGERS
from porting.syntax import match_bracket

_BEHIND_PARAMETERS = frozenset((";", "const", "noexcept", "override", "final"))


def prototypes(unit: Unit, functions: frozenset[str]) -> Iterator[Diagnostic]:
    """Yield the widening of declarations, without a body, of functions that return masks."""
    tokens = unit.tokens
    for name in sorted(functions & unit.index.keys()):
        for place in unit.where(name):
            if tokens[place + 1].text != "(" or unit.functions.around(place) is not None:
                continue
            declaration = declaration_at(tokens, place)
            close = match_bracket(tokens, place + 1)
            if declaration is None or declaration.wide or declaration.deduced or close is None:
                continue
            if tokens[close + 1].text in _BEHIND_PARAMETERS:
                yield unit.diagnose(
                    WIDENED,
                    tokens[place],
                    f"the lane mask that {name} returns gets 64 bits",
                    edits=[widen(tokens, declaration)],
                )


def trailing_type(unit: Unit, first: int, last: int) -> Edit | None:
    """Return the edit that widens a type behind `->` among the tokens `[first, last)`.

    None when there is no such type of 32 bits.
    """
    tokens = unit.tokens
    arrow = next((at for at in range(first, last) if tokens[at].text == "->"), None)
    if arrow is None:
        return None
    words = tokens.words[arrow + 1 : last]
    if not words or not INTEGERS.issuperset(words) or not WIDE_INTEGERS.isdisjoint(words):
        return None
    start, end = tokens[arrow + 1].start, tokens[last - 1].end
    return Edit(start, end, wide_type(words), tokens[arrow].text)
