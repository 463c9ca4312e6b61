"""Medians of both sides' runs and what they come to, as text and as JSON."""

import statistics
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from .sides import Timed

WANTED = 5.0
_COLUMNS = f"{'ours':>10}{'proof':>10}{'ratio':>9}{'by CPU time':>14}"
_HEADING = "million kernel threads a second".ljust(34) + _COLUMNS
_MILLION = 1e6
Runs = Sequence[Sequence[Timed]]


@dataclass(frozen=True)
class Row:
    """The medians of one kernel, in threads per second."""

    kernel: str
    ours: float
    proof: float
    cpu_ratio: float

    @property
    def ratio(self) -> float:
        """How many times as fast ours is."""
        return self.ours / self.proof

    @property
    def verdict(self) -> str:
        """What the table says behind a kernel that gains less than is wanted."""
        return "" if self.ratio >= WANTED else f"  below {WANTED:g}"


@dataclass(frozen=True)
class Results:
    """The runs of both sides, which have the same kernels."""

    ours: Runs
    proof: Runs

    def rows(self) -> list[Row]:
        """Return a row per kernel, in the workload's order."""
        ours, proof = _medians(self.ours), _medians(self.proof)
        return [
            Row(kernel, rate, proof[kernel][0], cpu_rate / proof[kernel][1])
            for kernel, (rate, cpu_rate) in ours.items()
        ]

    @property
    def mean(self) -> float:
        """The geometric mean of the ratios."""
        return statistics.geometric_mean(row.ratio for row in self.rows())

    @property
    def cpu_mean(self) -> float:
        """The same by CPU time, where a side gains nothing by using two processors."""
        return statistics.geometric_mean(row.cpu_ratio for row in self.rows())

    @property
    def least(self) -> Row:
        """The kernel where ours gains least."""
        return min(self.rows(), key=lambda row: row.ratio)

    @property
    def met(self) -> bool:
        """Whether ours is as fast as it has to be, with each kernel."""
        return self.least.ratio >= WANTED

    def table(self) -> str:
        """Return a line per kernel, and the mean."""
        lines = [
            f"{row.kernel:34}{row.ours / _MILLION:10.3f}{row.proof / _MILLION:10.3f}"
            f"{row.ratio:8.1f}x{row.cpu_ratio:13.1f}x{row.verdict}"
            for row in self.rows()
        ]
        last = f"{'geometric mean':54}{self.mean:8.1f}x{self.cpu_mean:13.1f}x"
        return "\n".join([_HEADING, *lines, last])

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
            "geometric mean by CPU time": self.cpu_mean,
            "least": {"kernel": self.least.kernel, "ratio": self.least.ratio},
            "runs": {
                name: [[asdict(timed) | {"rate": timed.rate} for timed in run] for run in runs]
                for name, runs in (("ours", self.ours), ("proof", self.proof))
            },
        }


def _medians(runs: Runs) -> dict[str, tuple[float, float]]:
    """Return each kernel's threads per second, and per second of a processor."""
    kernels: dict[str, list[Timed]] = {}
    for run in runs:
        for timed in run:
            kernels.setdefault(timed.kernel, []).append(timed)
    return {
        kernel: (
            statistics.median(timed.rate for timed in each),
            statistics.median(timed.cpu_rate for timed in each),
        )
        for kernel, each in kernels.items()
    }
