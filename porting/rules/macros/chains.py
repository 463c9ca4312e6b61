"""Chains of #if branches: which are taken under an assumption, and what they hold."""

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from itertools import pairwise
from typing import Final

from porting.rules.unit import Unit
from porting.syntax import Truth, chains, condition_holds

CONDITIONS: Final = frozenset(("if", "ifdef", "ifndef", "elif", "elifdef", "elifndef"))
COMPARISONS: Final = frozenset(("<", ">", "<=", ">=", "==", "!="))
ARITHMETIC: Final = frozenset(("+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"))
_REFUSES: Final = frozenset(("__trap", "trap", "abort", "assert", "static_assert"))


class Content(IntEnum):
    """What a text holds, from nothing to what no AMD GPU can run."""

    EMPTY = 0
    PORTABLE = 1
    REFUSAL = 2  # nothing but an error or a trap
    NVIDIA = 3  # PTX, names that HIP lacks, or whatever else the port reported as an error


class Choice(StrEnum):
    """What is to be done about a chain whose macro HIP leaves undefined."""

    AS_IS = "as is"  # undefined takes the right branches already
    NEWEST = "newest"  # rewrite it to take the branch for the newest GPU or toolkit
    OLDER = "older"  # the newest has no port, an older branch has
    OPEN = "open"  # neither is right
    NEVER_OLDER = "never older"  # HIP has what the older branch defines, on the host too


@dataclass(frozen=True, slots=True)
class Arm:
    """One branch of a chain: its directive and the text behind it."""

    directive: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Selection:
    """A chain, what is done about it, and the arms that some pass of a ROCm build compiles.

    `doubt`: the architecture whose features the chain asks for and AMD GPUs may lack, or 0.
    """

    arms: tuple[Arm, ...]
    choice: Choice
    compiled: tuple[Arm, ...]
    doubt: int = 0

    @property
    def left_out(self) -> tuple[Arm, ...]:
        """The arms that no pass of a ROCm build compiles."""
        return tuple(arm for arm in self.arms if arm not in self.compiled)


def live_chains(unit: Unit, macros: AbstractSet[str]) -> Iterator[tuple[Arm, ...]]:
    """Yield the chains of live code one of whose conditions names one of `macros`, inner first."""
    wanted = {
        unit.tokens.directives[number]
        for macro in macros
        for number in unit.where(macro)
        if unit.tokens.directives[number] >= 0
    }
    if not wanted:
        return
    directives = unit.lexed.directives
    for chain in chains(directives):
        if wanted.isdisjoint(chain):
            continue
        yield tuple(
            Arm(this, directives[this].end, directives[after].start)
            for this, after in pairwise(chain)
        )


def mentions(unit: Unit, arm: Arm, macros: AbstractSet[str]) -> list[int]:
    """Return the tokens of an arm's condition that are one of `macros`."""
    directive = unit.lexed.directives[arm.directive]
    if directive.name not in CONDITIONS:
        return []
    span = range(directive.first, directive.last)
    return [number for number in span if unit.tokens.words[number] in macros]


def taken(
    unit: Unit,
    arms: Sequence[Arm],
    undefined: AbstractSet[str] = frozenset(),
    values: Mapping[str, int] | None = None,
) -> tuple[Arm, ...]:
    """Return the arms that may be compiled when the macros are as assumed."""
    found: list[Arm] = []
    for arm in arms:
        directive = unit.lexed.directives[arm.directive]
        holds = condition_holds(unit.tokens, directive, frozenset(), undefined, values)
        if holds is not Truth.FALSE:
            found.append(arm)
        if holds is Truth.TRUE:
            break
    return tuple(found)


def content(unit: Unit, arms: Sequence[Arm], errors: AbstractSet[int]) -> Content:
    """Return what the arms hold, the worst of them counting.

    `errors`: lines on which the port left something that does not compile.
    """
    return max((_content(unit, arm, errors) for arm in arms), default=Content.EMPTY)


def lines_of(unit: Unit, arm: Arm) -> range:
    """Return the lines between an arm's directive and the next one of the chain."""
    return range(unit.source.line_of(arm.start) + 1, unit.source.line_of(arm.end))


def _content(unit: Unit, arm: Arm, errors: AbstractSet[int]) -> Content:
    numbers = unit.tokens_in(arm.start, arm.end)
    if not numbers:
        return Content.EMPTY
    if not errors.isdisjoint(lines_of(unit, arm)):
        return Content.NVIDIA
    inside = slice(numbers.start, numbers.stop)
    directives = set(unit.tokens.directives[inside])
    if any(d >= 0 and unit.lexed.directives[d].name == "error" for d in directives):
        return Content.REFUSAL
    words = unit.tokens.words[inside]
    if words.count(";") <= 1 and not _REFUSES.isdisjoint(words):
        return Content.REFUSAL
    return Content.PORTABLE
