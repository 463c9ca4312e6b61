"""SARIF for code scanning services."""

import json
from dataclasses import replace
from typing import Any
from urllib.parse import unquote

import jsonschema
import pytest

from porting.reports import Report, render

# The parts of SARIF 2.1.0 that we write, with what its schema asks of them.
_TEXT = {"type": "object", "required": ["text"], "properties": {"text": {"type": "string"}}}
_LEVEL = {"enum": ["none", "note", "warning", "error"]}
_SHAPE: dict[str, Any] = {
    "type": "object",
    "required": ["version", "runs"],
    "properties": {
        "version": {"const": "2.1.0"},
        "$schema": {"type": "string", "format": "uri"},
        "runs": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["tool", "results"],
                "properties": {
                    "columnKind": {"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
                    "tool": {
                        "required": ["driver"],
                        "properties": {
                            "driver": {
                                "required": ["name", "rules"],
                                "properties": {
                                    "rules": {
                                        "uniqueItems": True,
                                        "items": {
                                            "required": ["id", "shortDescription"],
                                            "properties": {
                                                "shortDescription": _TEXT,
                                                "fullDescription": _TEXT,
                                                "defaultConfiguration": {
                                                    "properties": {"level": _LEVEL}
                                                },
                                            },
                                        },
                                    }
                                },
                            }
                        },
                    },
                    "invocations": {
                        "items": {
                            "required": ["executionSuccessful"],
                            "properties": {"exitCode": {"type": "integer"}},
                        }
                    },
                    "results": {
                        "items": {
                            "required": ["message", "ruleId", "locations"],
                            "properties": {
                                "message": _TEXT,
                                "level": _LEVEL,
                                "suppressions": {
                                    "items": {
                                        "properties": {"kind": {"enum": ["inSource", "external"]}}
                                    }
                                },
                            },
                        }
                    },
                },
            },
        },
    },
}


def _run(report: Report) -> Any:  # noqa: ANN401 - a JSON document
    return json.loads(render(report, "sarif"))["runs"][0]


@pytest.mark.parametrize("which", ["report", "clean", "unavailable"])
def test_sarif_has_the_shape_of_the_standard(which: str, request: pytest.FixtureRequest) -> None:
    text = render(request.getfixturevalue(which), "sarif")
    jsonschema.Draft202012Validator(_SHAPE).validate(json.loads(text))


def test_sarif_results_point_at_their_rule_and_place(report: Report) -> None:
    run = _run(report)
    first = run["results"][0]
    assert run["tool"]["driver"]["rules"][first["ruleIndex"]]["id"] == first["ruleId"] == "ABC001"
    place = first["locations"][0]["physicalLocation"]
    assert place["region"] == {"startLine": 2, "startColumn": 3, "endLine": 2}
    assert place["artifactLocation"]["uri"] == "in/src/a%20%3Cb%3E.cu"
    assert unquote(place["artifactLocation"]["uri"]) == "in/src/a <b>.cu"
    assert [r["level"] for r in run["results"][:3]] == ["error", "warning", "note"]


def test_sarif_uses_a_file_uri_when_the_input_was_named_absolutely(report: Report) -> None:
    place = _run(replace(report, root="/in"))["results"][0]["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "file:///in/src/a%20%3Cb%3E.cu"


def test_sarif_marks_what_was_taken_out(report: Report) -> None:
    kinds = [r["suppressions"][0]["kind"] for r in _run(report)["results"] if "suppressions" in r]
    assert kinds == ["inSource", "external"]


def test_sarif_says_so_when_a_stage_was_unavailable(unavailable: Report, clean: Report) -> None:
    invocation = _run(unavailable)["invocations"][0]
    assert not invocation["executionSuccessful"]
    assert invocation["exitCode"] == 2
    assert "no clang" in invocation["toolExecutionNotifications"][0]["message"]["text"]
    assert _run(clean)["invocations"][0]["executionSuccessful"]
