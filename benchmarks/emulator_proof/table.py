"""Medians of both sides' runs and what they come to, as text and as JSON."""

import statistics
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from .sides import Timed

WANTED = 5.0
_HEADING = f"{'million kernel threads a second':34}{'ours':>10}{'proof':>10}{'ratio':>9}"
_MILLION = 1e6
Runs = Sequence[Sequence[Timed]]


@dataclass(frozen=True)
class Row:
    """The medians of one kernel, in threads per second."""

    kernel: str
    ours: float
    proof: float

    @property
    def ratio(self) -> float:
        """How many times as fast ours is."""
        return self.ours / self.proof


@dataclass(frozen=True)
class Results:
    """The runs of both sides, which have the same kernels."""

    ours: Runs
    proof: Runs

    def rows(self) -> list[Row]:
        """Return a row per kernel, in the workload's order."""
        ours, proof = _medians(self.ours), _medians(self.proof)
        return [Row(kernel, rate, proof[kernel]) for kernel, rate in ours.items()]

    @property
    def mean(self) -> float:
        """The geometric mean of the ratios."""
        return statistics.geometric_mean(row.ratio for row in self.rows())

    @property
    def least(self) -> Row:
        """The kernel where ours gains least."""
        return min(self.rows(), key=lambda row: row.ratio)

    @property
    def met(self) -> bool:
        """Whether ours is as fast as it has to be."""
        return self.mean >= WANTED

    def table(self) -> str:
        """Return a line per kernel, and the mean."""
        lines = [
            f"{row.kernel:34}{row.ours / _MILLION:10.3f}{row.proof / _MILLION:10.3f}"
            f"{row.ratio:8.1f}x"
            for row in self.rows()
        ]
        return "\n".join([_HEADING, *lines, f"{'geometric mean':54}{self.mean:8.1f}x"])

    def summary(self) -> str:
        """Return what it comes to, in one line."""
        rows, least = self.rows(), self.least
        return (
            f"emulator: {self.mean:.1f} times the proof's kernel threads per second, the geometric "
            f"mean of {len(rows)} kernels; least {least.ratio:.1f} ({least.kernel}); "
            f"wanted {WANTED:g}: {'met' if self.met else 'MISSED'}"
        )

    def as_json(self) -> dict[str, object]:
        """Return every figure of every run, the medians and ratios, and the summary."""
        return {
            "summary": self.summary(),
            "wanted": WANTED,
            "rows": [asdict(row) | {"ratio": row.ratio} for row in self.rows()],
            "geometric mean": self.mean,
            "least": {"kernel": self.least.kernel, "ratio": self.least.ratio},
            "runs": {
                name: [[asdict(timed) | {"rate": timed.rate} for timed in run] for run in runs]
                for name, runs in (("ours", self.ours), ("proof", self.proof))
            },
        }


def _medians(runs: Runs) -> dict[str, float]:
    rates: dict[str, list[float]] = {}
    for run in runs:
        for timed in run:
            rates.setdefault(timed.kernel, []).append(timed.rate)
    return {kernel: statistics.median(each) for kernel, each in rates.items()}
