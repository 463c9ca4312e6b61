"""Judge whether what a process holds, descriptors and memory, stays flat over a run."""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

_FEWEST = 12  # samples, below which a trend cannot be told
_DESCRIPTORS = 8
_MEMORY = 16 << 20
_PART = 0.10


@dataclass(frozen=True)
class Held:
    """What the client held after a round: open descriptors and bytes of memory."""

    descriptors: int
    memory: int


def growth(samples: Sequence[Held]) -> list[str]:
    """Return what grew from the second quarter of a run to its last; the first is warming up."""
    if len(samples) < _FEWEST:
        return []
    quarter = len(samples) // 4
    early, late = samples[quarter : 2 * quarter], samples[-quarter:]
    grown = []
    first, last = (round(statistics.median(h.descriptors for h in q)) for q in (early, late))
    if last > first + _DESCRIPTORS:
        grown.append(f"the client's descriptors grew from {first} to {last}")
    first, last = (round(statistics.median(h.memory for h in q)) for q in (early, late))
    if last > first * (1 + _PART) + _MEMORY:
        grown.append(f"the client's memory grew from {first >> 20} to {last >> 20} MiB")
    return grown
