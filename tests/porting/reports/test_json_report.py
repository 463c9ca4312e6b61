"""The JSON report and its schema."""

import json
from importlib import resources
from typing import Any

import jsonschema
import pytest

from porting.diagnostics import Diagnostic
from porting.reports import Report, render


@pytest.fixture(scope="module")
def schema() -> Any:  # noqa: ANN401 - a JSON document
    return json.loads((resources.files("porting.reports") / "report.schema.json").read_text())


def test_schema_is_one(schema: Any) -> None:  # noqa: ANN401
    jsonschema.Draft202012Validator.check_schema(schema)


@pytest.mark.parametrize("which", ["report", "clean", "unavailable"])
def test_json_fits_its_schema(
    schema: Any,  # noqa: ANN401
    which: str,
    request: pytest.FixtureRequest,
) -> None:
    text = render(request.getfixturevalue(which), "json")
    jsonschema.Draft202012Validator(schema).validate(json.loads(text))


def test_schema_knows_every_field_of_a_diagnostic(schema: Any, report: Report) -> None:  # noqa: ANN401
    written = set(report.diagnostics[0].to_json())
    described = schema["$defs"]["diagnostic"]
    assert written == set(described["properties"]) == set(described["required"])


def test_json_says_what_the_run_found(report: Report, diagnostics: tuple[Diagnostic, ...]) -> None:
    found = json.loads(render(report, "json"))
    assert found["schema_version"] == 1
    assert found["target"] == {"rocm": "7.1", "archs": ["gfx90a", "gfx1100"]}
    assert found["exit_code"] == 1
    assert found["diagnostics"][0] == {
        "file": "src/a <b>.cu",
        "line": 2,
        "column": 3,
        "code": "ABC001",
        "topic": "first-topic",
        "severity": "error",
        "message": "broken: 100%, really",
        "help": "mend it",
        "symbol": "cudaX",
        "end_line": 2,
        "rewritten": False,
    }
    assert len(found["diagnostics"]) == len(diagnostics)
    assert [(d["line"], d["by"]) for d in found["suppressed"]] == [
        (5, "comment"),
        (6, "configuration"),
    ]


def test_json_summary_counts_files_severities_and_stages(report: Report) -> None:
    summary = json.loads(render(report, "json"))["summary"]
    assert summary["files"] == {"total": 3, "changed": 2, "unchanged": 0, "copied": 1, "link": 0}
    assert (summary["automatic"], summary["manual"]) == (5, 1)
    assert summary["diagnostics"] == {"error": 1, "warning": 1, "note": 1}
    assert list(summary["stages"]) == ["port", "host syntax", "device code"]
    assert summary["stages"]["device code"] == {
        "state": "ran",
        "verified": 1,
        "failed": 1,
        "not_verified": 0,
        "suppressed": 0,
    }


def test_json_gives_the_reason_when_a_stage_is_unavailable(unavailable: Report) -> None:
    found = json.loads(render(unavailable, "json"))
    assert found["exit_code"] == 2
    assert found["summary"]["stages"]["host syntax"]["reason"] == "no clang"


def test_json_lists_the_verdicts_of_a_file(report: Report) -> None:
    file = json.loads(render(report, "json"))["files"][2]
    assert (file["path"], file["status"], file["lines"]) == ("src/a <b>.cu", "changed", 10)
    assert file["verify"][2] == {
        "stage": "device code",
        "arch": "gfx1100",
        "outcome": "failed",
        "detail": "1 error",
    }
