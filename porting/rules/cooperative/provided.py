"""Where the definitions of what HIP's cooperative groups lack are put, and who may use them."""

from collections.abc import Sequence
from typing import Final

from porting.edits import Edit
from porting.rules.cooperative.definitions import LABELED_PARTITION, REDUCE, without_comments
from porting.rules.unit import Unit
from porting.syntax import HeaderName, Token, statement_start

HEADERS: Final = frozenset(("cooperative_groups/reduce.h", "cooperative_groups/details/reduce.h"))
# ROCm 6 is left as it is: what its groups can do differs too much from release to release.
SINCE: Final = (7, 0)
_ANY_HEADER: Final = "cooperative_groups"
PARTITION: Final = "labeled_partition"
_PORTED: Final = "ported::"


def defines_reduce(unit: Unit, header: HeaderName) -> bool:
    """Whether a definition of reduce() is put behind an include."""
    return unit.target.release >= SINCE and header.path in HEADERS


def has_reduce(unit: Unit) -> bool:
    """Whether the file, or a header of the tree that it includes, may bring the definition."""
    return unit.target.release >= SINCE and any(
        header.path in HEADERS or unit.project.by_suffix(header.path) is not None
        for header in unit.headers
    )


def reduce_behind(unit: Unit, header: HeaderName) -> Edit:
    """Return the insertion of the definition of reduce() behind the line of an include."""
    return _behind(unit, header, REDUCE)


def behind_groups(unit: Unit, definition: str) -> list[Edit]:
    """Return the insertion of a definition behind the first include of groups; none without one."""
    headers = [h for h in unit.headers if h.is_include and h.path.startswith(_ANY_HEADER)]
    return [_behind(unit, headers[0], definition)] if headers else []


def partition(unit: Unit, name: Token) -> list[Edit]:
    """Return what makes a call of labeled_partition() one of the definition; nothing if it cannot.

    The definition has a name of its own: AMD may still add a function of the usual one.
    """
    definition = behind_groups(unit, LABELED_PARTITION)
    places = unit.where(PARTITION)
    if unit.target.release < SINCE or not definition or _is_declared(unit, places):
        return []
    edits = [Edit(name.start, name.start, _PORTED)]
    if unit.tokens[places[0]].start == name.start:
        edits = definition + edits
    return edits


def _is_declared(unit: Unit, places: Sequence[int]) -> bool:
    """Whether a using declaration names the function, which the usual name is left to then."""
    return any(unit.tokens[statement_start(unit.tokens, place)].text == "using" for place in places)


def _behind(unit: Unit, header: HeaderName, definition: str) -> Edit:
    text, newline = unit.source.text, unit.source.newline
    at = _line_end(unit, header.end)
    before = "" if at and text[at - 1] == "\n" else newline
    return Edit(at, at, before + without_comments(definition).replace("\n", newline))


def _line_end(unit: Unit, at: int) -> int:
    """Return the start of the next line that is outside of comments."""
    text = unit.source.text
    while True:
        end = text.find("\n", at) + 1
        if not end:
            return len(text)
        around = next((c for c in unit.lexed.comments if c.start < end < c.end), None)
        if around is None:
            return end
        at = around.end
