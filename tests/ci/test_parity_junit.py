"""JUnit files of cells: stamped whole or not at all, and errors that name the cell."""

from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from ci.errors import ParityError
from ci.junit import REVISION, Outcome, read, stamp
from tests.ci.parity_reports import ROCM, facts, write

PYTEST = """<?xml version="1.0" encoding="utf-8"?>
<testsuites name="pytest tests"><testsuite name="pytest" tests="5">
<properties><property name="own" value="1"/></properties>
<testcase classname="tests.parity.test_a" name="test_p" time="0.25"/>
<testcase classname="tests.parity.test_a" name="test_f" time="1"><failure message="assert 1 ==
  2">a long story</failure></testcase>
<testcase classname="tests.parity.test_a" name="test_e" time="1"><error message="failed on setup"/>
</testcase>
<testcase classname="tests.parity.test_a" name="test_s" time="0"><skipped type="pytest.skip"
  message="no &lt;GPU&gt;">place: no GPU</skipped></testcase>
<testcase classname="tests.parity.test_a" name="test_x" time="0"><skipped type="pytest.xfail"
  message=""/></testcase>
</testsuite></testsuites>"""


def test_report_when_stamped_and_read(tmp_path: Path) -> None:
    source, target = tmp_path / "s.xml", tmp_path / "reports" / "t.xml"
    source.write_text(PYTEST)
    assert stamp(source, target, facts(ROCM, "7.1.1")) == 5
    report = read(target)
    assert report.facts == facts(ROCM, "7.1.1")
    assert report.revision == ""
    said = [(case.name, case.outcome, case.seconds, case.message) for case in report.cases]
    assert said == [
        ("test_p", Outcome.PASSED, 0.25, ""),
        ("test_f", Outcome.FAILED, 1.0, "assert 1 == 2"),
        ("test_e", Outcome.FAILED, 1.0, "failed on setup"),
        ("test_s", Outcome.SKIPPED, 0.0, "no <GPU>"),
        ("test_x", Outcome.SKIPPED, 0.0, ""),
    ]
    assert report.cases[1].detail == "a long story"
    assert [p.get("name") for p in ET.parse(target).iter("property")][-1] == "own"  # noqa: S314
    assert list(target.parent.iterdir()) == [target]


def test_report_when_pytest_gave_it_no_properties(tmp_path: Path) -> None:
    source, target = tmp_path / "s.xml", tmp_path / "t.xml"
    bare = PYTEST.replace('<properties><property name="own" value="1"/></properties>', "")
    source.write_text(bare)
    assert (stamp(source, target, facts(ROCM)), read(target).facts) == (5, facts(ROCM))


def test_report_when_its_run_knew_the_revision(tmp_path: Path) -> None:
    source, target = tmp_path / "s.xml", tmp_path / "t.xml"
    source.write_text(PYTEST)
    stamp(source, target, {**facts(ROCM), REVISION: "abc"})
    assert (read(target).revision, read(target).facts) == ("abc", facts(ROCM))


def test_report_when_what_a_test_says_is_long(tmp_path: Path) -> None:
    source, target = tmp_path / "s.xml", tmp_path / "t.xml"
    source.write_text(
        PYTEST.replace("assert 1", "x" * 5000).replace("a long story", "y" * 9000 + "z")
    )
    stamp(source, target, facts(ROCM))
    failed = read(target).cases[1]
    assert (len(failed.message), failed.message[-1]) == (400, "…")
    assert (len(failed.detail), failed.detail[-1]) == (6000, "z")


def test_stamp_when_pytest_wrote_nothing(tmp_path: Path) -> None:
    source, target = tmp_path / "s.xml", tmp_path / "t.xml"
    with pytest.raises(
        ParityError, match=rf"^cell {ROCM}: no report at {source}; its run was ended before"
    ):
        stamp(source, target, facts(ROCM))
    assert not target.exists()


@pytest.mark.parametrize("share", [0.0, 0.3, 0.9, 0.99])
def test_stamp_when_the_report_is_cut_off(share: float, tmp_path: Path) -> None:
    source, target = tmp_path / "s.xml", tmp_path / "t.xml"
    source.write_text(PYTEST[: int(len(PYTEST) * share)])
    with pytest.raises(ParityError, match=rf"^cell {ROCM}: {source} is no whole report: "):
        stamp(source, target, facts(ROCM))
    assert not target.exists()


@pytest.mark.parametrize("text", ["<testsuites/>", "<testsuites><testsuite/></testsuites>"])
def test_stamp_when_no_test_ran(text: str, tmp_path: Path) -> None:
    source = tmp_path / "s.xml"
    source.write_text(text)
    with pytest.raises(
        ParityError, match=rf"^cell {ROCM}: {source} has no test in it; none was run$"
    ):
        stamp(source, tmp_path / "t.xml", facts(ROCM))


def test_read_when_the_file_is_missing(tmp_path: Path) -> None:
    """Its name is all that tells the cell then."""
    with pytest.raises(
        ParityError, match=r"^cell gfx: no report at .*/gfx\.xml; its run was ended"
    ):
        read(tmp_path / "gfx.xml")


@pytest.mark.parametrize("cut", [1, 100])
def test_read_when_the_file_is_cut_off(cut: int, tmp_path: Path) -> None:
    """What is left of it tells the cell."""
    path = write(tmp_path / "t.xml", facts(ROCM), {"test_x": "p", "test_y": "p"})
    path.write_text(path.read_text()[:-cut])
    with pytest.raises(ParityError, match=rf"^cell {ROCM}: {path} is no whole report: "):
        read(path)


def test_read_when_the_file_is_no_cells(tmp_path: Path) -> None:
    path = tmp_path / "t.xml"
    path.write_text(PYTEST)
    with pytest.raises(
        ParityError,
        match=r"^.*/t\.xml does not say its cell, platform, toolkit, release, target, wave, "
        r"python, checked; reports of cells come from `python -m ci\.run CELL --junit FILE`$",
    ):
        read(path)


def test_read_when_the_file_has_no_test(tmp_path: Path) -> None:
    path = write(tmp_path / "t.xml", facts(ROCM), {})
    with pytest.raises(ParityError, match=rf"^cell {ROCM}: {path} has no test in it$"):
        read(path)
