"""Options inside the arguments of a command: split as CMake and the compiler's driver see them.

A list of options may stand in one argument or many, with `;` or blanks between its elements, and a
generator expression may reach over several arguments.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from porting.buildfiles.cmake.commands import Argument

# A condition on the language, and what it says of CUDA.
_LANGUAGE = re.compile(r"\$<(?:COMPILE_LANGUAGE|COMPILE_LANG_AND_ID):([\w,]+)>")
_SHELL = "SHELL:"


@dataclass(frozen=True, slots=True)
class Frame:
    """A generator expression with a value: `$<condition:value>`; `start` and `end` are all of it.

    `for_cuda`: the value is for CUDA's compiler alone; `for_others`: it never is.
    """

    start: int
    end: int
    head: str
    for_cuda: bool
    for_others: bool


@dataclass(frozen=True, slots=True)
class Word:
    """One element of a list of options; `frames` are the generator expressions around it."""

    start: int
    end: int
    text: str
    argument: int
    frames: tuple[Frame, ...] = ()

    @property
    def for_cuda(self) -> bool:
        """Whether a condition says that CUDA's compiler alone gets it."""
        return any(frame.for_cuda for frame in self.frames)

    @property
    def for_others(self) -> bool:
        """Whether a condition says that CUDA's compiler never gets it."""
        return any(frame.for_others for frame in self.frames)


@dataclass
class _Open:
    """A generator expression whose end was not reached yet."""

    start: int
    head: str | None = None
    words: list[int] = field(default_factory=list)


@dataclass
class _Scan:
    """What was read so far: words with the number of open expressions around each."""

    found: list[tuple[int, int, int, tuple[_Open, ...]]] = field(default_factory=list)
    stack: list[_Open] = field(default_factory=list)
    ends: dict[int, int] = field(default_factory=dict)


def words_of(text: str, arguments: Sequence[Argument]) -> list[Word]:
    """Return the words in the arguments of a command; `text` is the whole file's."""
    scan = _Scan()
    for number, argument in enumerate(arguments):
        _read(text, argument, number, scan)
    return [
        Word(start, end, text[start:end], number, tuple(_frames(scan, around)))
        for start, end, number, around in scan.found
    ]


def _frames(scan: _Scan, around: tuple[_Open, ...]) -> Iterator[Frame]:
    for opened in around:
        head = opened.head or ""
        end = scan.ends.get(opened.start, -1)
        yield Frame(opened.start, end, head, *_languages(head))


def _languages(head: str) -> tuple[bool, bool]:
    """Return whether a condition is true for CUDA alone, and whether it never is for CUDA."""
    lists = [match[1].split(",") for match in _LANGUAGE.finditer(head)]
    if not lists:
        return False, False
    if "$<NOT:" in head:
        return False, any("CUDA" in names for names in lists)
    with_cuda = ["CUDA" in names for names in lists]
    alone = any(names[0] == "CUDA" and names[1:] in ([], ["NVIDIA"]) for names in lists)
    return alone and "$<OR:" not in head, not any(with_cuda)


def _read(text: str, argument: Argument, number: int, scan: _Scan) -> None:
    at, end, start = argument.inner, argument.inner_end, -1
    in_quotes = False  # of the command line, as in "-Xcompiler=\\"-a -b\\""

    def finish(until: int) -> None:
        nonlocal start
        if start >= 0:
            scan.found.append((start, until, number, tuple(scan.stack)))
        start = -1

    while at < end:
        if text.startswith("${", at) or text.startswith("$ENV{", at):
            start = at if start < 0 else start
            at = _closing(text, at, end, "{", "}")
        elif text.startswith("$<", at):
            # In the middle of a word, as in -DX=$<BOOL:...>, it is part of that word.
            at = _closing(text, at, end, "<", ">") if start >= 0 else _head(text, at, end, scan)
        elif text[at] == ">" and scan.stack:
            finish(at)
            scan.ends[scan.stack.pop().start] = at + 1
            at += 1
        elif (text[at].isspace() or text[at] == ";") and not in_quotes:
            finish(at)
            at += 1
        elif start < 0 and text.startswith(_SHELL, at):
            at += len(_SHELL)
        else:
            start = at if start < 0 else start
            in_quotes ^= text.startswith('\\"', at)
            at += 2 if text[at] == "\\" else 1
    finish(end)


def _head(text: str, at: int, end: int, scan: _Scan) -> int:
    """Open a generator expression and return where its value begins, or its end without one."""
    place = at + 2
    while place < end and text[place] not in ":>":
        place = _closing(text, place, end, "<", ">") if text.startswith("$<", place) else place + 1
    if place < end and text[place] == ":":
        scan.stack.append(_Open(at, text[at + 2 : place]))
        return place + 1
    return min(place + 1, end)


def _closing(text: str, at: int, end: int, opens: str, closes: str) -> int:
    """Return the place after the bracket that closes the one at or after `at`."""
    depth = 0
    for place in range(at, end):
        if text[place] == opens and text[place - 1] in "$V":
            depth += 1
        elif text[place] == closes:
            depth -= 1
            if depth == 0:
                return place + 1
    return end
