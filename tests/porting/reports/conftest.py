"""A report with everything in it that a format must show."""

from dataclasses import replace

import pytest

from porting.config import Target
from porting.diagnostics import Code, Diagnostic, Severity
from porting.reports import FileReport, Outcome, Report, Stage, State, Status, Verdict

CODES = (
    Code("ABC001", "first-topic", Severity.ERROR, "a first kind", "What the first kind means."),
    Code("ABC002", "second-topic", Severity.WARNING, "a second kind", "What the second means."),
)


def _found(line: int, code: Code, message: str, **fields: object) -> Diagnostic:
    made = Diagnostic("src/a <b>.cu", line, 3, code.code, code.topic, code.severity, message)
    return replace(made, **fields)  # type: ignore[arg-type]


@pytest.fixture
def diagnostics() -> tuple[Diagnostic, ...]:
    return (
        _found(2, CODES[0], "broken: 100%, really", help="mend it", symbol="cudaX"),
        _found(2, CODES[1], "look <here>", end_line=3),
        _found(9, CODES[1], "told", severity=Severity.NOTE),
    )


@pytest.fixture
def report(diagnostics: tuple[Diagnostic, ...]) -> Report:
    verdicts = (
        Verdict("host syntax", "", Outcome.VERIFIED),
        Verdict("device code", "gfx90a", Outcome.VERIFIED),
        Verdict("device code", "gfx1100", Outcome.FAILED, "1 error"),
    )
    return Report(
        source="in",
        output="out",
        root="in",
        target=Target("7.1", ("gfx90a", "gfx1100")),
        stages=(
            Stage("port", State.RAN, verified=2, suppressed=2),
            Stage("host syntax", State.RAN, verified=1, not_verified=1),
            Stage("device code", State.RAN, verified=1, failed=1),
        ),
        files=(
            FileReport("CMakeLists.txt", "CMakeLists.txt", Status.COPIED),
            FileReport("b.cu", "b.cu", Status.CHANGED, lines=7, automatic=2),
            FileReport("src/a <b>.cu", "src/a <b>.cu", Status.CHANGED, 10, 3, 1, verdicts),
        ),
        diagnostics=diagnostics,
        suppressed=(_found(5, CODES[0], "by comment"),),
        ignored=(_found(6, CODES[0], "by configuration"),),
        codes=CODES,
        excerpts={"src/a <b>.cu": {1: "int a;", 2: "if (a < b) <script>", 3: "c", 4: "d"}},
    )


@pytest.fixture
def clean(report: Report) -> Report:
    """Return a report with nothing left in it."""
    return replace(
        report,
        stages=(
            Stage("port", State.RAN, verified=2),
            Stage("verify", State.SKIPPED, "--no-verify"),
        ),
        files=(FileReport("b.cu", "b.cu", Status.CHANGED, lines=7, automatic=2),),
        diagnostics=(),
        suppressed=(),
        ignored=(),
        excerpts={},
    )


@pytest.fixture
def unavailable(clean: Report) -> Report:
    """Return a report of a run whose verify stage could not run."""
    stage = Stage("host syntax", State.UNAVAILABLE, "no clang")
    return replace(clean, stages=(clean.stages[0], stage))
