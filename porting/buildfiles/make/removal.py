"""Take words out of a Makefile with the blanks and continued lines that would be left over."""

import re

from porting.buildfiles.make.syntax import Line
from porting.edits import Edit

_GAP = re.compile(r"[ \t]*")
_CONTINUES = re.compile(r"\\\r?\n")
_BEFORE_END = re.compile(r"(?:[ \t]|\\\r?\n)*\Z")
_BLANKS_BEFORE = re.compile(r"[ \t]*\Z")


def removal(text: str, line: Line, start: int, stop: int) -> Edit:
    """Return the edit that takes the words from `start` to `stop` out of a line."""
    gap = _GAP.match(text, stop)
    after = gap.end() if gap else stop
    begin = text.rfind("\n", 0, start) + 1
    continued = _CONTINUES.match(text, after)
    if continued and begin > line.value and not text[begin:start].strip():
        return Edit(begin, continued.end(), "")
    if after >= line.stop:
        return Edit(_last(text, line, start), stop, "")
    if text[after] in ";|&)":
        return Edit(_back(_BLANKS_BEFORE, text, line.value, start), after, "")
    return Edit(start, after, "")


def _last(text: str, line: Line, start: int) -> int:
    """Return where the end of a line begins that has only what is taken out at `start`."""
    start = _back(_BEFORE_END, text, line.value, start)
    return start if start > line.value else _back(_BLANKS_BEFORE, text, line.start, start)


def _back(blanks: re.Pattern[str], text: str, least: int, start: int) -> int:
    match = blanks.search(text, least, start)
    return match.start() if match else start
