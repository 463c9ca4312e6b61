"""Annotations that a GitHub workflow shows."""

import re

from porting.reports import Report, render


def _undone(text: str) -> str:
    """Undo the escapes as GitHub's runner does."""
    for escaped, plain in (("%3A", ":"), ("%2C", ","), ("%0D", "\r"), ("%0A", "\n"), ("%25", "%")):
        text = text.replace(escaped, plain)
    return text


def test_github_escapes_what_has_a_meaning(report: Report) -> None:
    line = render(report, "github").splitlines()[0]
    assert line == (
        "::error file=in/src/a <b>.cu,line=2,endLine=2,col=3,title=ABC001 first-topic"
        "::broken: 100%25, really%0Ahelp: mend it"
    )
    assert _undone(line.split("::")[2]) == "broken: 100%, really\nhelp: mend it"


def test_github_uses_a_command_per_severity(report: Report) -> None:
    commands = re.findall(r"^::(\w+) ", render(report, "github"), re.MULTILINE)
    assert commands == ["error", "warning", "notice"]


def test_github_escapes_commas_and_colons_of_a_path(report: Report) -> None:
    from dataclasses import replace

    odd = replace(report.diagnostics[0], file="a,b:c.cu")
    line = render(replace(report, diagnostics=(odd,)), "github").splitlines()[0]
    assert line.startswith("::error file=in/a%2Cb%3Ac.cu,line=2,")


def test_github_ends_with_the_summary(clean: Report) -> None:
    lines = render(clean, "github").splitlines()
    assert lines[2].startswith("1 file: 1 changed")
