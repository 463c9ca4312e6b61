"""Port one file: source text and target in, HIP text and diagnostics out.  Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from porting.config import Target
from porting.diagnostics import Code, Diagnostic, Severity, by_place
from porting.edits import Edit, EditSet, apply_edits
from porting.mapping import Names
from porting.rules import GIVES_WAY, RULES, Project, Selections, Unit
from porting.source import C_SUFFIXES, SourceFile
from porting.suppress import Suppressions
from porting.syntax import has_trace_of_cuda

CONFLICT = Code(
    "SRC001",
    "rewrite-conflict",
    Severity.ERROR,
    "two rewrites meet in one place",
    "Two rules want to rewrite the same text and only the first was applied.  Read the place and"
    " finish by hand what the message says.",
)
CODES = (CONFLICT,)
_ASSEMBLY = ("asm", "__asm__", "__asm")


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

    @property
    def changed(self) -> bool:
        """Whether the output differs from the input."""
        return bool(self.edits)


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
    project = project or Project()
    if not is_portable(source) or _is_of_no_interest(source, project):
        return Hipified(source, source.data)
    unit = Unit(source, target, names, project)
    outcome = _Outcome(unit)
    for rule in RULES:
        for finding in rule(unit):
            outcome.take(finding)
    selections = Selections(unit, outcome.unportable_lines())
    for finding in selections.findings():
        outcome.take(finding)
    return outcome.result(selections.left_out())


def _is_of_no_interest(source: SourceFile, project: Project) -> bool:
    """Whether a file is no CUDA source and has no trace of CUDA: most files of most trees.

    One that may include a file with a new name is of interest.
    """
    if source.is_cuda or has_trace_of_cuda(source.text):
        return False
    return source.path not in project.renamed and not any(
        name in source.text for name in project.renamed_names
    )


class _Outcome:
    """What the rules found so far, and the edits that were accepted; earlier findings win."""

    def __init__(self, unit: Unit) -> None:
        self._unit = unit
        self._suppressions = Suppressions.read(unit.source, unit.lexed.comments)
        self._edits = EditSet()
        self._kept: list[Diagnostic] = []
        self._suppressed: list[Diagnostic] = []
        self._spoken: dict[tuple[int, str], int] = {}  # line, symbol -> highest severity

    def take(self, finding: Edit | Diagnostic) -> None:
        """Add one finding of a rule."""
        if isinstance(finding, Edit):
            if not self._edits.add([finding]) and not self._edits.covers(finding):
                self._conflict(finding, f"'{finding.symbol}' was not renamed")
        elif finding.code in GIVES_WAY and self._answered(finding):
            return
        elif self._suppressions.covers(finding):
            self._suppressed.append(replace(finding, edits=()))
        elif self._edits.add(finding.edits):
            real = tuple(_real(self._unit.source.text, finding.edits))
            self._keep(finding if real == finding.edits else replace(finding, edits=real))
        else:
            self._keep(replace(finding, edits=()))
            self._conflict(finding.edits[0], finding.message)

    def _answered(self, finding: Diagnostic) -> bool:
        """Whether a rewrite holds the name's place, or another rule said as much about it."""
        spoken = self._spoken.get((finding.line, finding.symbol), -1)
        return spoken >= finding.severity.rank or any(map(self._edits.overlaps, finding.edits))

    def _keep(self, finding: Diagnostic) -> None:
        key = (finding.line, finding.symbol)
        self._spoken[key] = max(self._spoken.get(key, 0), finding.severity.rank)
        self._kept.append(finding)

    def _conflict(self, edit: Edit, what: str) -> None:
        text = f"rewrite not applied: {what}"
        self._keep(self._unit.diagnose(CONFLICT, edit.start, text, symbol=edit.symbol))

    def unportable_lines(self) -> frozenset[int]:
        """Return the lines of what does not compile, and of inline assembly that stays.

        Assembly counts by itself: in a file that was ported before, nothing is said about it.
        """
        unit = self._unit
        lines = {found.line for found in self._kept if found.severity is Severity.ERROR}
        for word in _ASSEMBLY:
            for number in unit.where(word):
                token = unit.tokens[number]
                if not self._edits.covers(Edit(token.start, token.end, "")):
                    lines.add(unit.source.line_of(token.start))
        return frozenset(lines)

    def result(self, left_out: frozenset[int]) -> Hipified:
        """Return the ported file; what no ROCm build compiles (`left_out`) is worth a note only."""
        source = self._unit.source
        kept = by_place(
            [
                replace(found, severity=Severity.NOTE) if found.line in left_out else found
                for found in (*self._kept, *self._suppressions.complaints())
            ]
        )
        edits = tuple(_real(source.text, self._edits.sorted()))
        data = apply_edits(source.text, edits).encode("latin-1") if edits else source.data
        return Hipified(source, data, edits, tuple(kept), tuple(by_place(self._suppressed)))


def _real(text: str, edits: Sequence[Edit]) -> Iterator[Edit]:
    """Yield the edits that change something: a rule holds a name by replacing it with itself."""
    return (edit for edit in edits if text[edit.start : edit.end] != edit.replacement)
