"""Make a rewritten build script choose the vendor when it runs: both forms of each statement."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from porting.buildfiles.cargo.generate import NAME
from porting.buildfiles.cargo.script import Range, Script
from porting.buildfiles.cargo.work import Rewriting
from porting.buildfiles.codes import LEFT_ALONE
from porting.edits import Edit, apply_edits

# What makes something else of a folder than a text.
_IS_CALLED = frozenset(("join", "map", "into_os_string", "ok", "map_err", "and_then", "?"))
_QUESTION = "gpu_build::is_rocm()"


class _Part(NamedTuple):
    """A range of the text with the edits inside it."""

    start: int
    end: int
    edits: tuple[Edit, ...]


def for_both(work: Rewriting) -> list[Edit]:
    """Return the edits that keep each changed statement beside its ROCm form.

    Statements that follow each other share one condition.
    """
    edits = [_chosen(work, part) for part in _parts(work)]
    return [*edits, *work.common, *work.include_edits(NAME, *work.includes)]


def _parts(work: Rewriting) -> Iterator[_Part]:
    """Yield the ranges that the choice decides, in order."""
    script, todo = work.script, list(work.edits)
    ranges: list[Range] = []
    for edit in todo:
        statement = script.statement(_token_at(script, edit))
        if ranges and statement.first < ranges[-1].end:
            first = min(ranges[-1].first, statement.first)
            ranges[-1] = Range(first, max(ranges[-1].end, statement.end))
        else:
            ranges.append(statement)
    for range_ in _joined(script, ranges):
        if script.is_item(range_):
            message = "a constant cannot depend on GPU_PLATFORM, which is known when the build runs"
            work.tell(LEFT_ALONE, range_.first, message, "read it in a function")
        start, end = _extent(script, range_)
        inside = [edit for edit in todo if _belongs(edit, start, end)]
        start = min([start, *(edit.start for edit in inside)])
        end = max([end, *(edit.end for edit in inside)])
        yield _Part(start, end, tuple(inside))


def _token_at(script: Script, edit: Edit) -> int:
    """Return the token that an edit replaces first, or that its insertion follows."""
    best = 0
    for number, token in enumerate(script.tokens):
        if token.start >= max(edit.end, edit.start + 1):
            break
        best = number
        if edit.start <= token.start:
            break
    return best


def _belongs(edit: Edit, start: int, end: int) -> bool:
    return edit.start <= end and edit.end >= start


def _joined(script: Script, ranges: Sequence[Range]) -> list[Range]:
    """Join statements that follow each other and bind no name."""
    found: list[Range] = []
    for range_ in ranges:
        adjacent = found and found[-1].end == range_.first
        if adjacent and not _binds(script, found[-1]) and not _binds(script, range_):
            found[-1] = Range(found[-1].first, range_.end)
        else:
            found.append(range_)
    return found


def _binds(script: Script, range_: Range) -> bool:
    return script.tokens[range_.first].text == "let"


def _extent(script: Script, range_: Range) -> tuple[int, int]:
    """Return the offsets of statements; of a `let` those of the value alone."""
    first, last = range_.first, range_.end - 1
    if _binds(script, range_):
        at = first
        while at < last and script.tokens[at].text != "=":
            at += 1
        first, last = at + 1, last - 1
    return script.tokens[first].start, script.tokens[last].end


def _chosen(work: Rewriting, part: _Part) -> Edit:
    """Return the edit that puts a condition around a part."""
    source = work.script.source
    old = source.text[part.start : part.end]
    shifted = [Edit(e.start - part.start, e.end - part.start, e.replacement) for e in part.edits]
    new = apply_edits(old, shifted)
    line = source.text.rfind("\n", 0, part.start) + 1
    lead = source.text[line : part.start]
    indent = lead[: len(lead) - len(lead.lstrip())]
    tail = "" if not old.endswith("\n") else "\n"
    if _is_home(work.script, part):
        new = "gpu_build::home()"
    arms = [_indented(text.strip("\r\n") if tail else text, indent) for text in (new, old)]
    opening = "" if lead.strip() or not old[:1].isspace() else indent
    if new.strip():
        text = f"if {_QUESTION} {{\n{arms[0]}\n{indent}}} else {{\n{arms[1]}\n{indent}}}"
    else:
        text = f"if !{_QUESTION} {{\n{arms[1]}\n{indent}}}"
    text = f"{opening}{text}{tail}"
    return Edit(part.start, part.end, text.replace("\n", source.newline))


def _is_home(script: Script, part: _Part) -> bool:
    """Whether a part is the value of a `let` that only reads a variable with a fallback."""
    numbers = [n for n, t in enumerate(script.tokens) if part.start <= t.start < part.end]
    words = [script.tokens[n].text for n in numbers]
    head = words[2:] if words[:2] == ["std", "::"] else words
    reads = head[:4] == ["env", "::", "var", "("] and script.tokens[numbers[0] - 1].text == "="
    return reads and _IS_CALLED.isdisjoint(words)


def _indented(text: str, indent: str) -> str:
    """Return lines indented by one more step; the first may begin in the middle of a line."""
    lines = text.replace("\r\n", "\n").split("\n")
    first = f"{indent}    {lines[0].strip()}"
    return "\n".join([first, *(f"    {line}" if line.strip() else line for line in lines[1:])])
