"""The record of real GPUs: what is taken over, what an emulated cell is compared with."""

from pathlib import Path

import pytest

from ci import conformance
from ci.errors import ParityError
from ci.junit import Case, Outcome, Report


def report(checked: str, **outcomes: Outcome) -> Report:
    facts = {"cell": f"cuda-{checked}", "platform": "cuda", "checked": checked}
    cases = tuple(Case("tests.parity.test_a", f"test_{n}", o, 0.1) for n, o in outcomes.items())
    return Report({**facts, "release": "13.0", "target": "sm_90"}, cases)


PASSED, FAILED, SKIPPED = Outcome.PASSED, Outcome.FAILED, Outcome.SKIPPED


def test_record_when_a_gpu_ran_the_suite() -> None:
    before = {"test_a::test_old": {"outcome": "passed"}, "test_a::test_x": {"outcome": "passed"}}
    rows = conformance.recorded(before, report("device", x=FAILED, y=PASSED, z=SKIPPED))
    assert {test: row["outcome"] for test, row in rows.items()} == {
        "test_a::test_old": "passed",
        "test_a::test_x": "failed",
        "test_a::test_y": "passed",
    }
    assert rows["test_a::test_y"]["target"] == "sm_90"


def test_record_when_nothing_ran_on_a_gpu() -> None:
    with pytest.raises(ParityError, match=r"^cell cuda-emulated was emulated; only what ran"):
        conformance.recorded({}, report("emulated", x=PASSED))


def test_comparison_when_a_gpu_decides_otherwise() -> None:
    known = {"test_a::test_x": {"outcome": "passed"}, "test_a::test_y": {"outcome": "failed"}}
    found = conformance.compare(known, report("emulated", x=PASSED, y=PASSED, z=PASSED))
    assert found.same == ("test_a::test_x",)
    assert found.different == ("test_a::test_y",)
    assert found.never == ("test_a::test_z",)


def test_file_when_written_and_read(tmp_path: Path) -> None:
    rows = conformance.recorded({}, report("device", x=PASSED))
    conformance.save("cuda", rows, tmp_path)
    assert conformance.load("cuda", tmp_path) == rows
    assert [path.name for path in tmp_path.iterdir()] == ["cuda.json"]


def test_file_when_it_is_of_another_schema(tmp_path: Path) -> None:
    (tmp_path / "cuda.json").write_text('{"schema_version": 9}')
    with pytest.raises(ParityError, match=r"has schema 9; 1 is read here$"):
        conformance.load("cuda", tmp_path)


def test_own_record_when_read() -> None:
    assert isinstance(conformance.load("cuda"), dict)
