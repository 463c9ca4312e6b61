"""Headers included inside `extern "C" { }`: HIP's hold templates, which C linkage forbids."""

from collections.abc import Iterator, Sequence
from typing import Final

from porting.diagnostics import Code, Diagnostic, Severity
from porting.edits import Edit
from porting.rules.runtime_header import Scope, line_start
from porting.rules.unit import Unit
from porting.syntax import HeaderName, match_bracket

MOVED = Code(
    "INC007",
    "include",
    Severity.NOTE,
    'a header is included in front of extern "C" instead of inside',
    "CUDA's C headers may be included inside `extern \"C\" { }`.  HIP's hold C++ templates, which"
    " C linkage forbids, so they do not compile there.  The tool includes the header in front of"
    " the block; its include guard makes a second include inside the block empty.",
)
INSIDE = Code(
    "INC008",
    "include",
    Severity.ERROR,
    'a header is included inside extern "C" and cannot be moved in front of it',
    'HIP\'s headers hold C++ templates, which do not compile inside `extern "C" { }`.  The line'
    " stands under a condition that begins inside the block, so the tool does not know where it"
    " belongs.  Include the header in front of the block.",
)
CODES = (MOVED, INSIDE)
_OPENS: Final = ("if", "ifdef", "ifndef")


class LinkageBlocks:
    """The `extern "C" {` blocks of a file, and the includes that are to stand in front of them."""

    def __init__(self, unit: Unit, reach: Sequence[Scope]) -> None:
        """Find the blocks."""
        self._unit = unit
        self._reach = reach
        self._blocks = list(self._find())
        self._moved: dict[int, dict[str, int]] = {}

    def _find(self) -> Iterator[tuple[int, int, int]]:
        """Yield the offsets of `extern`, `{` and the end of every block, outer ones first."""
        tokens = self._unit.tokens
        for number in self._unit.where("extern"):
            if tokens[number + 1].text == '"C"' and tokens[number + 2].text == "{":
                close = match_bracket(tokens, number + 2)
                end = len(self._unit.source.text) if close is None else tokens[close].start
                yield tokens[number].start, tokens[number + 2].start, end

    def holds(self, header: HeaderName) -> bool:
        """Whether a header's line stands inside a block."""
        return any(opener < header.start < end for _, opener, end in self._blocks)

    def move(self, header: HeaderName, path: str) -> Diagnostic | None:
        """Note that `path` is wanted in front of the block around a header's line.

        A diagnostic when it cannot go there.  Call it for a header in a block (`holds`) only.
        """
        extern = next(e for e, opener, end in self._blocks if opener < header.start < end)
        place = self._place(extern, self._reach[header.directive])
        if place is None:
            text = f'<{path}> is included inside extern "C", where its templates do not compile'
            help_text = "include it in front of the block"
            return self._unit.diagnose(
                INSIDE, header.start, text, help=help_text, symbol=header.path
            )
        self._moved.setdefault(place, {}).setdefault(path, header.start)
        return None

    def moved(self) -> Iterator[Diagnostic]:
        """Yield the lines that go in front of the blocks."""
        newline = self._unit.source.newline
        for place, paths in sorted(self._moved.items()):
            lines = "".join(f"#include <{path}>{newline}" for path in paths)
            first = next(iter(paths.values()))
            text = f'{", ".join(paths)}: included in front of extern "C", not inside'
            edit = Edit(place, place, lines)
            yield self._unit.diagnose(MOVED, first, text, symbol=next(iter(paths)), edits=[edit])

    def _place(self, extern: int, inner: Scope) -> int | None:
        """Return the start of the line in front of which an include with a scope can stand."""
        directives = self._unit.lexed.directives
        before = next((n for n, d in enumerate(directives) if d.start > extern), len(directives))
        outer = self._scope_behind(before - 1)
        if outer[: len(inner)] != inner:
            return None
        if outer == inner:
            return line_start(self._unit, extern)
        first = outer[len(inner)]
        while directives[first].name not in _OPENS or self._reach[first] != inner:
            if first == 0:
                return None  # an #else without its #if
            first -= 1
        return line_start(self._unit, directives[first].start)

    def _scope_behind(self, number: int) -> Scope:
        """Return the branches that are open behind a directive."""
        if number < 0:
            return ()
        name = self._unit.lexed.directives[number].name
        is_branch = name in (*_OPENS, "elif", "else", "elifdef", "elifndef")
        return (*self._reach[number], number) if is_branch else self._reach[number]
