"""What the programs of a build say went wrong, as located problems."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_PATTERNS = (
    # gcc, clang
    r"^(?P<path>[^\s:][^:\n]*):(?P<line>\d+):(?:\d+:)? (?:fatal )?error: (?P<text>.+)$",
    # nvcc's front end
    r"^(?P<path>[^\s(][^(\n]*)\((?P<line>\d+)\): (?:catastrophic )?error[^:]*: (?P<text>.+)$",
    # CMake: the text stands below, with blank lines in it, as far as the lines are indented
    (
        r"^CMake Error(?: at (?P<path>[^:\n]+):(?P<line>\d+))?[^\n]*:\n"
        r"\s*(?P<text>\S[^\n]*(?:\n(?:[ \t]+\S[^\n]*)?)*)$"
    ),
    # rustc: the place stands below
    r"^error(?:\[E\d+\])?: (?P<text>[^\n]+)\n\s*--> (?P<path>[^:\n]+):(?P<line>\d+):\d+$",
    # make, meson
    r"^(?P<path>[^\s:][^:\n]*):(?P<line>\d+): (?P<text>\*\*\* .+)$",
    r"^(?P<path>\S*meson\.build):(?P<line>\d+):\d+: ERROR: (?P<text>.+)$",
    # Python: the last line of a traceback, and the last file of it
    (
        r"^Traceback [^\n]*\n(?:  .*\n)*  File \"(?P<path>[^\"\n]+)\", line (?P<line>\d+)[^\n]*\n"
        r"(?:    .*\n)*(?P<text>\w[\w.]*(?:Error|Exception|Exit|Interrupt)\b[^\n]*)$"
    ),
)
_LOCATED = tuple(re.compile(pattern, re.MULTILINE) for pattern in _PATTERNS)
_LINKER = re.compile(
    r"^(?:\S*ld(?:\.\w+)?: )?(?:error: )?(?:[^\n]*: )?"
    r"(?P<text>undefined (?:reference to|symbol:) [^\n]+|cannot find -l\S+|"
    r"unable to find library -l\S+|relocation [^\n]+ can not be used [^\n]+)$",
    re.MULTILINE,
)
_ANY = re.compile(r"^(?:\S+: )?(?:fatal )?error:? (?P<text>.+)$", re.MULTILINE | re.IGNORECASE)
# What a program says of another one, whose own words stand above it.
_ECHO = re.compile(
    r"returned non-zero exit status|command .* failed with exit (?:code|status)"
    r"|failed to run custom build command|could not compile `"
)
_MOST = 20


@dataclass(frozen=True)
class Problem:
    """One error: where, if it says so, and its text on one line."""

    text: str
    path: str = ""
    line: int = 0


def problems(output: str) -> list[Problem]:
    """Return the errors in the output of a build, in order, each once, the first twenty.

    Located errors are looked for first, then those of a linker, then any line that says error.
    That a program failed which another one started is told when nothing else is.
    """
    echoes: list[Problem] = []
    for read in (_located, _linker, _any):
        found = list(dict.fromkeys(read(output)))
        if told := [problem for problem in found if not _ECHO.search(problem.text)]:
            return told[:_MOST]
        echoes = echoes or found
    return echoes[:_MOST]


def _located(output: str) -> Iterator[Problem]:
    matches = [match for pattern in _LOCATED for match in pattern.finditer(output)]
    for match in sorted(matches, key=lambda match: match.start()):
        line = int(match["line"]) if match["line"] else 0
        yield Problem(_one_line(match["text"]), match["path"] or "", line)


def _one_line(text: str) -> str:
    """Return a message on one line, without CMake's guesses at the cause of a lost target."""
    return " ".join(text.partition("Possible reasons include:")[0].split())


def _linker(output: str) -> Iterator[Problem]:
    yield from (Problem(match["text"].strip()) for match in _LINKER.finditer(output))


def _any(output: str) -> Iterator[Problem]:
    yield from (Problem(match["text"].strip()) for match in _ANY.finditer(output))
