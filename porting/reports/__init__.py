"""A run's findings as text, JSON, SARIF, GitHub annotations or an HTML page."""

import importlib

from porting.reports.model import (
    PORT,
    FileReport,
    Outcome,
    Report,
    Stage,
    State,
    Status,
    Verdict,
    manual_lines,
)

FORMATS = ("text", "json", "sarif", "github", "html")

__all__ = [
    "FORMATS",
    "PORT",
    "FileReport",
    "Outcome",
    "Report",
    "Stage",
    "State",
    "Status",
    "Verdict",
    "manual_lines",
    "render",
]


def render(report: Report, form: str, *, colour: bool = False) -> str:
    """Return a report in one of FORMATS; only text has colours."""
    if form == "text":
        from porting.reports import text_report

        return text_report.render(report, colour=colour)
    module = importlib.import_module(f"porting.reports.{form}_report")
    text: str = module.render(report)
    return text
