"""The forms of the parity table: text, JSON with its schema, and the page."""

import datetime as dt
import json
import re
from html.parser import HTMLParser
from pathlib import Path

import jsonschema
import pytest

from ci import table_html, table_json, table_text
from ci.exceptions import Exemption, Judgement, judge
from ci.joining import Table, join
from ci.verdicts import headline
from tests.ci.parity_reports import (
    CUDA,
    CUDA_COMPILED,
    ROCM,
    ROCM_32,
    ROCM_COMPILED,
    report,
    table,
)

SCHEMA = json.loads(Path(table_json.__file__).with_name("table.schema.json").read_text())
DAY = dt.date(2027, 1, 31)
EXEMPTION = Exemption(
    "e.toml: exception[0]", "test_a::test_known", "rocm", "*", "<b>rounding</b>", "7", DAY
)
STALE = Exemption("e.toml: exception[1]", "test_a::gone", "rocm", "*", "why", "8", DAY)
TEXT = (Path(__file__).parent / "data" / "parity_table.txt").read_text()
_VOID = frozenset({"meta", "br", "input", "link", "img", "hr"})


@pytest.fixture
def mixed() -> Table:
    """Return a table with every verdict and every outcome, and tests of both kinds."""
    runs = {
        "test_good[1]": "ppp",
        "test_known": "pff",
        "test_lanes": "ppf",
        "test_lost": "p--",
        "test_bad": "fff",
        "test_away": "sss",
    }
    messages = {"f": "f assert '<script>' == 2", "s": "s needs two GPUs", "p": "p"}
    cells = [
        report(cell, {n: messages[said[at]] for n, said in runs.items() if said[at] != "-"})
        for at, cell in enumerate((CUDA, ROCM, ROCM_32))
    ]
    compiled = [report(cell, {"test_c": "p"}) for cell in (CUDA_COMPILED, ROCM_COMPILED)]
    return join([*cells, *compiled])


@pytest.fixture
def judgement(mixed: Table) -> Judgement:
    """Return what an exception that holds, and one that is wrong, make of the table."""
    return judge(mixed, [EXEMPTION, STALE], DAY)


def nothing(joined: Table) -> Judgement:
    """Return the judgement where no exception is listed."""
    return judge(joined, [], DAY)


def test_headline_when_the_platforms_are_at_parity() -> None:
    joined = table(test_x="p", test_y="s")
    assert headline(joined, nothing(joined)) == "CUDA and ROCm are at parity (2 tests in 3 cells)."
    joined = table(test_known="pff")
    assert headline(joined, judge(joined, [EXEMPTION], DAY)) == (
        "CUDA and ROCm are at parity, but for 1 excepted test (1 test in 3 cells)."
    )


def test_headline_when_they_are_not(mixed: Table, judgement: Judgement) -> None:
    assert headline(mixed, judgement) == (
        "CUDA and ROCm are not at parity: 2 tests pass on one platform only; 1 test passes on "
        "neither; 1 exception is wrong (7 tests in 5 cells)."
    )


def test_text_when_everything_is_in_it(mixed: Table, judgement: Judgement) -> None:
    assert table_text.render(mixed, judgement, all_rows=False) == TEXT


def test_text_when_all_cells_of_a_platform_say_the_same() -> None:
    """They are not named one by one when they are many."""
    cells = [CUDA, ROCM, ROCM_32, "rocm-7.1-gfx942-py312-emulated"]
    for letters, told in (
        ("pfff", "failed in all 3 cells of rocm"),
        ("ppff", f"failed in {ROCM_32}, {cells[3]}"),
        ("ffff", f"failed in {CUDA}, all 3 cells of rocm"),
    ):
        joined = join(report(c, {"test_x": said}) for c, said in zip(cells, letters, strict=True))
        lines = table_text.render(joined, nothing(joined), all_rows=False).splitlines()
        assert f"      {told}" in lines


def test_text_when_all_rows_are_asked_for(mixed: Table, judgement: Judgement) -> None:
    """Each cell of each row says how it was checked."""
    text = table_text.render(mixed, judgement, all_rows=True)
    assert text.startswith(TEXT.rstrip("\n"))
    rows = text[len(TEXT) :].splitlines()
    entries = [line.split() for line in rows if re.match(r" {6}\S", line)]
    assert len(entries) == 6 * 3 + 2
    assert {tuple(entry[:2]) for entry in entries} == {
        *((outcome, "emulated") for outcome in ("passed", "failed", "skipped", "missing")),
        ("passed", "compiled"),
    }


def test_json_when_held_against_its_schema(mixed: Table, judgement: Judgement) -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    text = table_json.render(mixed, judgement)
    checker = jsonschema.Draft202012Validator.FORMAT_CHECKER
    jsonschema.Draft202012Validator(SCHEMA, format_checker=checker).validate(json.loads(text))
    joined = table(test_x="p")
    jsonschema.validate(table_json.to_json(joined, nothing(joined)), SCHEMA)


@pytest.mark.parametrize("gone", ["holds", "tests", "cells"])
def test_schema_when_a_field_is_gone(gone: str, mixed: Table, judgement: Judgement) -> None:
    value = table_json.to_json(mixed, judgement)
    del value[gone]
    with pytest.raises(jsonschema.ValidationError, match=f"'{gone}' is a required property"):
        jsonschema.validate(value, SCHEMA)


def test_json_when_read(mixed: Table, judgement: Judgement) -> None:
    value = table_json.to_json(mixed, judgement)
    assert (value["schema_version"], value["holds"]) == (1, False)
    assert value["summary"]["verdicts"] == {"passed": 2, "differs": 3, "failed": 1, "skipped": 1}
    assert value["cells"][0]["counts"] == {"failed": 1, "missing": 0, "skipped": 1, "passed": 4}
    known = next(test for test in value["tests"] if test["test"] == "test_a::test_known")
    assert known == {
        "test": "test_a::test_known",
        "area": "a",
        "kind": "run",
        "verdict": "differs",
        "platforms": {
            "cuda": {"outcome": "passed", "checked": ["emulated"]},
            "rocm": {"outcome": "failed", "checked": ["emulated"]},
        },
        "cells": {
            CUDA: {"outcome": "passed", "checked": "emulated", "seconds": 0.5},
            ROCM: known["cells"][ROCM_32],
            ROCM_32: {
                "outcome": "failed",
                "checked": "emulated",
                "seconds": 0.5,
                "message": "assert '<script>' == 2",
            },
        },
        "exceptions": [
            {
                "platform": "rocm",
                "reason": "<b>rounding</b>",
                "issue": "7",
                "expires": "2027-01-31",
            }
        ],
    }


class Page(HTMLParser):
    """Reads a page: its elements, whether they are nested right, and its words."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in _VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag, f"</{tag}> closes another element"

    def handle_data(self, data: str) -> None:
        if not {"style", "script"} & set(self.open):
            self.words += data.split()

    @property
    def text(self) -> str:
        """What it shows."""
        return " ".join(self.words)

    def named(self, tag: str, **attributes: str) -> list[dict[str, str | None]]:
        """Return the attributes of elements that have these."""
        return [a for t, a in self.elements if t == tag and attributes.items() <= a.items()]


@pytest.fixture
def page(mixed: Table, judgement: Judgement) -> Page:
    """Return the page of the mixed table."""
    return Page(table_html.render(mixed, judgement))


def test_page_when_parsed(page: Page, mixed: Table, judgement: Judgement) -> None:
    """It is nested right, loads nothing, and shows what tests say as text."""
    assert page.open == []
    assert not {"link", "img", "iframe"} & {tag for tag, _ in page.elements}
    assert len(page.named("script")) == 1
    assert page.named("script")[0] == {}
    text = table_html.render(mixed, judgement)
    assert not re.search(r"url\(|@import|(src|href)=|https?:", text)
    assert "<script>' == 2" not in text
    assert "<b>rounding" not in text
    assert "assert '<script>' == 2" in page.text
    assert "Excepted until 2027-01-31: <b>rounding</b> (issue 7)" in page.text


def test_page_when_an_exception_has_an_address(mixed: Table) -> None:
    linked = Exemption(*("e", "test_a::test_known", "rocm", "*", "why", "https://x.test/1", DAY))
    page = Page(table_html.render(mixed, judge(mixed, [linked], DAY)))
    assert page.named("a") == [{"href": "https://x.test/1"}]


def test_page_when_every_row_is_read(page: Page) -> None:
    """Each cell of each row says its outcome and how it was checked, as text."""
    labels = [attributes.get("data-label") for attributes in page.named("td", role="cell")]
    assert len(labels) == 6 * (1 + 3) + (1 + 2)
    assert all(labels), "the cards of a phone need the names of the columns"
    assert page.text.count("passed emulated") >= 4 + 2 + 1
    assert "missing emulated" in page.text
    assert "passed compiled" in page.text
    verdicts = [attributes["data-verdict"] for attributes in page.named("tr", **{"class": "row"})]
    assert sorted(str(v) for v in verdicts) == [
        *("differs", "differs", "differs", "failed", "passed", "passed", "skipped")
    ]


def test_page_when_filtered(page: Page) -> None:
    """The script's names are those of the elements, and without it no row is hidden."""
    (form,) = page.named("form")
    assert form["id"] == "filter"
    assert "hidden" in form
    names = {a["name"] for tag, a in page.elements if tag in ("select", "input")}
    assert names == {"area", "verdict", "text"}
    offered = {a.get("value") for a in page.named("option")}
    assert {"", "passed", "differs", "failed", "skipped", "excused"} <= offered
    assert [a["data-area"] for a in page.named("tbody", role="rowgroup")] == ["a", "a"]
    assert not [a for a in page.named("tr") if "hidden" in a]
    assert len([a for a in page.named("tr") if "data-excused" in a]) == 1


def test_page_when_read_aloud(page: Page) -> None:
    assert page.named("html", lang="en")
    assert all(a.get("scope") for a in page.named("th")), "each head says what it heads"
    regions = [a for _, a in page.elements if a.get("role") == "region"]
    assert regions
    assert all(a.get("aria-label") and a.get("tabindex") == "0" for a in regions)
    assert page.named("meta", name="viewport")


def test_page_when_the_platforms_are_at_parity() -> None:
    joined = table(test_x="p")
    page = Page(table_html.render(joined, nothing(joined)))
    assert page.named("p", **{"class": "verdict holds"})
    assert "Differences" not in page.words
    assert "1 test passes on both platforms: CUDA emulated, ROCm emulated." in page.text
