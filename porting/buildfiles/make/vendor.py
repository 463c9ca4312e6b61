"""What a Makefile asks of NVIDIA's programs, driver and variables: told at its place, not changed.

The shell is asked by commands, by `$(shell ...)` while make reads the file, and by variables whose
values are commands.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from porting.buildfiles.make.model import Makefile
from porting.buildfiles.make.syntax import Kind, Line
from porting.buildfiles.make.words import Word, end_of_reference
from porting.buildfiles.vendor_paths import shell
from porting.buildfiles.vendor_paths.codes import VENDOR_TOOL
from porting.buildfiles.vendor_paths.table import Found, file_in, tool, variable
from porting.rules.strings.machine import CUDA_HOMES, is_home

_SHELL = re.compile(r"[$][({]shell\s")
# Where make's own marks of a command stand, which the shell is not given.
_QUIET = {
    Kind.RECIPE: re.compile(r"\A\s*[@+-]+"),
    Kind.ASSIGNMENT: re.compile(r"\A@[@+-]*"),
    Kind.DEFINE: re.compile(r"^[ \t]*[@+-]+", re.MULTILINE),
}
_TALK = frozenset(("echo", "printf"))
_NAME = re.compile(r"(?<![\w({])[A-Z]\w+(?==|$)")
# What may stand before the program in its word: @ and -, variables that hide it, its folder.
_BEFORE = re.compile(r"[@+-]*(?:\$[({]\w+[)}])*[\w./-]*?[\"'`]?")
_INTO_FILE = re.compile(r"\s*(?:\||>>?(?!&|\s*/dev/))")


@dataclass(frozen=True)
class Told:
    """A place in a file, and what is to be said of it."""

    start: int
    end: int
    found: Found


def told_of(makefile: Makefile, line: Line) -> list[Told]:
    """Return what is to be said of a line, in order, each word of NVIDIA's once."""
    found: dict[str, Told] = {}
    for one in sorted(_all(makefile, line), key=lambda told: told.start):
        found.setdefault(one.found.word, one)
    return list(found.values())


def without(text: str, start: int, told: Sequence[Told]) -> str:
    """Return a text at an offset of the file without what is told of it."""
    for one in sorted(told, key=lambda told: -told.start):
        if start <= one.start and one.end <= start + len(text):
            text = text[: one.start - start] + text[one.end - start :]
    return text


def runs_tool(words: Sequence[Word], told: Sequence[Told]) -> bool:
    """Whether a command runs a program of NVIDIA's, so that all its words are that one's."""
    return any(
        one.found.code is VENDOR_TOOL
        and word.start <= one.start < word.end
        and not word.text[one.end - word.start :].strip("\"'`")
        and _BEFORE.fullmatch(word.text[: one.start - word.start])
        for word in words
        for one in told
    )


def talks(text: str, words: Sequence[Word]) -> bool:
    """Whether a command only tells its reader something."""
    return (
        bool(words)
        and words[0].text.lstrip("@+-") in _TALK
        and not _INTO_FILE.match(text, words[-1].end)
    )


def _all(makefile: Makefile, line: Line) -> Iterator[Told]:
    text = makefile.source.text[line.value : line.stop]
    if line.kind is not Kind.BLANK:
        yield from _by_make(text, line.value)
    if line.kind in _QUIET:
        for word in shell.words(_QUIET[line.kind].sub(_blanks, text)):
            if word.command not in _TALK:
                yield from _by_shell(word, line.value)


def _by_make(text: str, offset: int) -> Iterator[Told]:
    """Yield the programs that the shell is asked for while make reads the file."""
    for asked in _SHELL.finditer(text):
        inside = text[: end_of_reference(text, asked.start())]
        for word in re.compile(r"[\w./-]+").finditer(inside, asked.end()):
            yield from _told(tool(word[0]), word[0], offset + word.start())


def _blanks(match: re.Match[str]) -> str:
    return " " * len(match[0])


def _by_shell(word: shell.Word, offset: int) -> Iterator[Told]:
    bare = word.text.strip("\"'")
    place = offset + word.start
    if word.runs:
        yield from _told(tool(bare), word.text, place)
    for name in _NAME.findall(word.text):
        if not is_home(name):  # CUDA's folder has rules of its own
            yield from _told(variable(name), word.text, place)
    known = file_in(bare)
    if known is not None and not known.word.startswith(CUDA_HOMES):
        yield from _told(known, word.text, place)


def _told(found: Found | None, text: str, start: int) -> Iterator[Told]:
    """Yield what was found in a text at an offset; nvcc has rules of its own."""
    if found is not None and found.word != "nvcc":
        at = start + text.index(found.word)
        yield Told(at, at + len(found.word), found)
