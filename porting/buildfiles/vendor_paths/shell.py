"""Find what only NVIDIA's software answers in shell scripts."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from porting.buildfiles.vendor_paths.table import (
    ROCM,
    Found,
    file_in,
    library_in,
    tool,
    variable,
)
from porting.diagnostics import Diagnostic
from porting.source import SourceFile

_HEREDOC = re.compile(r"<<(-?)\s*(['\"]?)(\w+)\2")
_OPERATOR = re.compile(r"\$\(|&&|\|\||;;|[;|&(){}`\n]")
_NOT_RUN = frozenset(("echo", "printf", "export", "unset", "local", "readonly", "declare"))
# Words after which another command begins.
_BEFORE_COMMAND = frozenset(
    """if then else elif do while until ! time exec sudo env command which type hash nohup srun
    mpirun -v""".split()
)
_ASSIGNMENT = re.compile(r"(\w+)=")


@dataclass(frozen=True)
class Word:
    """A word of a script; `runs`: it is where the name of a program stands."""

    text: str
    start: int
    runs: bool
    command: str


def findings(source: SourceFile) -> Iterator[Diagnostic]:
    """Yield the findings in a script; one that speaks of AMD's tools too is left alone."""
    found = list(words(source.text))
    if any(ROCM.search(word.text) for word in found):
        return
    told: set[tuple[str, str]] = set()
    for word in found:
        for one in _found(word):
            key = (one.code.code, one.word)
            if key in told:
                continue
            told.add(key)
            line, column = source.position(word.start)
            yield one.code.at(
                source.path, one.message, one.help, line=line, column=column, symbol=one.word
            )


def _found(word: Word) -> Iterator[Found]:
    if word.command in ("echo", "printf"):
        return
    bare = word.text.strip("\"'")
    if word.runs and (known := tool(bare)):
        yield known
    for name in re.findall(r"[A-Za-z]\w*", bare):
        if known := variable(name):
            yield known
    known = file_in(bare) or library_in(bare)
    if known:
        yield known


def words(text: str) -> Iterator[Word]:
    """Yield the words of a script without its comments and the bodies of its here-documents."""
    at, command = 0, ""
    heredocs: list[str] = []
    while at < len(text):
        letter = text[at]
        if letter == "\n":
            command = ""
            at += 1
            for end in heredocs:
                at = _after_heredoc(text, at, end)
            heredocs = []
        elif letter.isspace() or text.startswith("\\\n", at):
            at += 2 if letter == "\\" else 1
        elif letter == "#":
            at = _line_end(text, at)
        elif match := _HEREDOC.match(text, at):
            heredocs.append(match[3])
            at = match.end()
        elif match := _OPERATOR.match(text, at):
            command = ""
            at = match.end()
        elif letter in "<>":
            at += 1
        else:
            stop = _word_end(text, at)
            word = text[at:stop]
            is_prefix = word in _BEFORE_COMMAND or bool(_ASSIGNMENT.match(word))
            runs = not command and not is_prefix
            yield Word(word, at, runs, command)
            yield from _substituted(word, at)
            if runs:
                command = word
            at = stop


def _substituted(word: str, start: int) -> Iterator[Word]:
    """Yield the words of commands whose output stands in a quoted text."""
    if not word.startswith('"') and '"' not in word:
        return
    for match in re.finditer(r"\$\(([^()]*)\)?", word):
        for inner in words(match[1]):
            yield Word(inner.text, start + match.start(1) + inner.start, inner.runs, inner.command)


def _word_end(text: str, at: int) -> int:
    start = at
    while at < len(text):
        letter = text[at]
        if letter == "'":
            end = text.find("'", at + 1)
            at = len(text) if end < 0 else end + 1
        elif letter == '"':
            at = _double_end(text, at)
        elif letter == "\\":
            at += 2
        elif letter.isspace() or letter in ";|&()<>`" or text.startswith("$(", at):
            break
        else:
            at += 1
    return max(min(at, len(text)), start + 1)


def _double_end(text: str, at: int) -> int:
    at += 1
    while at < len(text) and text[at] != '"':
        at += 2 if text[at] == "\\" else 1
    return min(at + 1, len(text))


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end


def _after_heredoc(text: str, at: int, end: str) -> int:
    match = re.compile(rf"(?m)^\t*{re.escape(end)}$").search(text, at)
    return match.end() if match else len(text)
