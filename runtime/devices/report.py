"""Findings as text for a person or JSON for a program."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from runtime.devices.record import Finding

SCHEMA_VERSION = 1


def as_json(libraries: Sequence[Finding], platforms: Sequence[Finding]) -> str:
    """Return the findings with `status` "pass" or "fail" in place of `works`."""
    rows = {"libraries": _rows(libraries), "platforms": _rows(platforms)}
    return json.dumps({"schema_version": SCHEMA_VERSION, **rows}, indent=2)


def _rows(findings: Sequence[Finding]) -> list[dict[str, Any]]:
    rows = []
    for finding in findings:
        fields = asdict(finding)
        rows.append({"status": "pass" if fields.pop("works") else "fail", **fields})
    return rows


def as_text(libraries: Sequence[Finding], platforms: Sequence[Finding]) -> str:
    """Return a block per library and platform: the verdict, where it is from, what to do."""
    return "\n".join(_block(finding) for finding in (*libraries, *platforms))


def _block(finding: Finding) -> str:
    verdict = "PASS" if finding.works else "FAIL"
    version = f" {finding.version}" if finding.version else ""
    lines = [f"{verdict}  {finding.name}{version} ({finding.purpose}): {finding.detail}"]
    if finding.path is not None:
        origin = "shared with" if finding.origin == "shared" else "loaded from"
        lines.append(f"      {origin} {finding.path}")
    if finding.help is not None:
        lines.append(f"      help: {finding.help}")
    return "\n".join(lines)
