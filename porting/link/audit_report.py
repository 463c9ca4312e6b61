"""An audit as text and as JSON, which `audit.schema.json` describes and tools may rely on."""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, Final

from porting.diagnostics import Diagnostic, Severity, one_line
from porting.elf import DeviceCode
from porting.link.audit import Audit, Audited

SCHEMA_VERSION: Final = 1


def to_json(audit: Audit) -> dict[str, Any]:
    """Return an audit as plain values."""
    question = audit.question
    return {
        "schema_version": SCHEMA_VERSION,
        "target": {
            "platform": question.platform or None,
            "rocm": question.rocm,
            "archs": list(question.archs),
        },
        "exit_code": audit.exit_code,
        "summary": _counts(audit),
        "files": [_file(file) for file in audit.files],
        "not_examined": [
            {"path": finding.file, **_finding(finding.to_json())} for finding in audit.not_examined
        ],
        "unreadable": [{"path": path, "reason": why} for path, why in audit.unreadable],
    }


def _counts(audit: Audit) -> dict[str, int]:
    counted = Counter(finding.severity for finding in audit.findings)
    return {severity.value: counted[severity] for severity in Severity}


def _file(audited: Audited) -> dict[str, Any]:
    file = audited.file
    return {
        "path": file.name,
        "kind": file.kind.value,
        "machine": file.machine,
        "follows": audited.follows.value,
        "soname": file.soname or None,
        "needed": [{"name": name, "path": path} for name, path in audited.places.items()],
        "rpath": None if file.rpath is None else list(file.rpath),
        "runpath": None if file.runpath is None else list(file.runpath),
        "symbol_versions": {name: list(v) for name, v in file.version_needs.items()},
        "device_code": [_code(code) for code in file.device_code],
        "opens": list(file.libraries),
        "position_independent": not file.fixed_places and not file.text_relocations,
        "findings": [_finding(finding.to_json()) for finding in audited.findings],
    }


def _code(code: DeviceCode) -> dict[str, Any]:
    return {
        "section": code.section,
        "platform": code.platform,
        "targets": list(code.targets),
        "unreadable": code.unreadable or None,
    }


def _finding(fields: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of a finding; a built file has no lines."""
    kept = ("code", "topic", "severity", "message", "help", "symbol")
    return {name: fields[name] for name in kept}


def to_text(audit: Audit) -> str:
    """Return an audit as people read it: each file, then what is wrong with it.

    Why a file could not be read is left to the command, which has a place for errors.
    """
    lines = [line for file in audit.files for line in (*_told(file), "")]
    lines += [*_not_examined(audit.not_examined), ""] if audit.not_examined else []
    counts = _counts(audit)
    files = len(audit.files)
    parts = [_counted(files, "file")]
    parts += [_counted(number, name) for name, number in reversed(counts.items()) if number]
    parts += [f"{len(audit.unreadable)} not read"] if audit.unreadable else []
    lines.append(", ".join(parts))
    return "".join(f"{one_line(line)}\n" for line in lines)


def _counted(number: int, what: str) -> str:
    return f"{number} {what}" + ("" if number == 1 else "s")


def _told(audited: Audited) -> Iterator[str]:
    file = audited.file
    yield f"{file.name}: {file.kind.value}, {file.machine}, follows {audited.follows.value}"
    if file.soname:
        yield f"  SONAME   {file.soname}"
    label = "needs"
    for name, path in audited.places.items():
        yield f"  {label:8} {name} => {path or 'not found'}"
        label = ""
    for label, folders in (("RPATH", file.rpath), ("RUNPATH", file.runpath)):
        if folders is not None:
            yield f"  {label:8} {':'.join(folders)}"
    for text, number in Counter(map(_described, file.device_code)).items():
        yield f"  device   {text}" + (f" ({number} bundles)" if number > 1 else "")
    if file.libraries:
        yield f"  opens    {' '.join(file.libraries)}"
    for finding in audited.findings:
        yield from _said(finding, "  ")


def _not_examined(findings: Iterable[Diagnostic]) -> Iterator[str]:
    for finding in findings:
        yield from _said(finding, f"{finding.file}: ")


def _said(finding: Diagnostic, before: str) -> Iterator[str]:
    yield f"{before}{finding.code} {finding.severity.value}: {finding.message}"
    if finding.help:
        yield f"    help: {finding.help}"


def _described(code: DeviceCode) -> str:
    return f"{code.section}: {code.unreadable or ' '.join(code.targets) or 'no code'}"
