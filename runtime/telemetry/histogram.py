"""Times in buckets, as Prometheus counts them."""

from __future__ import annotations

from bisect import bisect_left

#: Upper limits of the buckets, in seconds; the last one has none.
LIMITS = (1e-5, 1e-4, 2.5e-4, 1e-3, 2.5e-3, 1e-2, 2.5e-2, 0.1, 0.25, 1.0, 2.5, 10.0, 60.0, 600.0)


class Histogram:
    """How many times were at most as long as each limit, and their sum."""

    __slots__ = ("counts", "total")

    def __init__(self) -> None:
        self.counts = [0] * (len(LIMITS) + 1)
        self.total = 0.0

    def add(self, seconds: float) -> None:
        """Count one time."""
        self.counts[bisect_left(LIMITS, seconds)] += 1
        self.total += seconds
