"""Chains of #if branches: which are taken under an assumption, and what they hold."""

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from itertools import pairwise
from typing import Final

from porting.mapping import Status
from porting.rules.unit import Unit
from porting.syntax import IDENT, Truth, chains, condition_holds, looks_like_cuda

CONDITIONS: Final = frozenset(("if", "ifdef", "ifndef", "elif", "elifdef", "elifndef"))
COMPARISONS: Final = frozenset(("<", ">", "<=", ">=", "==", "!="))
ARITHMETIC: Final = frozenset(("+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"))
_ASM: Final = frozenset(("asm", "__asm__", "__asm"))
_NVIDIA_ONLY: Final = frozenset(("nvcuda", "wmma", "wgmma", "cute", "cutlass"))
_REFUSES: Final = frozenset(("__trap", "trap", "abort", "assert", "static_assert"))


class Content(IntEnum):
    """What a text holds, from nothing to what no AMD GPU can run."""

    EMPTY = 0
    PORTABLE = 1
    REFUSAL = 2  # nothing but an error or a trap
    NVIDIA = 3  # PTX, or names that HIP lacks


class Choice(StrEnum):
    """What is to be done about a chain whose macro HIP leaves undefined."""

    AS_IS = "as is"  # undefined takes the right branches already
    NEWEST = "newest"  # rewrite it to take the branch for the newest GPU or toolkit
    OLDER = "older"  # the newest has no port, an older branch has
    OPEN = "open"  # neither is right


@dataclass(frozen=True, slots=True)
class Arm:
    """One branch of a chain: its directive and the text behind it."""

    directive: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Selection:
    """A chain, what is done about it, and the arms that some pass of a ROCm build compiles."""

    arms: tuple[Arm, ...]
    choice: Choice
    compiled: tuple[Arm, ...]

    @property
    def left_out(self) -> tuple[Arm, ...]:
        """The arms that no pass of a ROCm build compiles."""
        return tuple(arm for arm in self.arms if arm not in self.compiled)


def live_chains(unit: Unit, macros: AbstractSet[str]) -> Iterator[tuple[Arm, ...]]:
    """Yield the chains of live code one of whose conditions names one of `macros`."""
    wanted = {
        unit.tokens[number].directive
        for macro in macros
        for number in unit.where(macro)
        if unit.tokens[number].directive >= 0
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
    return [number for number in span if unit.tokens[number].text in macros]


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


def content(unit: Unit, arms: Sequence[Arm]) -> Content:
    """Return what the arms hold, the worst of them counting."""
    return max((_content(unit, arm) for arm in arms), default=Content.EMPTY)


def _content(unit: Unit, arm: Arm) -> Content:
    numbers = unit.tokens_in(arm.start, arm.end)
    if not numbers:
        return Content.EMPTY
    words = {unit.tokens[n].text for n in numbers if unit.tokens[n].kind == IDENT}
    if any(_is_nvidias(unit, word) for word in words):
        return Content.NVIDIA
    if not words.isdisjoint(_ASM):
        assembly = [unit.tokens[n] for n in numbers if unit.tokens[n].text in _ASM]
        if any(token.start not in unit.ported_asm for token in assembly):
            return Content.NVIDIA
    directives = {unit.tokens[n].directive for n in numbers}
    if any(d >= 0 and unit.lexed.directives[d].name == "error" for d in directives):
        return Content.REFUSAL
    statements = sum(unit.tokens[n].text == ";" for n in numbers)
    if statements <= 1 and not words.isdisjoint(_REFUSES):
        return Content.REFUSAL
    return Content.PORTABLE


def _is_nvidias(unit: Unit, word: str) -> bool:
    if word in _NVIDIA_ONLY:
        return True
    name = unit.names.get(word)
    return (
        name is not None
        and name.status is Status.UNSUPPORTED
        and (looks_like_cuda(word) or word.startswith("__"))
        and word not in unit.project.declared
    )
