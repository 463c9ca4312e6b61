"""clang's text output as located errors."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

_LOCATED = re.compile(
    r"^(?P<path>[^\n:]+):(?P<line>\d+):(?P<column>\d+): "
    r"(?P<kind>fatal error|error|warning|note|remark): (?P<text>.*)$"
)
_INCLUDED = re.compile(r"^(?:In file included from|\s+from) (?P<path>.+):(?P<line>\d+)[:,]$")
_PLACELESS = re.compile(r"^(?:[^\s:]+: |<unknown>:0:0: )?(?:fatal )?error: (?P<text>.*)$")
_UNDEFINED = re.compile(r"^(?:ld\.)?lld: error: undefined (?:hidden )?symbol: (?P<symbol>.*)$")
_MISSING = re.compile(r"^'(?P<header>[^']+)' file not found")
# What the driver says after the real errors.
_ECHOES = re.compile(
    r"(amdgcn-link|linker|hip-link) command failed|command failed due to signal|too many errors"
)
_UNKNOWN = "<unknown>"


@dataclass(frozen=True)
class Place:
    """A path as clang wrote it, with line and column from 1."""

    path: str
    line: int
    column: int = 1


@dataclass
class ClangError:
    """An error with the places it was seen from: notes after it, includers before it."""

    text: str
    place: Place | None
    notes: list[Place] = field(default_factory=list)
    includers: list[Place] = field(default_factory=list)

    @property
    def missing_header(self) -> str:
        """The header that was not found, if that is the error."""
        match = _MISSING.match(self.text)
        return match["header"] if match else ""

    def best_place(self, inside: Callable[[str], bool]) -> Place | None:
        """Return the place to show: the first inside the tree, from the error outwards."""
        places = [self.place] if self.place else []
        return next((p for p in [*places, *self.notes, *self.includers] if inside(p.path)), None)


def errors(output: str) -> Iterator[ClangError]:
    """Yield the errors of a run of clang, each once."""
    current: ClangError | None = None
    includers: list[Place] = []
    for line in output.splitlines():
        if match := _INCLUDED.match(line):
            includers.insert(0, Place(match["path"], int(match["line"])))
            continue
        located = _LOCATED.match(line)
        if located and located["path"] != _UNKNOWN:
            place = Place(located["path"], int(located["line"]), int(located["column"]))
            if located["kind"] == "note":
                if current is not None:
                    current.notes.append(place)
                includers = []
                continue
            if current is not None:
                yield current
            is_error = located["kind"].endswith("error")
            current = ClangError(located["text"], place, [], includers) if is_error else None
            includers = []
        elif text := _placeless(line):
            if current is not None:
                yield current
            current, includers = ClangError(text, None), []
    if current is not None:
        yield current


def _placeless(line: str) -> str:
    if match := _UNDEFINED.match(line):
        return (
            f"device code calls {match['symbol']}, which this unit does not define; "
            "a call across units needs relocatable device code (-fgpu-rdc)"
        )
    match = _PLACELESS.match(line)
    return "" if match is None or _ECHOES.search(match["text"]) else match["text"]
