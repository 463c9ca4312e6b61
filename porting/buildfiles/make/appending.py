"""Lines of a Makefile that give architectures once more to a variable that has some."""

import re

from porting.buildfiles.make.model import Makefile
from porting.buildfiles.make.syntax import Kind, Line

_ARCHITECTURE = re.compile(r"-gencode|-arch[= ]|--generate-code|--gpu-architecture")
_CONDITION = re.compile(r"[ \t]*(?:ifn?eq|ifn?def)\b")
_BRANCH = re.compile(r"[ \t]*else\b")
_END = re.compile(r"[ \t]*endif\b")


def is_for_targets(text: str, line: Line) -> bool:
    """Whether an assignment is for some targets only."""
    return ":" in text[line.start : line.value].partition(line.name)[0]


def repeated(makefile: Makefile) -> frozenset[int]:
    """Return where the lines start that append architectures to a variable that surely has some.

    All of them become those of the port.  A line in a branch of a condition gives its variable
    some until the branch ends.
    """
    text = makefile.source.text
    found: set[int] = set()
    given: dict[str, int] = {}  # variables, and how deep in conditions they were given some
    depth = 0
    for line in makefile.lines:
        whole = text[line.start : line.end]
        if _CONDITION.match(whole):
            depth += 1
        elif _BRANCH.match(whole) or _END.match(whole):
            given = {name: level for name, level in given.items() if level < depth}
            depth -= bool(_END.match(whole))
        elif line.kind is Kind.ASSIGNMENT and not is_for_targets(text, line):
            gives = bool(_ARCHITECTURE.search(text, line.value, line.stop))
            if line.operator == "+=" and gives and line.name in given:
                found.add(line.start)
            elif gives and line.operator != "?=":  # which may be set elsewhere
                given[line.name] = min(given.get(line.name, depth), depth)
            elif line.operator not in ("+=", "?="):
                given.pop(line.name, None)
    return frozenset(found)
