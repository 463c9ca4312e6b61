"""A Makefile as logical lines with exact places; joined together they are the file again."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from porting.buildfiles.make.words import end_of_reference
from porting.source import UTF8_BOM

_ASSIGNMENT = re.compile(
    r"(?P<lead>[ \t]*(?:(?:export|override|private|unexport)[ \t]+)*)"
    r"(?P<name>(?:[^\s:#=+?!$]|\$\([^)]*\)|\$\{[^}]*\})+)[ \t]*"
    r"(?P<op>:::=|::=|:=|\+=|\?=|!=|=)[ \t]*"
)
_DIRECTIVE = re.compile(
    r"[ \t]*(ifeq|ifneq|ifdef|ifndef|else|endif|-?include|sinclude|vpath|load)\b"
)
# What may stand among the commands of a rule; any other line ends them.
_CONDITIONAL = re.compile(r"[ \t]*(?:ifeq|ifneq|ifdef|ifndef|else|endif)\b")
_DEFINE = re.compile(r"[ \t]*(?:override[ \t]+|export[ \t]+)*define\b[ \t]*(\S+)")
_BOM = UTF8_BOM.decode("latin-1")
_ENDEF = re.compile(r"[ \t]*endef\b")


class Kind(StrEnum):
    """What a logical line is."""

    BLANK = "blank"  # comments too, and a byte order mark
    ASSIGNMENT = "assignment"
    DIRECTIVE = "directive"
    DEFINE = "define"  # with its body and endef
    RULE = "rule"
    RECIPE = "recipe"


@dataclass(frozen=True)
class Line:
    """A logical line: continued lines are one.  `start` and `end` hold its line end.

    `name` and `operator` are those of an assignment, `value` is where its value, a rule's targets
    or a recipe's command begins; `stop` is where that ends: before a comment and the line end.
    """

    kind: Kind
    start: int
    end: int
    value: int
    stop: int
    name: str = ""
    operator: str = ""
    target: str = ""


def read(text: str) -> Iterator[Line]:
    """Yield the logical lines of a Makefile."""
    at, rule, in_rule, prefix = 0, "", False, "\t"
    if text.startswith(_BOM):
        at = len(_BOM)
        yield Line(Kind.BLANK, 0, at, at, at)
    while at < len(text):
        end = _line_end(text, at)
        body = text[at:end]
        if text[at] == prefix and in_rule:
            yield Line(Kind.RECIPE, at, end, at + 1, _without_end(text, at, end), target=rule)
        elif _DEFINE.match(body):
            end, in_rule = _define_end(text, end), False
            yield Line(Kind.DEFINE, at, end, at, _without_end(text, at, end))
        elif not body.strip() or body.lstrip().startswith("#"):
            yield Line(Kind.BLANK, at, end, at, at)
        elif _DIRECTIVE.match(body) or _is_reference(body.strip()):
            in_rule = in_rule and bool(_CONDITIONAL.match(body))
            yield Line(Kind.DIRECTIVE, at, end, at, _comment(text, at, end))
        elif match := _ASSIGNMENT.match(body):
            in_rule = False
            line = _assignment(text, at, end, match, 0)
            prefix = _prefix(text, line, prefix)
            yield line
        else:
            line = _rule(text, at, end)
            in_rule = line.kind is Kind.RULE
            rule = line.target if in_rule else rule
            yield from _with_command(text, line)
        at = end


def _prefix(text: str, line: Line, known: str) -> str:
    """Return what commands begin with after an assignment: a tab unless it says otherwise."""
    if line.name != ".RECIPEPREFIX":
        return known
    return text[line.value : line.stop][:1] or "\t"


def _with_command(text: str, line: Line) -> Iterator[Line]:
    """Yield a line; the command after the `;` of a rule is one of its own."""
    at = _outside(text, line.start, line.stop, ";") if line.kind is Kind.RULE else -1
    if at < 0:
        yield line
        return
    yield Line(Kind.RULE, line.start, at + 1, line.value, at, target=line.target)
    stop = _without_end(text, at + 1, line.end)
    yield Line(Kind.RECIPE, at + 1, line.end, at + 1, stop, target=line.target)


def _is_reference(text: str) -> bool:
    """Whether a line is one call of a function, whose assignments are its own."""
    return text.startswith(("$(", "${")) and end_of_reference(text, 0) == len(text)


def _assignment(text: str, at: int, end: int, match: re.Match[str], offset: int) -> Line:
    start = at + offset
    return Line(
        Kind.ASSIGNMENT,
        at,
        end,
        start + match.end(),
        max(_comment(text, start + match.end(), end), start + match.end()),
        match["name"],
        match["op"],
    )


def _rule(text: str, at: int, end: int) -> Line:
    """Return a rule, or the assignment to a variable of some targets."""
    colon = _outside(text, at, end, ":")
    if colon < 0:
        return Line(Kind.DIRECTIVE, at, end, at, _comment(text, at, end))
    after = colon + (2 if text.startswith("::", colon) else 1)
    gap = re.compile(r"[ \t]*").match(text, after)
    own = gap.end() if gap else after
    match = _ASSIGNMENT.match(text[own:end])
    if match:
        return _assignment(text, at, end, match, own - at)
    target = text[at:colon].strip()
    return Line(Kind.RULE, at, end, at, _comment(text, at, end), target=target)


def _outside(text: str, at: int, end: int, mark: str) -> int:
    """Return the place of a mark outside of references; -1 without one."""
    while at < end:
        if text[at] == "$":
            at = end_of_reference(text, at)
        elif text[at] == mark:
            return at
        else:
            at += 1
    return -1


def _line_end(text: str, at: int) -> int:
    """Return the offset after a logical line: a backslash before the line end continues it."""
    while True:
        end = text.find("\n", at)
        if end < 0:
            return len(text)
        bare = text[at:end].rstrip("\r")
        slashes = len(bare) - len(bare.rstrip("\\"))
        at = end + 1
        if slashes % 2 == 0 or at >= len(text):
            return at


def _define_end(text: str, at: int) -> int:
    depth = 1
    while at < len(text) and depth:
        end = _line_end(text, at)
        if _ENDEF.match(text, at):
            depth -= 1
        elif _DEFINE.match(text[at:end]):
            depth += 1
        at = end
    return at


def _without_end(text: str, at: int, end: int) -> int:
    return at + len(text[at:end].rstrip("\r\n"))


def _comment(text: str, at: int, end: int) -> int:
    """Return where the comment of a line begins, or its end; white space before is left out."""
    place = at
    while place < end:
        if text[place] == "$":
            place = end_of_reference(text, place)
        elif text[place] == "#" and text[place - 1 : place] != "\\":
            break
        else:
            place += 1
    return at + len(text[at : min(place, end)].rstrip())
