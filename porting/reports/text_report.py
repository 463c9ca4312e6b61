"""The report for a terminal: findings by place, then a summary by kind and by stage."""

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import PurePath

from porting.config import Mode
from porting.diagnostics import Diagnostic, Severity, one_line
from porting.reports.model import Report, State, Status

_COLOURS = {Severity.NOTE: "36", Severity.WARNING: "33", Severity.ERROR: "31"}


def render(report: Report, *, colour: bool = False) -> str:
    """Return findings and summary; `colour` puts ANSI colours in."""
    found = findings(report.diagnostics, report.root, colour=colour)
    return "".join(f"{line}\n" for line in (*found, *summary(report, colour=colour)))


def findings(
    diagnostics: Iterable[Diagnostic], root: str = "", *, colour: bool = False
) -> Iterator[str]:
    """Yield `path:line:col: CODE severity: message` and the help below it.

    Paths start with `root`, so that a terminal or an editor opens them.
    """
    for found in diagnostics:
        path = one_line(str(PurePath(root, found.file)))
        severity = _paint(found.severity.value, found.severity, colour=colour)
        place = f"{path}:{found.line}:{found.column}"
        yield f"{place}: {found.code} {severity}: {one_line(found.message)}"
        if found.help:
            yield f"    help: {one_line(found.help)}"


def summary(report: Report, *, colour: bool = False) -> Iterator[str]:
    """Yield the lines of the summary."""
    yield from _kinds(report, colour=colour)
    yield f"for ROCm {report.target.rocm} on {', '.join(report.target.archs)}"
    if report.mode is Mode.COMPAT:
        yield "mode compat: sources are left alone, a generated header gives HIP under CUDA's names"
    if report.output is not None:
        yield f"output: {report.output}"
    files = ", ".join(f"{report.count(s)} {s.value}" for s in Status if report.count(s))
    yield f"{_many(len(report.files), 'file')}: {files or 'none'}"
    rewritten = f"rewritten automatically: {_many(report.automatic, 'place')}; "
    left = f"left for a person: {_many(report.manual, 'line')}"
    yield rewritten + left if report.was_ported else left
    for stage in report.stages:
        counted = f", {stage.suppressed} suppressed" if stage.state is State.RAN else ""
        note = f"; {stage.note}" if stage.note else ""
        yield f"{stage.name}: {stage}{counted}{note}"
    counts = ", ".join(_many(n, s.value) for s, n in report.severities.items())
    yield f"{counts}, {len(report.suppressed) + len(report.ignored)} suppressed"


def _kinds(report: Report, *, colour: bool) -> Iterator[str]:
    """Yield one line per code with findings, the gravest first."""
    if not report.diagnostics:
        return
    counts = Counter((d.severity, d.code, d.topic) for d in report.diagnostics)
    yield ""
    for (severity, code, topic), number in sorted(
        counts.items(), key=lambda item: (-item[0][0].rank, -item[1], item[0][1])
    ):
        yield f"{number:6}  {_paint(severity.value, severity, colour=colour):7}  {code}  {topic}"


def _many(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def _paint(text: str, severity: Severity, *, colour: bool) -> str:
    return f"\x1b[1;{_COLOURS[severity]}m{text}\x1b[0m" if colour else text
