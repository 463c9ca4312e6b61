"""Long statements on several lines, broken in front of their outermost operators."""

import re
from typing import Final

_WIDTH: Final = 100
_INDENT: Final = 4
_OPERATORS: Final = (r"[?:]", r"\|\|", r"&&", r"[|^&]", r"[-+*/%]", r"<<|>>|[<>=!]=|[<>]")
# Behind a comma is the last choice among places of one depth.
_PLACES: Final = (*(re.compile(rf" (?=(?:{op}) )") for op in _OPERATORS), re.compile(r"(?<=,) "))
_CALL: Final = re.compile(r"\w\((?!\))")


def wrapped(text: str, column: int, indent: str, newline: str) -> str:
    """Return a text that starts at a column with its lines broken where they are too long.

    `indent` is that of the statement's line; what goes on is indented further, by its brackets.
    """
    lines = text.split(newline)
    found = [_broken(line, 0 if n else column, indent, newline) for n, line in enumerate(lines)]
    return newline.join(found)


def _broken(line: str, column: int, indent: str, newline: str) -> str:
    own = line[: len(line) - len(line.lstrip())]
    depths = _depths(line)
    start, room = 0, _WIDTH - column - 1  # a semicolon follows
    parts: list[str] = []
    while len(line) - start > room:
        at = _place(line, depths, start or len(own), start + room)
        if at is None:
            break
        follows = (own or indent) + " " * _INDENT * (depths[at - 1] + 1)
        parts.append(line[start:at] + newline + follows)
        start, room = at + (line[at] == " "), _WIDTH - len(follows) - 1
    return "".join([*parts, line[start:]])


def _place(line: str, depths: list[int], first: int, last: int) -> int | None:
    """Return where to break: at a space as far out of the brackets as can be, then as late.

    Where no space is early enough it is behind a bracket, else at the next space.
    """
    places = [
        (-depths[at], -rank, at)
        for rank, pattern in enumerate(_PLACES)
        for match in pattern.finditer(line, first)
        if (at := match.start()) > first
    ]
    fitting = [place for place in places if place[2] <= last]
    if fitting:
        return max(fitting)[2]
    opened = [m.end() for m in _CALL.finditer(line, first) if m.end() <= last]
    if opened:
        return min(opened, key=lambda at: (depths[at - 1], -at))
    return min((at for _, _, at in places), default=None)


def _depths(text: str) -> list[int]:
    """Return for every character in how many brackets it stands."""
    depths: list[int] = []
    depth = 0
    for character in text:
        depth += (character in "([{") - (character in ")]}")
        depths.append(depth)
    return depths
