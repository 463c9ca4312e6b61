"""Port one file: source text and target in, HIP text and diagnostics out.  Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from porting.config import Target
from porting.diagnostics import Code, Diagnostic, Severity, by_place
from porting.edits import Edit, EditMap, EditSet, apply_edits
from porting.mapping import Names
from porting.rules import RULES, Project, Unit
from porting.source import C_SUFFIXES, SourceFile
from porting.suppress import Suppressions

CONFLICT = Code(
    "SRC001",
    "rewrite-conflict",
    Severity.ERROR,
    "two rewrites meet in one place",
    "Two rules want to rewrite the same text and only the first was applied.  Read the place and"
    " finish by hand what the message says.",
)
CODES = (CONFLICT,)


@dataclass(frozen=True)
class Hipified:
    """A ported file: its new bytes, the edits that made them, and what was found.

    `suppressed` are findings that an ignore comment of the source took out of `diagnostics`.
    """

    source: SourceFile
    data: bytes
    edits: tuple[Edit, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    suppressed: tuple[Diagnostic, ...] = ()
    _map: list[EditMap] = field(default_factory=list, repr=False, compare=False)

    @property
    def changed(self) -> bool:
        """Whether the output differs from the input."""
        return bool(self.edits)

    def origin_line(self, line: int) -> int:
        """Return the input line that an output line came from."""
        if not self._map:
            self._map.append(EditMap(self.edits))
        output = SourceFile(self.source.path, self.data)
        start = output.line_starts[min(line, len(output.line_starts)) - 1]
        return self.source.line_of(self._map[0].origin(start))


def is_portable(source: SourceFile) -> bool:
    """Whether a file is C, C++ or CUDA text, by its suffix and its bytes."""
    return source.suffix in C_SUFFIXES and not source.is_binary


def hipify(
    source: SourceFile, target: Target, names: Names, project: Project | None = None
) -> Hipified:
    """Port one file for a target.

    A file that is no C-family text comes back unchanged.  The result depends on the arguments
    alone, and porting the result again changes nothing.
    """
    if not is_portable(source):
        return Hipified(source, source.data)
    unit = Unit(source, target, names, project or Project())
    suppressions = Suppressions.read(unit.source, unit.lexed.comments)
    edits = EditSet()
    kept: list[Diagnostic] = []
    suppressed: list[Diagnostic] = []
    for finding in _findings(unit):
        if isinstance(finding, Edit):
            _accept(unit, edits, finding, kept)
        elif suppressions.covers(finding):
            suppressed.append(replace(finding, edits=()))
        elif edits.add(finding.edits):
            kept.append(replace(finding, edits=tuple(_real(source.text, finding.edits))))
        else:
            kept += [replace(finding, edits=()), _conflict(unit, finding.edits[0], finding.message)]
    kept += suppressions.complaints()
    accepted = tuple(_real(source.text, edits.sorted()))
    data = apply_edits(source.text, accepted).encode("latin-1") if accepted else source.data
    return Hipified(source, data, accepted, tuple(by_place(kept)), tuple(by_place(suppressed)))


def _real(text: str, edits: Sequence[Edit]) -> Iterator[Edit]:
    """Yield the edits that change something: a rule holds a name by replacing it with itself."""
    return (edit for edit in edits if text[edit.start : edit.end] != edit.replacement)


def _findings(unit: Unit) -> Iterator[Edit | Diagnostic]:
    for rule in RULES:
        yield from rule(unit)


def _accept(unit: Unit, edits: EditSet, edit: Edit, kept: list[Diagnostic]) -> None:
    """Add a plain rename, unless a rewrite already answers for the whole of its place."""
    if not edits.add([edit]) and not edits.covers(edit):
        kept.append(_conflict(unit, edit, f"'{edit.symbol}' was not renamed"))


def _conflict(unit: Unit, edit: Edit, what: str) -> Diagnostic:
    return unit.diagnose(CONFLICT, edit.start, f"rewrite not applied: {what}", symbol=edit.symbol)
