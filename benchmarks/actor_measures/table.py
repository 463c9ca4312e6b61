"""Lay out what was measured, and what it comes to, as text and as JSON."""

import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from .rows import FLOOR_ROWS, ROWS, Row
from .side import Outcome

_HEADING = (
    f"{'':30}{'unit':>8}{'ours':>11}{'peer':>11}{'ratio':>8}{'wanted':>8}{'limit':>8}  verdict"
)
_WHOLE = 1000  # from here on digits behind the point say nothing


@dataclass(frozen=True)
class Results:
    """The outcomes of all runs: of each side by measure, and of the floor."""

    ours: Mapping[str, Sequence[Outcome]]
    peer: Mapping[str, Sequence[Outcome]]
    floor: Outcome | None = None

    def rows(self) -> list[Row]:
        """Return the rows that were asked for."""
        return [row for row in ROWS if row.measure in self.ours]

    def missed(self) -> list[Row]:
        """Return the rows where ours is not as good as it has to be, or failed."""
        return [r for r in self.rows() if self._verdict(r) == "MISSED" or self._failed(r)]

    def _failed(self, row: Row) -> bool:
        wanted = self._verdict(row) == "not measured"
        return wanted and not any(o.skipped for o in self.ours[row.measure])

    def _verdict(self, row: Row) -> str:
        return row.verdict(*self._pair(row))

    def _pair(self, row: Row) -> tuple[float | None, float | None]:
        return median(self.ours, row), median(self.peer, row)

    def table(self) -> str:
        """Return a line per row; under it why something is missing, and the floor."""
        lines = [_HEADING]
        for row in self.rows():
            ours, peer = self._pair(row)
            cells = [_cell(ours, row), _cell(peer, row), _ratio(row, ours, peer)]
            wanted = f"{row.times:g}x" if row.times else ""
            limit = f"{row.limit:g}" if row.limit is not None else ""
            lines.append(
                f"{row.label:30}{row.unit:>8}{cells[0]:>11}{cells[1]:>11}{cells[2]:>8}"
                f"{wanted:>8}{limit:>8}  {self._verdict(row)}".rstrip()
            )
        return "\n".join([*lines, *self._floor_lines(), *self._reasons()])

    def _floor_lines(self) -> Iterator[str]:
        if self.floor is None:
            return
        for row in FLOOR_ROWS:
            value = self.floor.figures.get(row.figure)
            call = f"call_one {row.figure[-3:]}"
            ours, peer = (_figure(side.get("latency", ()), call) for side in (self.ours, self.peer))
            times = [
                f"{who} {call} is {called / value:.1f} times that"
                for who, called in (("our", ours), ("the peer's", peer))
                if value and called
            ]
            yield f"{row.label:30}{row.unit:>8}{_cell(value, row):>11}  {', '.join(times)}".rstrip()

    def _reasons(self) -> Iterator[str]:
        for who, side in (("ours", self.ours), ("peer", self.peer)):
            told: dict[str, list[str]] = {}
            for measure, outcomes in side.items():
                for reason in dict.fromkeys(o.reason for o in outcomes if o.reason):
                    told.setdefault(reason, []).append(measure)
            for reason, measures in told.items():
                yield f"not measured: {who}, {', '.join(measures)}: {reason}"
            for measure, outcomes in side.items():
                left = [str(o.left) for o in outcomes if o.left]
                if left:
                    yield f"{who}, {measure}: {', '.join(left)} processes lived on after the client"
        if self.floor is not None and self.floor.reason:
            yield f"not measured: floor: {self.floor.reason}"

    def summary(self) -> str:
        """Return what it comes to, in one line."""
        asked = [r for r in self.rows() if r.times is not None or r.limit is not None]
        met = sum(self._verdict(r) == "met" for r in asked)
        missed = self.missed()
        text = f"actors: {met} of {len(asked)} wanted figures are met"
        if missed:
            text += f"; missed: {', '.join(r.label.strip() for r in missed)}"
        unknown = len(asked) - met - len(missed)
        return text + (f"; {unknown} could not be told" if unknown else "")

    def as_json(self) -> dict[str, object]:
        """Return every figure of every run, the medians, ratios and verdicts, and the summary."""
        rows = []
        for row in self.rows():
            ours, peer = self._pair(row)
            both = ours is not None and peer is not None
            rows.append(
                {
                    "figure": row.figure,
                    "unit": row.unit,
                    "ours": ours if ours is None else ours * row.scale,
                    "peer": peer if peer is None else peer * row.scale,
                    "ratio": row.ratio(ours, peer) if both else None,  # type: ignore[arg-type]
                    "wanted": row.times,
                    "limit": row.limit,
                    "verdict": self._verdict(row),
                }
            )
        return {
            "summary": self.summary(),
            "rows": rows,
            "floor": dict(self.floor.figures) if self.floor else {},
            "runs": {"ours": _runs(self.ours), "peer": _runs(self.peer)},
            "notes": list(self._reasons()),
        }


def median(side: Mapping[str, Sequence[Outcome]], row: Row) -> float | None:
    """Return the median over a side's runs of a row's figure, as clients reported it."""
    return _figure(side.get(row.measure, ()), row.figure)


def _figure(outcomes: Sequence[Outcome], figure: str) -> float | None:
    values = [o.figures[figure] for o in outcomes if figure in o.figures]
    return statistics.median(values) if values else None


def _runs(side: Mapping[str, Sequence[Outcome]]) -> dict[str, list[dict[str, float]]]:
    return {measure: [dict(o.figures) for o in outcomes] for measure, outcomes in side.items()}


def _cell(value: float | None, row: Row) -> str:
    if value is None:
        return "-"
    shown = value * row.scale
    whole = shown >= _WHOLE or not row.unit
    return f"{shown:,.0f}" if whole else f"{shown:.3g}"


def _ratio(row: Row, ours: float | None, peer: float | None) -> str:
    if ours is None or peer is None or not row.unit:
        return "-"
    return f"{row.ratio(ours, peer):.1f}x"
