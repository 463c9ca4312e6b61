"""Judge whether what a process holds, descriptors and memory, stays flat over a run.

A leak goes on; warming up, a peak that is not given back, and limits that fill up come to an end.
So only the second half of a run counts, and it has to rise from each of its parts to the next.
"""

import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, pairwise

_PARTS = 4  # of the second half
_FEWEST = 4 * _PARTS  # samples, below which a trend cannot be told
_SHOWN = 8


@dataclass(frozen=True)
class Held:
    """What a process held after a round: descriptors, bytes of its own and shared, counts by name.

    Shared memory is kept for the next message of its size, up to the program's limit.
    """

    descriptors: int
    memory: int
    shared: int = 0
    counts: Mapping[str, int] = field(default_factory=dict)

    def __str__(self) -> str:
        own, shared = self.memory / 2**20, self.shared / 2**20
        return f"{self.descriptors} descriptors, {own:.1f} MiB, {shared:.1f} MiB shared"


@dataclass(frozen=True)
class _Limit:
    """How much of something may be more, in `unit`: each round, and in a part by chance."""

    name: str
    of: Callable[[Held], int]
    each_round: float
    by_chance: int
    unit: int = 1
    unit_name: str = ""


_LIMITS = (
    _Limit("descriptors", lambda held: held.descriptors, 0.05, 1),
    _Limit("memory", lambda held: held.memory, 16 << 10, 128 << 10, 1 << 10, " KiB"),
    _Limit("shared memory", lambda held: held.shared, 16 << 10, 16 << 20, 1 << 10, " KiB"),
)


def growth(samples: Sequence[Held], who: str = "the client") -> list[str]:
    """Return what grew throughout the second half of a run, by how much a round, and with what."""
    if len(samples) < _FEWEST:
        return []
    second = samples[len(samples) // 2 :]
    found = []
    for limit in _LIMITS:
        values = [limit.of(held) for held in second]
        if _rise(values) > max(limit.each_round, limit.by_chance / _rounds(values)):
            found.append(f"{who}'s {limit.name} grew {_told(limit, values)}{_beside(second)}")
    return found


def trend(samples: Sequence[Held]) -> list[str]:
    """Return how each of them went in the second half, for people."""
    if len(samples) < _FEWEST:
        return ["there were too few rounds for a trend"]
    second = samples[len(samples) // 2 :]
    return [f"{each.name} {_told(each, [each.of(held) for held in second])}" for each in _LIMITS]


def _told(limit: _Limit, values: Sequence[int]) -> str:
    first, *_, last = (median / limit.unit for median in _medians(values))
    each = (last - first) / (_PARTS - 1) / _rounds(values)
    return (
        f"by {each:,.3g}{limit.unit_name} a round in the second half, from "
        f"{first:,.0f} to {last:,.0f}{limit.unit_name}"
    )


def _rounds(second: Sequence[object]) -> float:
    """Return how many rounds there are from one part to the next."""
    return len(second) / _PARTS


def _medians(values: Sequence[int]) -> list[float]:
    count = len(values)
    edges = [count * part // _PARTS for part in range(_PARTS + 1)]
    parts = [values[edges[i] : edges[i + 1]] for i in range(_PARTS)]
    return [statistics.median(part) for part in parts]


def _rise(values: Sequence[int]) -> float:
    """Return by how much values rise a round, at the least: as a whole, and from part to part.

    Chance does not rise as a whole; a step, or two, leaves parts without a rise.
    """
    medians = _medians(values)
    steps = [later - earlier for earlier, later in pairwise(medians)]
    slopes = [
        (later - earlier) / (j - i)
        for (i, earlier), (j, later) in combinations(enumerate(values), 2)
    ]
    return min(statistics.median(slopes), min(steps) / _rounds(values))


def _beside(second: Sequence[Held]) -> str:
    """Return the counts that rose too, the fastest first."""
    names = second[0].counts.keys() & second[-1].counts.keys()
    rises = {name: _rise([held.counts.get(name, 0) for held in second]) for name in sorted(names)}
    shown = sorted(rises, key=lambda name: -rises[name])
    texts = [f"{name} {rises[name]:+.3g}" for name in shown if rises[name] > 0][:_SHOWN]
    return f"; with it, a round: {', '.join(texts)}" if texts else ""
