"""What the table compares: each row's figure, unit, and by how much ours has to be better."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """One figure of a measure, which clients report in seconds, bytes, or as a rate or count.

    `scale` turns that into `unit`.  `times`: how many times better than the peer's ours has to
    be.  `limit`: what ours must not exceed, in `unit`.
    """

    figure: str
    measure: str
    label: str
    unit: str
    scale: float = 1
    times: float | None = None
    limit: float | None = None
    higher_is_better: bool = False

    def ratio(self, ours: float, peer: float) -> float:
        """Return how many times better ours is."""
        better, worse = (ours, peer) if self.higher_is_better else (peer, ours)
        return better / worse if worse else float("inf")

    def verdict(self, ours: float | None, peer: float | None) -> str:
        """Tell whether what this row asks for holds; nothing if it asks for nothing."""
        if self.times is None and self.limit is None:
            return ""
        if ours is None:
            return "not measured"
        if self.limit is not None and ours * self.scale > self.limit:
            return "MISSED"
        if self.times is None:
            return "met"
        if peer is None:
            return "no peer"
        return "met" if self.ratio(ours, peer) >= self.times else "MISSED"


_US, _MS, _MB = 1e6, 1e3, 1e-6

ROWS = (
    Row("call_one p50", "latency", "call_one, 64 B, p50", "us", _US, times=8, limit=60),
    Row("call_one p99", "latency", "call_one, 64 B, p99", "us", _US, times=5),
    Row(
        "outstanding",
        "outstanding",
        "2,000 outstanding calls",
        "calls/s",
        times=8,
        higher_is_better=True,
    ),
    Row("call to 8", "call8", "call to 8 actors, p50", "us", _US, times=6),
    Row("call to 32", "call32", "call to 32 actors, p50", "us", _US, times=6),
    Row("large bytes", "bytes", "64 MiB of bytes", "ms", _MS, times=5),
    Row("large tensor", "tensor", "64 MiB torch tensor", "ms", _MS, times=5),
    Row("large array", "array", "64 MiB numpy array", "ms", _MS),
    Row("start 4", "start4", "4 procs, first reply", "ms", _MS, times=5),
    Row("start 4 again", "start4", "4 more procs", "ms", _MS),
    Row("start 16", "start16", "16 procs, first reply", "ms", _MS, times=5),
    Row("start 16 again", "start16", "16 more procs", "ms", _MS),
    Row("kill p50", "kill", "kill -9 to failed call, p50", "ms", _MS),
    Row("kill p99", "kill", "kill -9 to failed call, p99", "ms", _MS, limit=50),
    Row("kills", "kill", "  kills", ""),
    Row("memory", "memory", "PSS of the tree, 16 procs", "MB", _MB, times=1),
    Row("processes", "memory", "  processes of the tree", ""),
    Row("import wall", "import", "import, wall", "ms", _MS, times=1),
    Row("import CPU", "import", "import, CPU", "ms", _MS, times=1),
    Row("torch modules", "import", "  torch modules imported", "", limit=0),
)

FLOOR_ROWS = (
    Row("floor C++ p50", "floor", "unix socket, C++, p50", "us", _US),
    Row("floor C++ p99", "floor", "unix socket, C++, p99", "us", _US),
    Row("floor C++ one CPU p50", "floor", "  both on one CPU, p50", "us", _US),
    Row("floor Python p50", "floor", "unix socket, Python, p50", "us", _US),
    Row("floor Python p99", "floor", "unix socket, Python, p99", "us", _US),
)
