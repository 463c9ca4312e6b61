"""The report as one self-contained HTML page: what was done, what is left, where, how much."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources

from porting import __version__
from porting.diagnostics import Code, Diagnostic, Severity
from porting.reports.model import FileReport, Outcome, Report, State, Status

# How many lines a person must look at make a file's effort small, medium or large.
SMALL, MEDIUM = 3, 10
# Lines of context, and the most lines of one finding that are shown.
_AROUND, _LONGEST = 2, 12
# The most files that the headline names.
_NAMED = 5


@dataclass(frozen=True)
class Place:
    """A line with its findings, gravest first, and the numbered lines around it."""

    line: int
    findings: tuple[Diagnostic, ...]
    anchor: str
    lines: tuple[tuple[int, str, bool], ...]


@dataclass(frozen=True)
class FilePart:
    """A file's row and its findings.

    `share`: its part of all lines left, in percent; `bar`: the same beside the largest file's.
    """

    file: FileReport
    anchor: str
    decide: int
    check: int
    effort: str
    share: float
    bar: float
    places: tuple[Place, ...]


@dataclass(frozen=True)
class Kind:
    """The findings with one code and severity: how many, and the lines they stand on."""

    code: Code
    severity: Severity
    number: int
    places: tuple[Place, ...]


@dataclass(frozen=True)
class Matrix:
    """What verification said: one row per file, one cell per architecture."""

    archs: tuple[str, ...]
    rows: tuple[tuple[str, tuple[tuple[str, str], ...]], ...]
    totals: tuple[tuple[int, ...], ...]


def render(report: Report) -> str:
    """Return the page; it loads nothing and holds no script."""
    from jinja2 import Environment, StrictUndefined

    source = (resources.files("porting.reports") / "report.html.jinja").read_text("utf-8")
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    parts = file_parts(report)
    page = environment.from_string(source).render(
        report=report,
        version=__version__,
        verdict=verdict(report),
        percent=percent(report.automatic, report.automatic + report.manual),
        decide=sum(part.decide for part in parts),
        check=sum(part.check for part in parts),
        kinds=kinds(report, parts),
        parts=parts,
        quiet=[f for f in report.files if f.status is Status.CHANGED and not f.manual],
        matrix=matrix(report.files),
        notes=[d for d in report.diagnostics if d.severity is Severity.NOTE],
        small=SMALL,
        medium=MEDIUM,
    )
    return page + "\n"


def verdict(report: Report) -> tuple[str, str]:
    """Return a class (good, work, stop) and the sentence at the top of the page."""
    missing = [stage.name for stage in report.stages if stage.state is State.UNAVAILABLE]
    if missing:
        return "stop", f"Not complete: {', '.join(missing)} could not run here."
    unported = _unported(report.unported_files)
    if report.manual:
        lines = "1 line" if report.manual == 1 else f"{report.manual} lines"
        return "work", f"{lines} left for a person{unported}."
    skipped = [stage.name for stage in report.stages if stage.state is State.SKIPPED]
    if skipped:
        end = f"; {', '.join(skipped)} did not run."
    elif report.is_all_verified:
        end = ", and every unit was verified." if not unported else "; every unit was verified."
    else:
        end = "; not every unit passed, and the findings about that were taken out."
    if unported:
        return "work", f"No line of the sources is left to decide{unported}{end}"
    return ("good" if report.is_all_verified else "work"), f"Nothing is left to decide{end}"


def _unported(files: Sequence[str]) -> str:
    """Return ", and 2 files that name CUDA are not ported: ..." or ""."""
    if not files:
        return ""
    many = (
        f"{len(files)} files that name CUDA are" if len(files) > 1 else "1 file that names CUDA is"
    )
    more = f" and {len(files) - _NAMED} more" if len(files) > _NAMED else ""
    return f", and {many} not ported: {', '.join(files[:_NAMED])}{more}"


def percent(part: int, whole: int) -> float:
    """Return `part` of `whole` in percent, never rounded up to 100; 100 of nothing."""
    if part == whole:
        return 100.0
    return min(round(100 * part / whole, 1), 99.9)


def effort(lines: int) -> str:
    """Return how much work a file is, by the lines that a person must look at."""
    if lines <= SMALL:
        return "small" if lines else "none"
    return "medium" if lines <= MEDIUM else "large"


def file_parts(report: Report) -> list[FilePart]:
    """Return the files with something left, most work first."""
    found = report.by_file()
    parts = []
    for number, file in enumerate(report.files):
        left = [d for d in found.get(file.path, ()) if d.severity is not Severity.NOTE]
        if left:
            parts.append(_file_part(report, file, f"f{number}", left))
    return sorted(parts, key=lambda part: (-part.decide, -part.check, part.file.path))


def _file_part(
    report: Report, file: FileReport, anchor: str, left: Sequence[Diagnostic]
) -> FilePart:
    by_line: dict[int, list[Diagnostic]] = {}
    for found in left:
        by_line.setdefault(found.line, []).append(found)
    excerpt = report.excerpts.get(file.path, {})
    places = tuple(
        _place(line, found, f"{anchor}-{line}", excerpt) for line, found in by_line.items()
    )
    decide = sum(place.findings[0].severity is Severity.ERROR for place in places)
    share = percent(len(places), report.manual)
    check = len(places) - decide
    bar = percent(len(places), max(f.manual for f in report.files))
    return FilePart(file, anchor, decide, check, effort(len(places)), share, bar, places)


def _place(
    line: int, found: Sequence[Diagnostic], anchor: str, excerpt: Mapping[int, str]
) -> Place:
    last = max(d.last_line for d in found)
    around = range(line - _AROUND, min(last, line + _LONGEST) + _AROUND + 1)
    lines = tuple((n, excerpt[n], line <= n <= last) for n in around if n in excerpt)
    return Place(line, tuple(sorted(found, key=lambda d: -d.severity.rank)), anchor, lines)


def kinds(report: Report, parts: Sequence[FilePart]) -> list[Kind]:
    """Return the findings that are left by code, gravest and most frequent first."""
    codes = {code.code: code for code in report.codes}
    found: dict[tuple[Severity, str], list[tuple[Place, Diagnostic]]] = {}
    for place in (place for part in parts for place in part.places):
        for finding in place.findings:
            found.setdefault((finding.severity, finding.code), []).append((place, finding))
    groups = [
        Kind(
            codes.get(code) or _untold(pairs[0][1]),
            severity,
            len(pairs),
            tuple({place.anchor: place for place, _ in pairs}.values()),
        )
        for (severity, code), pairs in found.items()
    ]
    return sorted(groups, key=lambda k: (-k.severity.rank, -k.number, k.code.code))


def _untold(found: Diagnostic) -> Code:
    return Code(found.code, found.topic, found.severity, found.topic, "")


def matrix(files: Sequence[FileReport]) -> Matrix | None:
    """Return the verification of every unit per architecture, None when there was none.

    The host side is a column of its own.  A cell is the worst that any stage said: failed, then
    not verified, then verified.
    """
    units = [file for file in files if file.verdicts]
    if not units:
        return None
    archs = tuple(dict.fromkeys(v.arch for file in units for v in file.verdicts))
    rows = tuple((file.path, tuple(_cell(file, arch) for arch in archs)) for file in units)
    totals = tuple(
        tuple(sum(row[1][at][0] == outcome.value for row in rows) for outcome in Outcome)
        for at in range(len(archs))
    )
    return Matrix(tuple(arch or "host" for arch in archs), rows, totals)


def _cell(file: FileReport, arch: str) -> tuple[str, str]:
    """Return the outcome and the reasons of one file for one architecture."""
    said = [v for v in file.verdicts if v.arch == arch]
    worst = next(
        (
            o
            for o in (Outcome.FAILED, Outcome.NOT_VERIFIED, Outcome.VERIFIED)
            if any(v.outcome is o for v in said)
        ),
        None,
    )
    if worst is None:
        return "", ""
    reasons = [f"{v.stage}: {v.detail or v.outcome.value}" for v in said if v.outcome is worst]
    return worst.value, "; ".join(reasons)
