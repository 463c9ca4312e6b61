"""What a run prints: each file's new place on stdout, what a person has to decide on stderr."""

import os
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from porting.diagnostics import Diagnostic, Severity, by_place, one_line
from porting.hipify_torch.running import NO_PERMISSIONS, Outcome
from porting.reports import text_report
from porting.settings import Settings


def absolute(output: Path, path: str) -> str:
    """Return a path of a run as callers know it."""
    return os.path.abspath(output / path)  # noqa: PTH100 - links keep their names


def worth_telling(outcomes: Iterable[Outcome], settings: Settings) -> list[Diagnostic]:
    """Return the errors and warnings, by place, without those that the project ignores."""
    return by_place(
        found
        for outcome in outcomes
        for found in outcome.diagnostics
        if found.severity is not Severity.NOTE and not settings.ignores(found.code, found.file)
    )


def show_progress(output: Path, outcomes: Iterable[Outcome]) -> None:
    """Print where each file went, in hipify_torch's form."""
    for outcome in outcomes:
        if outcome.path is not None:
            old, new = (absolute(output, path) for path in (outcome.source, outcome.path))
            print(_printable(f"{old} -> {new} {outcome.status}"))


def show_findings(
    output: Path, outcomes: Iterable[Outcome], findings: Iterable[Diagnostic]
) -> None:
    """Print to stderr what was found, the files that could not be written, or that none matched."""
    outcomes = list(outcomes)
    if not outcomes:
        print(
            f"no file below {_printable(str(output))} matches `includes` and `extensions`, and"
            " there are no `extra_files`: nothing was hipified",
            file=sys.stderr,
        )
    for line in text_report.findings(findings, str(output)):
        print(line, file=sys.stderr)
    for outcome in outcomes:
        if outcome.status == NO_PERMISSIONS:
            path = absolute(output, outcome.source)
            print(
                f"{_printable(path)}: no hipified file can be written beside it, so builds take it"
                " as it is; make its folder writable, or put it among `ignores`",
                file=sys.stderr,
            )


def show_counts(outcomes: Sequence[Outcome], findings: Sequence[Diagnostic]) -> None:
    """Print the summary that `show_detailed` asks for."""
    for status, number in sorted(Counter(outcome.status for outcome in outcomes).items()):
        print(f"{number:6} {status}")
    for severity, number in sorted(Counter(found.severity for found in findings).items()):
        print(f"{number:6} {severity.value}s, each at its place above")


def _printable(text: str) -> str:
    """Return a text that every stream takes, as one line: names of files need not be text."""
    encoding = sys.stdout.encoding or "utf-8"
    return one_line(text).encode(encoding, "backslashreplace").decode(encoding)
