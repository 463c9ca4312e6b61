"""Exceptions of the parity table: what they excuse, and when they are wrong themselves."""

import datetime as dt
from pathlib import Path

import pytest

from ci.errors import ParityError
from ci.exceptions import Exemption, judge, read_exceptions
from ci.joining import Kind, join
from ci.verdicts import holds
from tests.ci.parity_reports import CELLS, CUDA, ROCM, ROCM_DEVICE, report, table

TODAY = dt.date(2027, 1, 15)
GOOD = """
[[exception]]
test = "test_a::test_x[*]"
platform = "rocm"
reason = "rounding"
issue = 7
expires = 2027-01-31
"""


def exemption(
    test: str = "test_a::test_x",
    platform: str = "rocm",
    cells: str = "*",
    expires: dt.date = TODAY,
) -> Exemption:
    """Return an exception that holds today for the last time."""
    return Exemption("e.toml: exception[0]", test, platform, cells, "why", "7", expires)


def read(folder: Path, text: str) -> list[Exemption]:
    """Read exceptions from their text."""
    path = folder / "e.toml"
    path.write_text(text)
    return read_exceptions(CELLS.values(), path)


def test_file_when_read(tmp_path: Path) -> None:
    more = GOOD.replace("7\n", '"https://example.org/9"\ncells = "rocm-7.0-*"\n')
    place = f"{tmp_path}/e.toml: exception"
    day = dt.date(2027, 1, 31)
    assert read(tmp_path, GOOD + more) == [
        Exemption(f"{place}[0]", "test_a::test_x[*]", "rocm", "*", "rounding", "7", day),
        Exemption(
            *(f"{place}[1]", "test_a::test_x[*]", "rocm", "rocm-7.0-*", "rounding"),
            *("https://example.org/9", day),
        ),
    ]
    assert read(tmp_path, "# none\n") == []


@pytest.mark.parametrize(
    ("right", "wrong", "message"),
    [
        ("issue = 7", "", "exception[0].issue is missing; it has to be an issue's number or its "),
        (
            "issue = 7",
            "issue = 0",
            "exception[0].issue is 0; it has to be an issue's number or its ",
        ),
        ("issue = 7", 'issue = "soon"', 'exception[0].issue is "soon"; it has to be an issue\'s '),
        (
            "issue = 7",
            "issue = true",
            "exception[0].issue is true; it has to be an issue's number ",
        ),
        ('"rounding"', '""', 'exception[0].reason is ""; it has to be a text that is not empty'),
        ('"rocm"', '"both"', 'exception[0].platform is "both"; it has to be one of cuda, rocm'),
        (
            "2027-01-31",
            '"soon"',
            'exception[0].expires is "soon"; it has to be a date like 2027-01',
        ),
        ("2027-01-31", "2027-01-31T00:00:00", "it has to be a date without a time"),
        (
            "expires",
            "until",
            "exception[0].expires is missing; it has to be a date like 2027-01-31",
        ),
        (
            "issue = 7",
            "issue = 7\nwho = 1",
            "exception[0].who is no key; allowed here: issue, test, ",
        ),
        (
            "issue = 7",
            'issue = 7\ncells = "cuda-*"',
            'exception[0].cells is "cuda-*"; it has to be a pattern for cells of rocm in ci/matrix',
        ),
        ("[[exception]]", "[[exceptions]]", "exceptions is no key; allowed here: exception"),
    ],
)
def test_file_when_a_key_is_wrong(right: str, wrong: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(ParityError) as caught:
        read(tmp_path, GOOD.replace(right, wrong))
    assert str(caught.value).startswith(f"{tmp_path}/e.toml: ")
    assert message in str(caught.value)


def test_own_file_when_read() -> None:
    assert isinstance(read_exceptions(CELLS.values()), list)


@pytest.mark.parametrize(
    ("letters", "exemptions", "is_excused"),
    [
        ("pff", [exemption()], "yes"),
        ("p--", [exemption()], "yes"),
        ("pss", [exemption()], "yes"),
        ("ppf", [exemption()], "yes"),
        ("ppf", [exemption(cells="*-gfx1100-*")], "yes"),
        ("pff", [exemption(cells="*-gfx1100-*")], "no"),
        ("pff", [exemption(cells="*-gfx1100-*"), exemption(cells="*-gfx942-*")], "yes"),
        ("pff", [exemption(test="test_a::test_*")], "yes"),
        ("fpp", [exemption(platform="cuda")], "yes"),
        ("fff", [exemption()], "no"),
        ("fff", [exemption(), exemption(platform="cuda")], "yes"),
        ("pff", [], "no"),
        ("ppp", [], "no"),
        ("pff", [exemption(expires=TODAY - dt.timedelta(days=1))], "no"),
    ],
)
def test_row_when_exceptions_are_held_against_it(
    letters: str, exemptions: list[Exemption], is_excused: str
) -> None:
    judgement = judge(table(test_x=letters, test_y="p"), exemptions, TODAY)
    excused = dict.fromkeys(judgement.excused)
    assert excused == ({(Kind.RUN, "test_a::test_x"): None} if is_excused == "yes" else {})


def test_row_when_it_is_excused() -> None:
    """The table holds, and the row keeps its exceptions."""
    joined, one = table(test_x="pff"), exemption()
    judgement = judge(joined, [one], TODAY)
    assert judgement.excused == {(Kind.RUN, "test_a::test_x"): (one,)}
    assert holds(joined, judgement)
    assert not holds(joined, judge(joined, [], TODAY))


PROBLEMS = {
    "expired": (
        "pff",
        exemption(expires=TODAY - dt.timedelta(days=1)),
        (
            "test_a::test_x on rocm: expired on 2027-01-14; mend what issue 7 tells of, "
            "or say anew until when it may last"
        ),
    ),
    "matches nothing": (
        "pff",
        exemption(test="test_a::test_gone*"),
        "test_a::test_gone* on rocm: no test fits it; take it out or mend its pattern",
    ),
    "brackets are no set of letters": (
        "pff",
        exemption(test="test_a::test_[xyz]"),
        "test_a::test_[xyz] on rocm: no test fits it; take it out or mend its pattern",
    ),
    "passes": (
        "ppp",
        exemption(),
        "test_a::test_x on rocm: test_a::test_x passes now; take it out or narrow its pattern",
    ),
    "some of it passes": (
        "pff",
        exemption(test="test_a::*"),
        "test_a::* on rocm: test_a::test_y and 1 more pass now; take it out or narrow its pattern",
    ),
    "passes in its cells": (
        "ppf",
        exemption(cells="*-gfx942-*"),
        "test_a::test_x on rocm: test_a::test_x passes now; take it out or narrow its pattern",
    ),
}


@pytest.mark.parametrize("what", PROBLEMS)
def test_exception_when_it_is_wrong(what: str) -> None:
    letters, wrong, told = PROBLEMS[what]
    joined = table(test_x=letters, test_y="p", test_z="p")
    judgement = judge(joined, [wrong], TODAY)
    assert judgement.problems == (f"e.toml: exception[0], {told}",)
    assert not holds(joined, judgement)


def test_exception_when_its_cells_are_not_in_the_table() -> None:
    """One for real devices is not judged by what the emulator says."""
    joined, one = table(test_x="ppp"), exemption(cells="*-device")
    assert judge(joined, [one], TODAY).problems == ()
    tests = {"test_x": "p"}
    full = join([report(CUDA, tests), report(ROCM, tests), report(ROCM_DEVICE, {"test_x": "f"})])
    judgement = judge(full, [one], TODAY)
    assert (judgement.problems, len(judgement.excused)) == ((), 1)
