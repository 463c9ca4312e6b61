"""Where a Makefile cannot be read: what it opens and never closes."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from porting.buildfiles.make.model import Makefile
from porting.buildfiles.make.syntax import Kind, Line
from porting.buildfiles.make.words import end_of_reference

_CONDITION = re.compile(r"[ \t]*(ifn?eq|ifn?def)\b")
_BRANCH = re.compile(r"[ \t]*(else|endif)\b")
_ENDEF = re.compile(r"^[ \t]*endef\b", re.MULTILINE)
_QUOTES = frozenset("'\"`")
_CLOSERS = {"'": "'", '"': '"', "`": "`", "(": ")"}


class Fault(NamedTuple):
    """A place that make, or the shell that it starts, cannot read."""

    offset: int
    text: str


def fault(makefile: Makefile) -> Fault | None:
    """Return the first place of a file that nobody can read, None when all is well."""
    found = (*_references(makefile), *_conditionals(makefile), *_commands(makefile))
    return min(found, default=None)


def _references(makefile: Makefile) -> Iterator[Fault]:
    text = makefile.source.text
    for line in makefile.lines:
        if line.kind is Kind.DEFINE and not _ENDEF.search(text, line.start, line.end):
            yield Fault(line.start, "the define has no endef")
        at = line.value
        while (at := text.find("$", at, line.stop)) >= 0:
            end = end_of_reference(text[: line.stop], at)
            if text[at + 1 : at + 2] in ("(", "{") and not _is_closed(text[at:end]):
                yield Fault(at, f"the reference {text[at : at + 20].split()[0]} is never closed")
                break
            at = at + 2 if text.startswith("$$", at) else at + 1


def _is_closed(reference: str) -> bool:
    opening, closing = reference[1], {"(": ")", "{": "}"}[reference[1]]
    return reference.count(opening) == reference.count(closing)


def _conditionals(makefile: Makefile) -> Iterator[Fault]:
    text = makefile.source.text
    opened: list[Line] = []
    for line in makefile.lines:
        if line.kind is not Kind.DIRECTIVE:
            continue
        if _CONDITION.match(text, line.start):
            opened.append(line)
        elif branch := _BRANCH.match(text, line.start):
            if not opened:
                yield Fault(line.start, f"the {branch[1]} has no condition before it")
            elif branch[1] == "endif":
                opened.pop()
    for line in opened:
        word = text[line.start : line.stop].split(maxsplit=1)[0]
        yield Fault(line.start, f"the {word} has no endif")


def _commands(makefile: Makefile) -> Iterator[Fault]:
    """Yield the commands with a quote that does not end; in one shell, lines are no commands."""
    if any(line.target == ".ONESHELL" for line in makefile.lines if line.kind is Kind.RULE):
        return
    for line in makefile.lines:
        if line.kind is not Kind.RECIPE:
            continue
        at = open_quote(makefile.source.text, line.value, line.stop)
        if at is not None:
            yield Fault(at, f"the quote {makefile.source.text[at]} is never closed")


def open_quote(text: str, start: int, end: int) -> int | None:
    """Return the place of the first quote of a command that does not end, None without one."""
    stack: list[int] = []
    at = start
    while at < end:
        letter, inside = text[at], text[stack[-1]] if stack else ""
        after = at + 1 if inside == "'" else _passed(text, at, end, inside)
        if letter == _CLOSERS.get(inside):
            stack.pop()
        elif inside != "'" and text.startswith("$$(", at):
            stack.append(after - 1)
        elif letter in _QUOTES and inside != "'" and not (letter == "'" and inside == '"'):
            stack.append(at)
        at = after
    return next((place for place in stack if text[place] in _QUOTES), None)


def _passed(text: str, at: int, end: int, inside: str) -> int:
    """Return the offset after what the shell does not look into: escapes, comments, references."""
    if text[at] == "\\":
        return at + 2
    if text.startswith("$$(", at):
        return at + 3
    if text[at] == "$" and text[at + 1 : at + 2] in ("(", "{"):
        return end_of_reference(text, at)  # make's own: the shell never sees it
    if text[at] == "#" and inside in ("", "(") and text[at - 1].isspace():
        newline = text.find("\n", at, end)
        return end if newline < 0 else newline
    return at + 1
