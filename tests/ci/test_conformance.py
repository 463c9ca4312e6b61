"""The record of real GPUs: what is taken over, what an emulated cell is compared with."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from ci import conformance
from ci.errors import ParityError
from ci.junit import Case, Outcome, Report
from tests.ci.parity_reports import ROCM, ROCM_DEVICE, facts, write


def report(checked: str, target: str = "sm_90", **outcomes: Outcome) -> Report:
    facts = {"cell": f"cuda-{checked}", "platform": "cuda", "checked": checked}
    cases = tuple(Case("tests.parity.test_a", f"test_{n}", o, 0.1) for n, o in outcomes.items())
    return Report(Path("r.xml"), {**facts, "release": "13.0", "target": target}, cases)


PASSED, FAILED, SKIPPED = Outcome.PASSED, Outcome.FAILED, Outcome.SKIPPED


def row(outcome: str, target: str = "sm_90") -> Mapping[str, Mapping[str, str]]:
    return {target: {"outcome": outcome}}


def test_record_when_a_gpu_ran_the_suite() -> None:
    before = {"test_a::test_old": row("passed"), "test_a::test_x": row("passed")}
    rows = conformance.recorded(before, report("device", x=FAILED, y=PASSED, z=SKIPPED))
    assert {test: row["sm_90"]["outcome"] for test, row in rows.items()} == {
        "test_a::test_old": "passed",
        "test_a::test_x": "failed",
        "test_a::test_y": "passed",
    }
    assert rows["test_a::test_y"] == {
        "sm_90": {"outcome": "passed", "cell": "cuda-device", "release": "13.0"}
    }


def test_record_when_another_gpu_ran_the_suite_keeps_both() -> None:
    first = conformance.recorded({}, report("device", "sm_90", x=FAILED, y=PASSED))
    both = conformance.recorded(first, report("device", "sm_80", x=PASSED))
    assert {target: row["outcome"] for target, row in both["test_a::test_x"].items()} == {
        "sm_80": "passed",
        "sm_90": "failed",
    }
    assert conformance.compare(both, report("emulated", "sm_80", x=PASSED)).same
    assert conformance.compare(both, report("emulated", "sm_90", x=PASSED, y=PASSED)).different == (
        "test_a::test_x",
    )


def test_record_when_nothing_ran_on_a_gpu() -> None:
    with pytest.raises(ParityError, match=r"^cell cuda-emulated was emulated; only what ran"):
        conformance.recorded({}, report("emulated", x=PASSED))


def test_comparison_when_a_gpu_decides_otherwise() -> None:
    known = {"test_a::test_x": row("passed"), "test_a::test_y": row("failed")}
    found = conformance.compare(known, report("emulated", x=PASSED, y=PASSED, z=PASSED))
    assert found.same == ("test_a::test_x",)
    assert found.different == ("test_a::test_y",)
    assert found.never == ("test_a::test_z",)
    assert found.missing == ()


def test_comparison_when_a_recorded_test_is_not_in_the_report() -> None:
    known = {"test_a::test_x": row("passed"), "test_a::test_y": row("passed", "sm_80")}
    found = conformance.compare(known, report("emulated", z=PASSED))
    assert found.missing == ("test_a::test_x",)


@pytest.mark.parametrize("checked", ["device", "compiled"])
def test_comparison_when_nothing_was_emulated(checked: str) -> None:
    with pytest.raises(
        ParityError,
        match=rf"^cell cuda-{checked} was {checked}; only what was emulated is compared",
    ):
        conformance.compare({}, report(checked, x=PASSED))


def test_command_when_tests_are_missing_or_otherwise_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(conformance, "FOLDER", tmp_path)
    device = write(tmp_path / "d.xml", facts(ROCM_DEVICE), {"test_x": "p", "test_y": "p"})
    assert conformance.main(["record", str(device)]) == 0
    same = write(tmp_path / "s.xml", facts(ROCM), {"test_x": "p", "test_y": "p", "test_z": "p"})
    assert conformance.main(["show", str(same)]) == 0
    assert capsys.readouterr().out.splitlines()[1:] == [
        f"{ROCM}: 2 as on a GPU, 0 otherwise, 0 missing, 1 never recorded on one"
    ]
    less = write(tmp_path / "l.xml", facts(ROCM), {"test_x": "f"})
    absent = "recorded on a GPU and not in the report; run it, or take it out of the record when it"
    absent += " is no more"
    assert conformance.main(["show", str(less)]) == 1
    assert capsys.readouterr().out.splitlines()[1:] == [
        "  test_a::test_x: otherwise on a GPU",
        f"  test_a::test_y: {absent}",
    ]
    assert conformance.main(["show", str(device)]) == 2


def test_file_when_written_and_read(tmp_path: Path) -> None:
    rows = conformance.recorded({}, report("device", x=PASSED))
    conformance.save("cuda", rows, tmp_path)
    assert conformance.load("cuda", tmp_path) == rows
    assert [path.name for path in tmp_path.iterdir()] == ["cuda.json"]


def test_file_when_it_is_of_another_schema(tmp_path: Path) -> None:
    (tmp_path / "cuda.json").write_text('{"schema_version": 1}')
    with pytest.raises(ParityError, match=r"has schema 1; 2 is read here$"):
        conformance.load("cuda", tmp_path)


def test_own_record_when_read() -> None:
    assert isinstance(conformance.load("cuda"), dict)
