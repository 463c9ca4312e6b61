"""Findings as text and as JSON, without a process."""

import json

from runtime.devices.record import Finding
from runtime.devices.report import as_json, as_text

WORKS = Finding("liba", "an a", works=True, detail="fine", path="/l/liba.so", origin="shared")
NONE = Finding("a", "A devices", works=False, detail="no driver")
FAILS = Finding("libb", "a b", works=False, detail="broken", version="1.2", help="mend it")


def test_text_when_shared_and_when_failed() -> None:
    assert as_text([WORKS, FAILS], [NONE]) == (
        "PASS  liba (an a): fine\n"
        "      shared with /l/liba.so\n"
        "FAIL  libb 1.2 (a b): broken\n"
        "      help: mend it\n"
        "FAIL  a (A devices): no driver"
    )


def test_json_when_read_back() -> None:
    document = json.loads(as_json([WORKS, FAILS], [NONE]))
    assert document["schema_version"] == 1
    assert [row["status"] for row in document["libraries"]] == ["pass", "fail"]
    assert [row["detail"] for row in document["platforms"]] == ["no driver"]
    assert document["libraries"][1] == {
        "status": "fail",
        "name": "libb",
        "purpose": "a b",
        "detail": "broken",
        "path": None,
        "origin": None,
        "version": "1.2",
        "help": "mend it",
    }
