"""Joining reports: rows that meet, what is missing, and what the platforms say together."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ci.cells import PLATFORMS
from ci.errors import ParityError
from ci.joining import Kind, Verdict, area, join, row_name
from ci.junit import Case, Outcome, Report
from tests.ci.parity_reports import (
    CUDA,
    CUDA_COMPILED,
    ROCM,
    ROCM_32,
    ROCM_COMPILED,
    ROCM_DEVICE,
    facts,
    report,
    table,
)


@pytest.mark.parametrize(
    ("place", "name", "expected"),
    [
        ("tests.parity.test_a", "test_x", "test_a::test_x"),
        ("tests.parity.test_a", "test_x[rocm]", "test_a::test_x"),
        ("tests.parity.test_a", "test_x[rocm-4]", "test_a::test_x[4]"),
        ("tests.parity.test_a", "test_x[4-rocm-f16]", "test_a::test_x[4-f16]"),
        ("tests.parity.test_a", "test_x[rocm-7.1-rocmlike]", "test_a::test_x[7.1-rocmlike]"),
        ("tests.parity.test_a", "test_x[cuda-4]", "test_a::test_x[cuda-4]"),
        ("tests.parity.test_a", "test_x[4]@ipc", "test_a::test_x[4]"),
        ("tests.parity.test_a", "test_x[a@b]", "test_a::test_x[a@b]"),
        ("tests.parity.test_a", "test_x[a[0]-b]@ipc", "test_a::test_x[a[0]-b]"),
        ("tests.parity.test_a", "test_x@ipc", "test_a::test_x"),
        ("tests.parity.test_a.TestAll", "test_x", "test_a::TestAll::test_x"),
        ("tests.parity.kernels.test_a", "test_x", "kernels/test_a::test_x"),
        ("test_a", "test_x", "test_a::test_x"),
        ("", "tests.parity.kernels.test_a", "kernels/test_a::(collection)"),
    ],
)
def test_row_when_a_test_is_named(place: str, name: str, expected: str) -> None:
    assert row_name(place, name, "rocm") == expected


def test_area_when_tests_are_in_folders() -> None:
    assert area("kernels/test_scan::test_x") == "kernels"
    assert area("test_streams::TestAll::test_x[a/b]") == "streams"


@pytest.mark.parametrize(
    ("letters", "cuda", "rocm", "verdict"),
    [
        ("ppp", "passed", "passed", Verdict.PASSED),
        ("pff", "passed", "failed", Verdict.DIFFERS),
        ("pfp", "passed", "failed", Verdict.DIFFERS),
        ("ppf", "passed", "failed", Verdict.DIFFERS),
        ("fpp", "failed", "passed", Verdict.DIFFERS),
        ("pss", "passed", "skipped", Verdict.DIFFERS),
        ("pps", "passed", "skipped", Verdict.DIFFERS),
        ("spp", "skipped", "passed", Verdict.DIFFERS),
        ("p--", "passed", "missing", Verdict.DIFFERS),
        ("pp-", "passed", "missing", Verdict.DIFFERS),
        ("-pp", "missing", "passed", Verdict.DIFFERS),
        ("fff", "failed", "failed", Verdict.FAILED),
        ("fps", "failed", "skipped", Verdict.FAILED),
        ("f--", "failed", "missing", Verdict.FAILED),
        ("sff", "skipped", "failed", Verdict.FAILED),
        ("s--", "skipped", "missing", Verdict.FAILED),
        ("sss", "skipped", "skipped", Verdict.SKIPPED),
        ("sps", "skipped", "skipped", Verdict.SKIPPED),
    ],
)
def test_verdict_when_the_platforms_say(
    letters: str, cuda: str, rocm: str, verdict: Verdict
) -> None:
    (row,) = table(test_x=letters).rows
    assert (row.platforms, row.verdict) == ({"cuda": cuda, "rocm": rocm}, verdict)


def test_join_when_cells_are_checked_in_different_ways() -> None:
    """Each entry keeps how it was checked, and tests that compile have only such cells."""
    runs = {"test_x": "p"}
    joined = join(
        [
            report(CUDA, runs),
            report(ROCM, runs),
            report(ROCM_DEVICE, runs),
            report(CUDA_COMPILED, {"test_c": "p"}),
            report(ROCM_COMPILED, {"test_c": "p"}),
        ]
    )
    assert [column.cell for column in joined.columns] == [
        *(ROCM_DEVICE, CUDA, ROCM, CUDA_COMPILED, ROCM_COMPILED)
    ]
    compiled, ran = sorted(joined.rows, key=lambda row: row.kind)
    assert set(ran.entries) == {CUDA, ROCM, ROCM_DEVICE}
    assert ran.checked == {"cuda": "emulated", "rocm": "device+emulated"}
    assert set(compiled.entries) == {CUDA_COMPILED, ROCM_COMPILED}
    assert compiled.checked == {"cuda": "compiled", "rocm": "compiled"}
    assert joined.evidence == {("emulated", "device+emulated"): 1, ("compiled", "compiled"): 1}
    columns, rows = joined.of_kind(Kind.COMPILE)
    assert ([column.cell for column in columns], rows) == (
        [CUDA_COMPILED, ROCM_COMPILED],
        (compiled,),
    )


def test_join_when_a_cell_is_counted() -> None:
    joined = table(test_x="ppf", test_y="pp-", test_z="pps")
    assert joined.count(ROCM_32) == {Outcome.FAILED: 1, Outcome.MISSING: 1, Outcome.SKIPPED: 1}
    assert joined.count(CUDA) == {Outcome.PASSED: 3}
    assert joined.seconds(ROCM_32) == 1.0


def test_join_when_rows_are_sorted() -> None:
    joined = table(**{"test_x[10]": "p", "test_x[9]": "p", "test_a": "p"})
    assert [row.test.partition("::")[2] for row in joined.rows] == [
        "test_a",
        "test_x[9]",
        "test_x[10]",
    ]


def test_join_when_a_test_fails_and_its_fixture_too() -> None:
    """Pytest then reports it twice; the worst counts."""
    cases = [
        Case("tests.parity.test_a", "test_x", outcome, 0.1)
        for outcome in (Outcome.PASSED, Outcome.FAILED, Outcome.PASSED)
    ]
    joined = join([Report(Path("r.xml"), facts(CUDA), tuple(cases)), report(ROCM, {"test_x": "p"})])
    assert joined.rows[0].entries[CUDA].outcome is Outcome.FAILED


def test_join_when_two_tests_would_meet_in_a_row() -> None:
    with pytest.raises(
        ParityError,
        match=rf"^cell {CUDA}: test_x and test_x\[cuda\] would both be the row test_a::test_x; "
        r"let their parameters differ in more than the platform$",
    ):
        join([report(CUDA, {"test_x": "p", "test_x[cuda]": "p"}), report(ROCM, {"test_x": "p"})])


def test_join_when_a_cell_is_there_twice() -> None:
    first, second = (
        replace(report(CUDA, {"test_x": "p"}), path=Path(place)) for place in ("a/r.xml", "b/r.xml")
    )
    told = f"^a/r.xml and b/r.xml are both reports of the cell {CUDA}; give one of them$"
    with pytest.raises(ParityError, match=told):
        join([first, second])


@pytest.mark.parametrize(
    ("cells", "told"),
    [
        ((CUDA,), f"^there are emulated or device cells of cuda, as {CUDA}, and none of rocm"),
        (
            (ROCM, ROCM_32),
            f"^there are emulated or device cells of rocm, as {ROCM_32}, and none of",
        ),
        (
            (CUDA, ROCM, ROCM_COMPILED),
            f"^there are compiled cells of rocm, as {ROCM_COMPILED}, and none of cuda to compare",
        ),
    ],
)
def test_join_when_a_platform_has_no_cell(cells: tuple[str, ...], told: str) -> None:
    with pytest.raises(ParityError, match=told):
        join(report(cell, {"test_x": "p"}) for cell in cells)


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("platform", "metal", "its platform is metal, and none of cuda, rocm"),
        ("checked", "guessed", "its checked is guessed, and none of device, emulated, compiled"),
        ("wave", "wide", "its wave is wide, no number"),
    ],
)
def test_join_when_a_report_says_nonsense(name: str, value: str, told: str) -> None:
    cases = report(CUDA, {"test_x": "p"}).cases
    with pytest.raises(ParityError, match=f"^the report of cell {CUDA} says that {told}$"):
        join([Report(Path("r.xml"), facts(CUDA) | {name: value}, cases)])


ANY = st.dictionaries(
    st.sampled_from(["test_x", "test_x[1]", "test_y", "test_z[a-b]"]), st.sampled_from("pfs")
)


@given(st.tuples(*[ANY.filter(bool)] * 3))
def test_join_when_anything_is_reported(told: tuple[dict[str, str], ...]) -> None:
    """Laws of the table: nothing is lost, nothing is made up, and no pass hides a failure."""
    cells = (CUDA, ROCM, ROCM_32)
    joined = join(report(cell, tests) for cell, tests in zip(cells, told, strict=True))
    rows = {row.test: row for row in joined.rows}
    assert len(rows) == len(joined.rows)
    assert set(rows) == {f"test_a::{name}" for tests in told for name in tests}
    for test, row in rows.items():
        letters = [tests.get(test.removeprefix("test_a::"), "-") for tests in told]
        outcomes = [row.entries[cell].outcome.value[0] for cell in cells]
        assert outcomes == [letter.replace("-", "m") for letter in letters]
        passes = [row.platforms[platform] is Outcome.PASSED for platform in PLATFORMS]
        assert passes == [letters[0] == "p", letters[1] == letters[2] == "p"]
        assert (row.verdict is Verdict.PASSED) == all(passes)
        assert (row.verdict is Verdict.DIFFERS) == (passes[0] != passes[1])
        assert (row.verdict is Verdict.SKIPPED) <= set(letters).issubset("ps")


def test_join_when_reports_are_of_other_sources() -> None:
    one, other = report(CUDA, {"test_x": "p"}), report(ROCM, {"test_x": "p"})
    told = f"^{CUDA}.xml is of revision abc and {ROCM}.xml of abc.1, so what differs may be"
    with pytest.raises(ParityError, match=told):
        join([replace(one, revision="abc"), replace(other, revision="abc+1")])
    third = report(ROCM_32, {"test_x": "p"})
    joined = join([replace(one, revision="abc"), other, replace(third, revision="abc")])
    assert len(joined.columns) == 3  # one that does not know its own is compared all the same
