"""The edits of a file as a unified diff that `patch` and `git apply` accept."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

from porting.edits import Edit, apply_edits
from porting.hipify import Hipified

_CONTEXT = 3


@dataclass(frozen=True, slots=True)
class _Block:
    """Lines `[first, last)` of the input, from 0, and the text that replaces them."""

    first: int
    last: int
    text: str


def unified_diff(done: Hipified, folder: str = "") -> bytes:
    """Return the diff of a file, empty when it did not change; its path is put below `folder`.

    Made from the edits, not by comparing, so that its cost is that of the changed lines alone.
    """
    if not done.edits:
        return b""
    path = PurePosixPath(folder, done.source.path)
    if done.data == done.source.data:
        return b""
    parts = [f"--- a/{path}\n+++ b/{path}\n".encode("utf-8", "surrogateescape")]
    shift = 0
    for hunk in _hunks([block for block in _blocks(done) if _changes(done, block)]):
        text, grown = _hunk(done, hunk, shift)
        parts.append(text.encode("latin-1"))
        shift += grown
    return b"".join(parts)


def _blocks(done: Hipified) -> Iterator[_Block]:
    """Group the edits by the lines they touch."""
    source = done.source
    group: list[Edit] = []
    first = last = -1
    for edit in done.edits:
        start = source.line_of(edit.start) - 1
        end = source.line_of(_last_touched(source.text, edit))
        if group and start < last:
            group.append(edit)
            last = max(last, end)
            continue
        if group:
            yield _block(done, group, first, last)
        group, first, last = [edit], start, end
    yield _block(done, group, first, last)


def _changes(done: Hipified, block: _Block) -> bool:
    """Whether a block is not what stands there: an edit may only hold its place."""
    last = min(block.last, done.source.line_count)
    return block.text != "".join(_line(done, number) for number in range(block.first, last))


def _last_touched(text: str, edit: Edit) -> int:
    """Return the last offset of the lines an edit changes; a lost line end takes the next line."""
    if edit.start == edit.end:
        return edit.start
    joins = text[edit.end - 1] == "\n" and not edit.replacement.endswith("\n")
    return edit.end if joins else edit.end - 1


def _block(done: Hipified, edits: list[Edit], first: int, last: int) -> _Block:
    """Return the replaced lines, whole ones."""
    starts, text = done.source.line_starts, done.source.text
    begin = starts[first]
    end = starts[last] if last < len(starts) else len(text)
    moved = [Edit(e.start - begin, e.end - begin, e.replacement) for e in edits]
    return _Block(first, last, apply_edits(text[begin:end], moved))


def _hunks(blocks: list[_Block]) -> Iterator[list[_Block]]:
    """Join blocks whose context lines touch."""
    hunk: list[_Block] = []
    for block in blocks:
        if hunk and block.first - hunk[-1].last > 2 * _CONTEXT:
            yield hunk
            hunk = []
        hunk.append(block)
    yield hunk


def _hunk(done: Hipified, blocks: list[_Block], shift: int) -> tuple[str, int]:
    """Return a hunk's text and how many lines longer it makes the file."""
    lines = done.source.line_count
    first = max(blocks[0].first - _CONTEXT, 0)
    last = min(blocks[-1].last + _CONTEXT, lines)
    body: list[str] = []
    at, grown = first, 0
    for block in blocks:
        body += (_marked(" ", _line(done, n)) for n in range(at, block.first))
        body += (_marked("-", _line(done, n)) for n in range(block.first, min(block.last, lines)))
        new = _split(block.text)
        body += (_marked("+", line) for line in new)
        grown += len(new) - (min(block.last, lines) - block.first)
        at = block.last
    body += (_marked(" ", _line(done, n)) for n in range(at, last))
    old_count, new_count = last - first, last - first + grown
    old_at, new_at = first + (old_count > 0), first + shift + (new_count > 0)
    head = f"@@ -{old_at},{old_count} +{new_at},{new_count} @@\n"
    return head + "".join(body), grown


def _line(done: Hipified, number: int) -> str:
    starts, text = done.source.line_starts, done.source.text
    return text[starts[number] : starts[number + 1] if number + 1 < len(starts) else len(text)]


def _split(text: str) -> list[str]:
    """Split at line feeds alone: str.splitlines would split at form feeds and others too."""
    lines = text.split("\n")
    return [line + "\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])


def _marked(mark: str, line: str) -> str:
    return mark + line if line.endswith("\n") else f"{mark}{line}\n\\ No newline at end of file\n"
