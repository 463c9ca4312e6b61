"""Put the results of a run together into a report."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from porting import conversion, hipify, inventory
from porting.diagnostics import Code, Diagnostic, Severity, by_place
from porting.hipify import Hipified
from porting.reports import PORT, FileReport, Stage, State, Status, Verdict, manual_lines
from porting.settings import Settings
from porting.source import SourceFile
from porting.tree import Entry, Kind, Tree

_CONTEXT_LINES = 2
_LONGEST_SHOWN = 200
_UNPORTED = frozenset((inventory.BINARY.code, conversion.INTERNAL.code))


@dataclass(frozen=True)
class Sorted:
    """Findings by place: what is left, what comments and what the configuration took out."""

    kept: tuple[Diagnostic, ...]
    suppressed: tuple[Diagnostic, ...] = ()
    ignored: tuple[Diagnostic, ...] = ()

    @property
    def taken_out(self) -> tuple[Diagnostic, ...]:
        """Everything that was taken out."""
        return (*self.suppressed, *self.ignored)


def sort_findings(
    found: Iterable[Diagnostic], suppressed: Iterable[Diagnostic], settings: Settings
) -> Sorted:
    """Return findings by place, less those that the configuration ignores."""
    kept: list[Diagnostic] = []
    ignored: list[Diagnostic] = []
    for finding in by_place(found):
        (ignored if settings.ignores(finding.code, finding.file) else kept).append(finding)
    return Sorted(tuple(kept), tuple(by_place(suppressed)), tuple(ignored))


def without_echoes(findings: Sorted, echoes: Sequence[Code], built: Sequence[Code]) -> Sorted:
    """Return findings less those of compilers (`echoes`) on lines with an error that is told.

    One fault counts once, and the first to find it tells it: rules, then compiling units, then
    building.  `built`: the codes of building, whose errors hide no other.  An error that was taken
    out hides nothing.
    """
    for code in echoes:
        quiet = {code.code, *(each.code for each in built)}
        told = {
            (d.file, line)
            for d in findings.kept
            if d.severity is Severity.ERROR and d.code not in quiet
            for line in range(d.line, d.last_line + 1)
        }
        kept = (d for d in findings.kept if d.code != code.code or (d.file, d.line) not in told)
        findings = replace(findings, kept=tuple(kept))
    return findings


def count_taken_out(
    stages: Sequence[Stage], findings: Sorted, codes: Sequence[Code]
) -> list[Stage]:
    """Return the stages with the number of findings taken out of each.

    `codes` are those of compiling, whose findings count with the first stage after porting: one
    finding may stem from the host and the device side alike.
    """
    compiled = {code.code for code in codes}
    number = sum(d.code in compiled for d in findings.taken_out)
    counts = [len(findings.taken_out) - number, number, *([0] * len(stages))]
    return [replace(stage, suppressed=count) for stage, count in zip(stages, counts, strict=False)]


def port_stage(hipified: Sequence[Hipified]) -> Stage:
    """Return the counts of porting itself: a unit failed when it was copied instead."""
    failed = sum(
        done.source.is_binary or any(d.code in _UNPORTED for d in done.diagnostics)
        for done in hipified
    )
    return Stage(PORT, State.RAN, verified=len(hipified) - failed, failed=failed)


def file_reports(
    tree: Tree,
    hipified: Sequence[Hipified],
    kept: Sequence[Diagnostic],
    output: str | None,
    verdicts: Mapping[str, tuple[Verdict, ...]],
) -> tuple[FileReport, ...]:
    """Return one report per file and link of the tree, in its order.

    `output`: the place that was written.  `verdicts`: by path in the output.
    """
    done = {h.source.path: h for h in hipified}
    manual = manual_lines(kept)
    said = {entry.path: verdicts.get(entry.path, ()) for entry in tree.entries}
    if tree.single and verdicts:
        said = {tree.entries[0].path: next(iter(verdicts.values()))}
    return tuple(
        FileReport(
            path=entry.path,
            output=output if tree.single or output is None else entry.path,
            status=_status(entry, done),
            lines=_lines(done[entry.path].source) if entry.path in done else 0,
            automatic=len(done[entry.path].edits) if entry.path in done else 0,
            manual=manual.get(entry.path, 0),
            verdicts=said[entry.path],
        )
        for entry in tree.entries
        if entry.kind in (Kind.SOURCE, Kind.FILE, Kind.LINK)
    )


def excerpts(
    sources: Sequence[SourceFile], kept: Sequence[Diagnostic]
) -> Mapping[str, Mapping[int, str]]:
    """Return the lines around findings that a person must look at."""
    wanted: dict[str, set[int]] = {}
    for finding in kept:
        if finding.severity is not Severity.NOTE:
            around = range(finding.line - _CONTEXT_LINES, finding.last_line + _CONTEXT_LINES + 1)
            wanted.setdefault(finding.file, set()).update(around)
    return {
        source.path: {
            line: _shown(source.line_text(line))
            for line in sorted(wanted[source.path])
            if 1 <= line <= source.line_count
        }
        for source in sources
        if source.path in wanted and not source.is_binary
    }


def _status(entry: Entry, done: Mapping[str, Hipified]) -> Status:
    if entry.kind is Kind.LINK:
        return Status.LINK
    file = done.get(entry.path)
    if file is not None and file.changed:
        return Status.CHANGED
    is_source = file is not None and hipify.is_portable(file.source)
    return Status.UNCHANGED if is_source else Status.COPIED


def _lines(source: SourceFile) -> int:
    """Return the number of lines of a text, 0 for a binary file."""
    return 0 if source.is_binary else source.line_count


def _shown(line: str) -> str:
    """Return a line as text, cut where nobody reads on."""
    text = line.encode("latin-1").decode("utf-8", "replace")
    return text if len(text) <= _LONGEST_SHOWN else text[:_LONGEST_SHOWN] + " …"
