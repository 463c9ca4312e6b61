"""Lay out what the conversions took and what of them compiles, as one table and as JSON."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from benchmarks.real_trees.compiling import Side
from benchmarks.real_trees.rates import UnitResult
from benchmarks.real_trees.remembered import Outcome

_HEADING = (
    f"{'conversion alone, CPU seconds':32}{'files':>7}{'ours':>9}{'peer':>9}{'ratio':>7}"
    f"{'start-up ours/peer':>20}"
)
_WIDTH = 24


@dataclass(frozen=True)
class Timing:
    """Seconds of CPU that the conversion of one tree took, medians of the runs of either side."""

    files: int
    ours: float
    peer: float
    startup: tuple[float, float]
    runs: Mapping[str, Sequence[float]]

    @property
    def ratio(self) -> float:
        """Ours as a part of the peer's."""
        return self.ours / self.peer


@dataclass(frozen=True)
class Results:
    """The timing of each tree, by its label, and the units that were compiled of it, if any."""

    timings: Mapping[str, Timing]
    units: Mapping[str, Sequence[UnitResult]]

    def slower(self) -> list[str]:
        """Return the trees that took ours longer."""
        return [tree for tree, timing in self.timings.items() if timing.ratio >= 1]

    def less(self) -> list[str]:
        """Return the trees of which fewer units compile than of the peer's conversion."""
        rates = {tree: self._rates(tree) for tree in self.units}
        return [tree for tree, each in rates.items() if any(o < p for o, p, _ in each.values())]

    def _rates(self, tree: str) -> dict[str, tuple[int, int, int]]:
        return {str(side): rate(self.units[tree], side) for side in Side}

    def _every_unit(self) -> list[UnitResult]:
        return [unit for units in self.units.values() for unit in units]

    def table(self) -> str:
        """Return a line per tree; under it what was left out, and why units do not compile."""
        heading = _HEADING
        if self.units:
            heading += "".join(f"{side} ours/peer/all".rjust(_WIDTH) for side in Side)
        lines = [heading, *(self._line(tree) for tree in self.timings)]
        if self.units:
            lines.append("all".ljust(len(_HEADING)) + _cells(self._every_unit()))
        return "\n".join([*lines, *self._notes()])

    def _line(self, tree: str) -> str:
        timing = self.timings[tree]
        startup = f"{timing.startup[0]:.3f}/{timing.startup[1]:.3f}"
        return (
            f"{tree:32}{timing.files:7}{timing.ours:9.3f}{timing.peer:9.3f}{timing.ratio:7.2f}"
            f"{startup:>20}{_cells(self.units[tree]) if tree in self.units else ''}"
        )

    def _notes(self) -> Iterator[str]:
        for tree, units in self.units.items():
            for unit in units:
                if unit.excluded:
                    yield f"left out: {tree}: {unit.unit} ({unit.side}): no {unit.excluded} here"
            for who in ("ours", "peer"):
                outcomes = [getattr(unit, who) for unit in units if not unit.excluded]
                failures = Counter(_text(each) for each in outcomes if not each.passed)
                for text, count in failures.most_common():
                    yield f"{tree}: {who} fails {count}x: {text}"
        if self.units:
            paths = {unit.unit for unit in self._every_unit() if not unit.excluded}
            yield f"{len(paths)} different unit paths were compared"

    def summary(self) -> str:
        """Return what it comes to, in one line."""
        parts = [f"slower than the peer: {', '.join(self.slower()) or 'no tree'}"]
        if self.units:
            parts.append(
                f"less compiles than with the peer: {', '.join(self.less()) or 'of no tree'}"
            )
        return f"porting: {len(self.timings)} trees; {'; '.join(parts)}"

    def as_json(self) -> dict[str, Any]:
        """Return the seconds of every run, what compiles, the notes, and the summary."""
        return {
            "summary": self.summary(),
            "seconds": {
                tree: asdict(timing) | {"ratio": timing.ratio}
                for tree, timing in self.timings.items()
            },
            "compiled": {tree: self._rates(tree) for tree in self.units},
            "slower": self.slower(),
            "less": self.less(),
            "notes": list(self._notes()),
        }


def rate(units: Sequence[UnitResult], side: Side) -> tuple[int, int, int]:
    """Return how many units of a side compile of ours and of the peer's, and how many there are."""
    counted = [unit for unit in units if unit.side is side and not unit.excluded]
    return (
        sum(unit.ours.passed for unit in counted),
        sum(unit.peer.passed for unit in counted),
        len(counted),
    )


def _cells(units: Sequence[UnitResult]) -> str:
    rates = (rate(units, side) for side in Side)
    return "".join(f"{ours}/{peer}/{count}".rjust(_WIDTH) for ours, peer, count in rates)


def _text(outcome: Outcome) -> str:
    return f"no header {outcome.missing}" if outcome.missing else outcome.error
