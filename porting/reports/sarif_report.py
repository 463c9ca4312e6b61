"""The report as SARIF 2.1.0, for code scanning services and editors.

Source: OASIS, Static Analysis Results Interchange Format (SARIF) Version 2.1.0.
"""

import json
import os
from pathlib import PurePath
from typing import Any
from urllib.parse import quote

from porting import __version__
from porting.diagnostics import Code, Diagnostic
from porting.reports.model import Report, State

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/schemas/sarif-schema-2.1.0.json"


def render(report: Report) -> str:
    """Return the report as SARIF text."""
    return json.dumps(to_sarif(report), indent=1) + "\n"


def to_sarif(report: Report) -> dict[str, Any]:
    """Return the report as one SARIF run; suppressed findings are results with a suppression."""
    numbers = {code.code: number for number, code in enumerate(report.codes)}
    results = [_result(d, report.root, numbers) for d in report.diagnostics]
    for kind, found in (("inSource", report.suppressed), ("external", report.ignored)):
        taken_out = {"suppressions": [{"kind": kind}]}
        results += [_result(d, report.root, numbers) | taken_out for d in found]
    run = {
        "tool": {"driver": _driver(report.codes)},
        "columnKind": "unicodeCodePoints",
        "invocations": [_invocation(report)],
        "results": results,
    }
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}


# The names of our severities are those of SARIF's levels.
def _driver(codes: tuple[Code, ...]) -> dict[str, Any]:
    rules = [
        {
            "id": code.code,
            "shortDescription": {"text": code.title},
            "fullDescription": {"text": code.explanation},
            "defaultConfiguration": {"level": code.severity.value},
            "properties": {"tags": [code.topic]},
        }
        for code in codes
    ]
    return {"name": "porting", "version": __version__, "rules": rules}


def _invocation(report: Report) -> dict[str, Any]:
    notices = [
        {
            "level": "error",
            "message": {"text": f"stage {stage.name} is unavailable: {stage.reason}"},
        }
        for stage in report.stages
        if stage.state is State.UNAVAILABLE
    ]
    return {
        "executionSuccessful": not notices,
        "exitCode": report.exit_code,
        "toolExecutionNotifications": notices,
    }


def _result(found: Diagnostic, root: str, numbers: dict[str, int]) -> dict[str, Any]:
    text = f"{found.message}\n{found.help}" if found.help else found.message
    region = {
        "startLine": found.line,
        "startColumn": found.column,
        "endLine": found.last_line,
    }
    place = {"artifactLocation": {"uri": _uri(root, found.file)}, "region": region}
    result: dict[str, Any] = {
        "ruleId": found.code,
        "level": found.severity.value,
        "message": {"text": text},
        "locations": [{"physicalLocation": place}],
    }
    if found.code in numbers:
        result["ruleIndex"] = numbers[found.code]
    return result


def _uri(root: str, path: str) -> str:
    """Return a relative reference, or a file URI where the input was named absolutely."""
    whole = PurePath(root, path)
    text = quote(os.fsencode(whole.as_posix()))
    return f"file://{text}" if whole.is_absolute() else text
