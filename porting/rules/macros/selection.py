"""Choose the branches for a ROCm build in conditions on CUDA's version or architecture.

Runs when all other families are done: which branch has a port is known by what they left.
"""

from collections.abc import Iterator
from collections.abc import Set as AbstractSet

from porting.diagnostics import Diagnostic
from porting.edits import Edit
from porting.rules.macros.architecture import (
    ARCH,
    architecture_findings,
    other_architecture_findings,
    select_by_architecture,
)
from porting.rules.macros.chains import Selection, lines_of, live_chains, mentions
from porting.rules.macros.versions import (
    VERSIONS,
    other_version_findings,
    select_by_version,
    version_findings,
)
from porting.rules.unit import Unit

_MACROS = VERSIONS | {ARCH}


class Selections:
    """The choices for the chains of one file.

    `errors`: lines on which the other families left something that does not compile.
    """

    def __init__(self, unit: Unit, errors: AbstractSet[int]) -> None:
        self._unit = unit
        self._by_architecture: list[Selection] = []
        self._by_version: list[Selection] = []
        left = set(errors)
        for arms in live_chains(unit, _MACROS):  # inner chains first: outer ones hold them
            if any(mentions(unit, arm, {ARCH}) for arm in arms):
                self._by_architecture.append(select_by_architecture(unit, arms, left))
                left -= self._lines_left_out(self._by_architecture[-1])
            chosen = select_by_version(unit, arms, left)
            if chosen is not None:
                self._by_version.append(chosen)
                left -= self._lines_left_out(chosen)

    def findings(self) -> Iterator[Edit | Diagnostic]:
        """Yield what becomes of every mention of CUDA's version and architecture."""
        handled: set[int] = set()
        for selection in self._by_architecture:
            yield from architecture_findings(self._unit, selection, handled)
        for selection in self._by_version:
            yield from version_findings(self._unit, selection, handled)
        yield from other_architecture_findings(self._unit, handled)
        yield from other_version_findings(self._unit, handled)

    def left_out(self) -> frozenset[int]:
        """Return the lines that no pass of a ROCm build compiles."""
        chosen = (*self._by_architecture, *self._by_version)
        return frozenset(line for one in chosen for line in self._lines_left_out(one))

    def _lines_left_out(self, selection: Selection) -> set[int]:
        return {line for arm in selection.left_out for line in lines_of(self._unit, arm)}
