"""Findings as text for a person or JSON for a program."""

import json
from collections.abc import Sequence
from dataclasses import asdict

from runtime.devices.record import Finding

SCHEMA_VERSION = 1


def as_json(findings: Sequence[Finding]) -> str:
    """Return the findings with `status` "pass" or "fail" in place of `works`."""
    rows = []
    for finding in findings:
        fields = asdict(finding)
        rows.append({"status": "pass" if fields.pop("works") else "fail", **fields})
    return json.dumps({"schema_version": SCHEMA_VERSION, "libraries": rows}, indent=2)


def as_text(findings: Sequence[Finding]) -> str:
    """Return a block per library: the verdict, then where it is from, then what to do."""
    return "\n".join(_block(finding) for finding in findings)


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
