"""Which input line an output line came from: kept with an output, for whoever compiles it."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from porting.edits import Edit
from porting.source import SourceFile


@dataclass(frozen=True, slots=True)
class LineMap:
    """Steps (output line, input line): from there on lines run in parallel until the next step."""

    steps: tuple[tuple[int, int], ...] = ()

    @classmethod
    def of(cls, source: SourceFile, edits: Sequence[Edit]) -> "LineMap":
        """Return the map of a file's edits; only those that add or remove lines make steps.

        New lines belong to the line where the edit starts.
        """
        steps: list[tuple[int, int]] = []
        shift = 0
        for edit in edits:
            removed = source.text.count("\n", edit.start, edit.end)
            added = edit.replacement.count("\n")
            if removed == added:
                continue
            line = source.line_of(edit.start)
            steps += ((line + shift + number, line) for number in range(1, added))
            shift += added - removed
            steps.append((line + removed + shift, line + removed))
        return cls(tuple(dict(steps).items()))

    def origin(self, line: int) -> int:
        """Return the input line of an output line."""
        at = bisect_right(self.steps, (line, 1 << 62)) - 1
        if at < 0:
            return line
        output, origin = self.steps[at]
        return origin + line - output
