"""Identical lines of several ranks become one line. Pure: times are arguments, in seconds.

AG-1  Nothing is lost: the counts of all that is given out are the number of lines that came.
AG-2  The lines of one rank are given out in the order in which it printed them.
AG-3  A line waits no longer than the window, and not at all once every rank has printed it.
"""

from __future__ import annotations

from bisect import bisect_left

_MOST = 4096  # lines that wait at a time
_SHOWN = 4  # places that have nothing in common


class Heard:
    """A line, who printed it, and how often it was printed."""

    # A plain class, as the ones of failures are: `dataclasses` takes long to import.
    __slots__ = ("count", "ranks", "text")

    def __init__(self, text: str, ranks: tuple[int | str, ...], count: int) -> None:
        self.text = text
        self.ranks = ranks
        self.count = count

    def __str__(self) -> str:
        return self.text if self.count == 1 else f"[{self.count} similar lines] {self.text}"


class _Waiting:
    def __init__(self, text: str, since: float) -> None:
        self.text = text
        self.since = since
        self.ranks: dict[int | str, None] = {}
        self.count = 0


class Aggregator:
    """The lines of the ranks of one mesh. `size` is their number, where it is known."""

    def __init__(self, window: float, size: int | None = None) -> None:
        self.window = window
        self.size = size
        self._first = 0  # the number of the first line that waits
        self._lines: list[_Waiting] = []
        self._numbers: dict[str, list[int]] = {}  # of the lines with that text
        self._last: dict[int | str, int] = {}  # of the last line of each rank
        self._ready: list[Heard] = []

    def feed(self, rank: int | str, text: str, now: float) -> None:
        """Take one line of one rank."""
        self._expire(now)
        if self.window <= 0 or self.size == 1:
            self._ready.append(Heard(text, (rank,), 1))
            return
        numbers = self._numbers.setdefault(text, [])
        place = bisect_left(numbers, self._last.get(rank, 0))  # AG-2: not before its last line
        if place == len(numbers):
            numbers.append(self._first + len(self._lines))
            self._lines.append(_Waiting(text, now))
        number = self._last[rank] = numbers[place]
        line = self._lines[number - self._first]
        line.ranks[rank] = None
        line.count += 1
        if len(line.ranks) == self.size:
            self._release(number - self._first + 1)
        elif len(self._lines) > _MOST:
            self._release(1)

    def take(self, now: float) -> list[Heard]:
        """Return what has waited long enough, in order."""
        self._expire(now)
        ready, self._ready = self._ready, []
        return ready

    def flush(self) -> list[Heard]:
        """Return all that waits."""
        self._release(len(self._lines))
        ready, self._ready = self._ready, []
        return ready

    def deadline(self) -> float | None:
        """Return when there is something to take."""
        if self._ready:
            return 0.0
        return self._lines[0].since + self.window if self._lines else None

    def _expire(self, now: float) -> None:
        due = 0
        while due < len(self._lines) and self._lines[due].since + self.window <= now:
            due += 1
        self._release(due)

    def _release(self, count: int) -> None:
        for line in self._lines[:count]:
            self._ready.append(Heard(line.text, tuple(line.ranks), line.count))
            numbers = self._numbers[line.text]
            del numbers[0]
            if not numbers:
                del self._numbers[line.text]
        del self._lines[:count]
        self._first += count


def together(places: list[str]) -> str:
    """Return places of a mesh as one: "gpus=0", "gpus=1", "gpus=3" are "gpus=0-1+3"."""
    points = [
        dict(part.split("=", 1) for part in place.split(",") if "=" in part) for place in places
    ]
    labels = list(points[0])
    if not labels or any(list(point) != labels for point in points):
        return " ".join(sorted(set(places)))
    values = {label: sorted({point[label] for point in points}, key=_number) for label in labels}
    count = 1
    for each in values.values():
        count *= len(each)
    if count != len({tuple(point.values()) for point in points}):
        few = sorted(set(places))
        more = f" and {len(few) - _SHOWN} more" if len(few) > _SHOWN else ""
        return " ".join(few[:_SHOWN]) + more
    return ",".join(f"{label}={_ranges(each)}" for label, each in values.items())


def _number(text: str) -> tuple[int, str]:
    return (int(text), "") if text.isdigit() else (-1, text)


def _ranges(values: list[str]) -> str:
    if not all(value.isdigit() for value in values):
        return "+".join(values)
    parts: list[list[int]] = []
    for value in map(int, values):
        if parts and parts[-1][1] == value - 1:
            parts[-1][1] = value
        else:
            parts.append([value, value])
    return "+".join(f"{low}" if low == high else f"{low}-{high}" for low, high in parts)
