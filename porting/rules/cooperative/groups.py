"""Which names of a file are cooperative groups, and of which kind."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Final

from porting.rules.unit import Unit
from porting.rules.warp.width import integer
from porting.syntax import IDENT, call_at, match_angle, statement_start

NAMESPACE: Final = "cooperative_groups"
_USUAL_ALIAS: Final = "cg"


class Kind(StrEnum):
    """The kinds of groups that differ between CUDA and HIP."""

    TILE = "thread_block_tile"
    COALESCED = "coalesced_group"
    BLOCK = "thread_block"
    GRID = "grid_group"


_MAKERS: Final = {
    "tiled_partition": Kind.TILE,
    "thread_block_tile": Kind.TILE,
    "coalesced_threads": Kind.COALESCED,
    "coalesced_group": Kind.COALESCED,
    "binary_partition": Kind.COALESCED,
    "labeled_partition": Kind.COALESCED,
    "this_thread_block": Kind.BLOCK,
    "thread_block": Kind.BLOCK,
    "this_grid": Kind.GRID,
    "grid_group": Kind.GRID,
}


@dataclass(frozen=True, slots=True)
class Group:
    """A variable or parameter that is a group; `size` of a tile, 0 when not a literal.

    `parent`: the kind of the group that a tile was cut from, where it is known.
    """

    name: str
    kind: Kind
    size: int = 0
    parent: Kind | None = None


class Groups:
    """The groups of a file, and what its names of the namespace look like."""

    def __init__(self, unit: Unit) -> None:
        self._unit = unit
        self._tokens = unit.tokens

    @cached_property
    def aliases(self) -> frozenset[str]:
        """Names that mean the namespace: its own, `namespace cg =`, and the usual `cg`."""
        found = {NAMESPACE}
        for place in self._unit.where(NAMESPACE):
            before = [self._tokens[at].text for at in range(max(0, place - 4), place)]
            before = [text for text in before if text != "::"]
            if before[-1:] == ["="] and len(before) > 2:  # noqa: PLR2004 - namespace NAME =
                found.add(before[-2])
        own = any(
            self._tokens[place - 1].text == "namespace" and self._tokens[place + 1].text == "{"
            for place in self._unit.where(_USUAL_ALIAS)
        )
        return frozenset(found if own else found | {_USUAL_ALIAS})

    @cached_property
    def is_open(self) -> bool:
        """Whether `using namespace cooperative_groups` makes its names plain."""
        return any(
            self._tokens[place - 1].text == "namespace" and self._tokens[place - 2].text == "using"
            for alias in self.aliases
            for place in self._unit.where(alias)
        )

    def is_meant(self, place: int) -> bool:
        """Whether the name at `place` is one of the namespace."""
        before = self._tokens[place - 1].text
        if before == "::":
            outer = self._tokens[place - 2].text
            return outer in self.aliases or (
                outer == "experimental" and self._tokens[place - 4].text in self.aliases
            )
        if before in (".", "->"):
            return False
        return self.is_open or self._is_imported(self._tokens[place].text)

    def _is_imported(self, name: str) -> bool:
        return any(
            self._tokens[place - 1].text == "::"
            and self._tokens[place - 2].text in self.aliases
            and self._tokens[place - 3].text == "using"
            for place in self._unit.where(name)
        )

    @cached_property
    def is_used(self) -> bool:
        """Whether the file speaks of cooperative groups at all."""
        return any(self._unit.where(alias) for alias in self.aliases) or any(
            "cooperative_groups" in header.path for header in self._unit.headers
        )

    @cached_property
    def variables(self) -> dict[str, list[tuple[int, Group]]]:
        """Name -> (place of the declaration, group), by place."""
        found: dict[str, list[tuple[int, Group]]] = {}
        makers = [
            (place, kind)
            for name, kind in _MAKERS.items()
            for place in self._unit.where(name)
            if self.is_meant(place)
        ]
        for place, kind in sorted(makers):
            for declared, group in self._declared(place, kind, found):
                found.setdefault(group.name, []).append((declared, group))
        return found

    def of(self, place: int) -> Group | None:
        """Return the group that the name at token `place` stands for, as declared before it."""
        function = self._unit.functions.around(place)
        best = None
        for declared, group in self.variables.get(self._tokens[place].text, ()):
            inside = function is None or function.first <= declared <= function.close
            if declared <= place and inside:
                best = group
        return best

    def _declared(
        self, place: int, kind: Kind, known: dict[str, list[tuple[int, Group]]]
    ) -> Iterator[tuple[int, Group]]:
        tokens = self._tokens
        size, after = 0, place + 1
        if tokens[after].text == "<":
            size = integer(tokens[after + 1]) or 0
            after = (match_angle(tokens, after) or after) + 1
        while tokens[after].text in ("&", "const", "&&"):
            after += 1
        if tokens[after].kind == IDENT and tokens[place].text in ("thread_block_tile", *_TYPES):
            yield after, Group(tokens[after].text, kind, size)
            return
        start = statement_start(tokens, place)
        for at in range(start + 1, place):
            if tokens[at].text == "=" and tokens[at - 1].kind == IDENT:
                parent = self._parent(place, known)
                yield at - 1, Group(tokens[at - 1].text, kind, size, parent)
                return

    def _parent(self, place: int, known: dict[str, list[tuple[int, Group]]]) -> Kind | None:
        call = call_at(self._tokens, place)
        if call is None or not call.arguments:
            return None
        words = [self._tokens[at].text for at in range(call.open, call.close)]
        if "this_thread_block" in words:
            return Kind.BLOCK
        name = self._tokens[call.arguments[0].first].text
        return known[name][-1][1].kind if name in known else None


_TYPES: Final = ("coalesced_group", "thread_block", "grid_group")
