"""The report as JSON, as `report.schema.json` describes it; tools may rely on it."""

import json
from typing import Any

from porting.reports.model import SCHEMA_VERSION, FileReport, Report, Stage, State, Status


def render(report: Report) -> str:
    """Return the report as JSON text."""
    return json.dumps(to_json(report), indent=1) + "\n"


def to_json(report: Report) -> dict[str, Any]:
    """Return the report as plain values."""
    target = report.target
    return {
        "schema_version": SCHEMA_VERSION,
        "source": report.source,
        "output": report.output,
        "mode": report.mode.value,
        "target": {"rocm": target.rocm, "archs": list(target.archs)},
        "exit_code": report.exit_code,
        "summary": _summary(report),
        "files": [_file(file) for file in report.files],
        "diagnostics": [d.to_json() for d in report.diagnostics],
        "suppressed": [
            *(d.to_json() | {"by": "comment"} for d in report.suppressed),
            *(d.to_json() | {"by": "configuration"} for d in report.ignored),
        ],
    }


def _summary(report: Report) -> dict[str, Any]:
    return {
        "files": {"total": len(report.files)} | {s.value: report.count(s) for s in Status},
        "automatic": report.automatic,
        "manual": report.manual,
        "diagnostics": {severity.value: n for severity, n in report.severities.items()},
        "stages": {stage.name: _stage(stage) for stage in report.stages},
    }


def _stage(stage: Stage) -> dict[str, Any]:
    fields: dict[str, Any] = {"state": stage.state.value}
    if stage.state is not State.RAN:
        fields["reason"] = stage.reason
    if stage.note:
        fields["note"] = stage.note
    return fields | {
        "verified": stage.verified,
        "failed": stage.failed,
        "not_verified": stage.not_verified,
        "suppressed": stage.suppressed,
    }


def _file(file: FileReport) -> dict[str, Any]:
    return {
        "path": file.path,
        "output": file.output,
        "status": file.status.value,
        "lines": file.lines,
        "automatic": file.automatic,
        "manual": file.manual,
        "verify": [
            {"stage": v.stage, "arch": v.arch, "outcome": v.outcome.value, "detail": v.detail}
            for v in file.verdicts
        ],
    }
