"""From a line of the output to the lines of the input it can have come from."""

import difflib
from collections.abc import Sequence

# Above this many lines, common ones are left out of the comparison: exact matching takes minutes.
_LONG = 20_000


class LineMap:
    """Aligns two versions of a file by their lines, which count from 1."""

    def __init__(self, before: Sequence[str], after: Sequence[str]) -> None:
        self._origins: dict[int, range] = {}
        matcher = difflib.SequenceMatcher(None, before, after, autojunk=len(before) > _LONG)
        for tag, first, last, start, end in matcher.get_opcodes():
            same = tag == "equal" or last - first == end - start
            for number in range(start, end):
                origin = first + number - start
                lines = range(origin, origin + 1) if same else range(first, last)
                self._origins[number + 1] = range(lines.start + 1, lines.stop + 1)

    def origins(self, line: int) -> range:
        """Return the input lines of an output line: one, or those of the rewritten stretch."""
        return self._origins.get(line, range(0))
