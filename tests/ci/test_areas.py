"""Running the suite's areas with real commands, and reading what they report."""

import sys
from pathlib import Path

import pytest

from ci.areas import Area, Outcome, Tally, read_junit, run
from ci.check import closing_line, table

REPORT = """<testsuites><testsuite>
<testcase classname="tests.porting.test_a" name="test_one[1]" time="1.5"/>
<testcase classname="tests.porting.test_a" name="test_one[2]" time="0.5"><failure/></testcase>
<testcase classname="tests.runtime.test_b" name="test_two" time="0.25"><skipped/></testcase>
<testcase classname="tests.test_house" name="test_three" time="0"><error/></testcase>
<testcase classname="test_core" name="it closes" time="0.1"/>
</testsuite></testsuites>"""


def python(code: str) -> list[str]:
    """Return the command that runs a line of Python."""
    return [sys.executable, "-c", code]


def test_run_when_every_command_succeeds(tmp_path: Path) -> None:
    area = Area("good", (python("open('a', 'w')"), python("open('a')")))
    outcome = run(area, tmp_path)
    assert (outcome.ok, outcome.folders) == (True, {})
    assert outcome.seconds > 0


def test_run_when_the_first_command_fails(tmp_path: Path) -> None:
    area = Area("bad", (python("raise SystemExit(1)"), python("open('a', 'w')")))
    assert run(area, tmp_path).ok is False
    assert not (tmp_path / "a").exists()


def test_run_when_a_program_is_missing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(Area("absent", (["no-such-program"],)), tmp_path).ok is False
    assert capsys.readouterr().out.startswith("no-such-program could not be run: ")


def test_run_when_the_report_is_not_written(tmp_path: Path) -> None:
    """An old report must not pass for a new one."""
    report = tmp_path / "report.xml"
    report.write_text(REPORT)
    outcome = run(Area("tests", (python("pass"),), report), tmp_path)
    assert (outcome.ok, outcome.folders) == (False, {})


def test_run_when_the_report_is_written(tmp_path: Path) -> None:
    source, report = tmp_path / "source.xml", tmp_path / "report.xml"
    source.write_text(REPORT)
    copy = python("import shutil; shutil.copy('source.xml', 'report.xml')")
    outcome = run(Area("tests", (copy,), report), tmp_path)
    assert outcome.ok is True
    assert set(outcome.folders) == {"tests/porting", "tests/runtime", "tests/test_house", "tests"}


def test_report_when_summed_by_folder(tmp_path: Path) -> None:
    report = tmp_path / "report.xml"
    report.write_text(REPORT)
    folders = read_junit(report, "c++ tests")
    assert folders["tests/porting"] == Tally(
        passed=1, failed=1, seconds=2.0, functions=frozenset({"tests.porting.test_a.test_one"})
    )
    assert (folders["tests/runtime"].skipped, folders["tests/runtime"].passed) == (1, 0)
    assert folders["tests/test_house"].failed == 1
    assert folders["c++ tests"].passed == 1


def test_closing_when_areas_and_tests_are_mixed() -> None:
    area = Area("any", ())
    tests = {"a": Tally(passed=5, failed=1, skipped=2), "b": Tally(passed=3)}
    outcomes = [
        Outcome(area, ok=True, seconds=1.0),
        Outcome(area, ok=False, seconds=1.0),
        Outcome(area, ok=False, seconds=1.0, folders=tests),
    ]
    assert closing_line(outcomes) == "checks: 9 passed, 2 failed, 2 skipped"


def test_table_when_an_area_failed() -> None:
    tests = {"tests/b": Tally(passed=1, seconds=4.0), "tests/a": Tally(failed=1)}
    outcomes = [
        Outcome(Area("lint", ()), ok=True, seconds=1.25),
        Outcome(Area("python tests", ()), ok=False, seconds=3.0, folders=tests),
    ]
    assert table(outcomes, 4.5).splitlines() == [
        "area                              result    seconds",
        "lint                              ok            1.2",
        "python tests                      FAILED        3.0",
        "  tests/a                         FAILED        0.0  (sum of 1 tests)",
        "  tests/b                         ok            4.0  (sum of 1 tests)",
        "total                                           4.5",
        "2 tests from 0 functions",
        "failed areas: python tests",
    ]
