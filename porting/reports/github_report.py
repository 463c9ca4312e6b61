"""The findings as workflow commands that GitHub shows beside the lines of a pull request."""

from pathlib import PurePath

from porting.diagnostics import Diagnostic, Severity
from porting.reports import text_report
from porting.reports.model import Report

_COMMANDS = {Severity.NOTE: "notice", Severity.WARNING: "warning", Severity.ERROR: "error"}


def render(report: Report) -> str:
    """Return one annotation per finding, then the summary as plain lines."""
    lines = [_annotation(found, report.root) for found in report.diagnostics]
    return "".join(f"{line}\n" for line in (*lines, *text_report.summary(report)))


def _annotation(found: Diagnostic, root: str) -> str:
    properties = {
        "file": str(PurePath(root, found.file)),
        "line": str(found.line),
        "endLine": str(found.last_line),
        "col": str(found.column),
        "title": f"{found.code} {found.topic}",
    }
    listed = ",".join(f"{key}={_property(value)}" for key, value in properties.items())
    text = f"{found.message}\nhelp: {found.help}" if found.help else found.message
    return f"::{_COMMANDS[found.severity]} {listed}::{_data(text)}"


def _data(text: str) -> str:
    """Escape a message as the runner's command parser undoes it."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    """Escape a property, where commas and colons have a meaning too."""
    return _data(text).replace(":", "%3A").replace(",", "%2C")
