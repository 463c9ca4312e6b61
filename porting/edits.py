"""Replacements in a text: collect them without overlap, apply them."""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from operator import attrgetter


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace `text[start:end]`; `start == end` inserts.  `symbol` is the CUDA name it ports."""

    start: int
    end: int
    replacement: str
    symbol: str = ""


class EditSet:
    """Edits that do not overlap, in the order they were accepted.

    Insertions at one place keep that order.  An insertion at the edge of a replaced range is no
    overlap; one inside it is.
    """

    def __init__(self) -> None:
        self._accepted: list[Edit] = []
        self._taken: list[tuple[int, int]] = []  # disjoint replaced ranges, sorted
        self._inserts: list[int] = []  # sorted places of insertions

    def covers(self, edit: Edit) -> bool:
        """Whether an accepted edit replaces the whole range of `edit`."""
        at = bisect_right(self._taken, (edit.start, edit.end)) - 1
        return any(
            start <= edit.start and edit.end <= end
            for start, end in self._taken[max(at, 0) : at + 2]
        )

    def overlaps(self, edit: Edit) -> bool:
        """Whether `edit` touches a byte that an accepted edit replaces, or splits an insertion."""
        if edit.start == edit.end:
            at = bisect_right(self._taken, (edit.start, -1)) - 1
            return at >= 0 and self._taken[at][0] < edit.start < self._taken[at][1]
        at = bisect_right(self._taken, (edit.start, edit.start)) - 1
        for start, end in self._taken[max(at, 0) : at + 2]:
            if start < edit.end and edit.start < end:
                return True
        inside = bisect_right(self._inserts, edit.start)
        return inside < len(self._inserts) and self._inserts[inside] < edit.end

    def add(self, edits: Sequence[Edit]) -> bool:
        """Accept all of `edits` or, when one overlaps what is already there, none."""
        if any(self.overlaps(edit) for edit in edits):
            return False
        for edit in edits:
            self._accepted.append(edit)
            if edit.start == edit.end:
                self._inserts.insert(bisect_right(self._inserts, edit.start), edit.start)
            else:
                span = (edit.start, edit.end)
                self._taken.insert(bisect_right(self._taken, span), span)
        return True

    def sorted(self) -> tuple[Edit, ...]:
        """Return the accepted edits by place."""
        return tuple(sorted(self._accepted, key=attrgetter("start", "end")))


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """Return `text` with sorted, disjoint edits applied.  Raises ValueError when they overlap."""
    parts: list[str] = []
    at = 0
    for edit in edits:
        if edit.start < at:
            message = f"edits overlap at offset {edit.start}: {edit.replacement!r}"
            raise ValueError(message)
        parts.append(text[at : edit.start])
        parts.append(edit.replacement)
        at = edit.end
    parts.append(text[at:])
    return "".join(parts)
