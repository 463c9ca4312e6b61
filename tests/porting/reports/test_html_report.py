"""The page for people: complete, self-contained, and safe with any source text."""

import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from porting.diagnostics import Diagnostic, Severity
from porting.reports import Outcome, Report, State, render
from porting.reports.html_report import effort, percent, verdict

_VOID = frozenset(("meta", "br", "link", "img", "input", "hr"))


class _Page(HTMLParser):
    """Reads a page: its text, its tags, and whether they are nested right."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in _VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag, f"</{tag}> closes another element"

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.words.append(data)

    @property
    def text(self) -> str:
        return re.sub(r"\s+", " ", " ".join(self.words))


@pytest.fixture
def page(report: Report) -> _Page:
    return _Page(render(report, "html"))


@pytest.mark.parametrize("which", ["report", "clean", "unavailable"])
def test_html_is_nested_right_and_loads_nothing(which: str, request: pytest.FixtureRequest) -> None:
    text = render(request.getfixturevalue(which), "html")
    page = _Page(text)
    assert page.open == []
    assert not {"script", "link", "img", "iframe"} & {tag for tag, _ in page.tags}
    assert not re.search(r"url\(|@import|https?:", text)


def test_html_shows_no_source_text_as_markup(page: _Page) -> None:
    assert "script" not in {tag for tag, _ in page.tags}
    assert "if (a < b) <script>" in page.text
    assert "look <here>" in page.text


def test_html_links_lead_to_places_on_the_page(page: _Page) -> None:
    targets = [attributes["id"] for _, attributes in page.tags if "id" in attributes]
    links = [a["href"] for tag, a in page.tags if tag == "a" and a.get("href")]
    assert links
    assert len(set(targets)) == len(targets)
    assert {str(link).removeprefix("#") for link in links} <= set(targets)


def test_html_says_how_much_is_automatic_and_what_is_left(page: _Page) -> None:
    assert "83.3 % of the places were ported automatically" in page.text
    assert "5 places rewritten in 2 of 3 files" in page.text
    assert "1 to decide: lines that" in page.text
    assert "1 line left for a person." in page.text
    for text in ("a first kind", "What the second means.", "What to do: mend it"):
        assert text in page.text


def test_html_marks_the_lines_of_a_finding(report: Report) -> None:
    lines = re.findall(r'<span( class="hit")?><b>(\d+)</b>', render(report, "html"))
    assert [(number, bool(hit)) for hit, number in lines] == [
        ("1", False),
        ("2", True),
        ("3", True),
        ("4", False),
    ]


def test_html_has_the_matrix_of_verification(page: _Page, clean: Report) -> None:
    assert "Unit host gfx90a gfx1100" in page.text
    assert "src/a <b>.cu verified verified failed" in page.text
    assert "Verification" not in _Page(render(clean, "html")).text


def test_html_says_compiled_everywhere_only_when_it_was(report: Report) -> None:
    claim = "Every unit was compiled for every architecture"
    assert claim not in _Page(render(report, "html")).text
    assert "Not every unit passed" in _Page(render(report, "html")).text
    good = [replace(v, outcome=Outcome.VERIFIED) for v in report.files[2].verdicts]
    files = (*report.files[:2], replace(report.files[2], verdicts=tuple(good)))
    stages = tuple(replace(stage, failed=0, not_verified=0) for stage in report.stages)
    passed = replace(report, files=files, stages=stages)
    assert claim in _Page(render(passed, "html")).text


def test_html_names_files_that_still_ask_for_cuda(clean: Report) -> None:
    notes = tuple(
        Diagnostic(path, 1, 1, code, "t", Severity.NOTE, "told")
        for path, code in (("CMakeLists.txt", "BLD001"), ("lib.rs", "BLD002"), ("b.cu", "ABC001"))
    )
    left = replace(clean, diagnostics=notes, unported=("BLD001", "BLD002"))
    assert verdict(left) == (
        "work",
        (
            "No line of the sources is left to decide, and 2 files that name CUDA are not ported: "
            "CMakeLists.txt, lib.rs; verify did not run."
        ),
    )
    assert "2 files that name CUDA are not ported" in _Page(render(left, "html")).text


def test_html_lists_what_was_taken_out(page: _Page) -> None:
    assert "2 suppressed" in page.text
    assert "a comment by comment" in page.text
    assert "the configuration by configuration" in page.text


def test_html_of_a_verification_says_nothing_of_porting(report: Report) -> None:
    skipped = replace(report.stages[0], state=State.SKIPPED)
    text = _Page(render(replace(report, stages=(skipped, *report.stages[1:])), "html")).text
    assert "Verification of in" in text
    assert "automatically" not in text


def test_html_is_the_same_every_time(report: Report) -> None:
    assert render(report, "html") == render(report, "html")


def test_verdict_follows_the_stages_and_findings(
    report: Report, clean: Report, unavailable: Report
) -> None:
    assert verdict(report) == ("work", "1 line left for a person.")
    assert verdict(clean) == ("good", "Nothing is left to decide; verify did not run.")
    assert verdict(unavailable) == ("stop", "Not complete: host syntax could not run here.")


@pytest.mark.parametrize(
    ("part", "whole", "shown"), [(0, 0, 100.0), (1, 3, 33.3), (9999, 10000, 99.9), (5, 5, 100.0)]
)
def test_percent_is_100_only_for_all(part: int, whole: int, shown: float) -> None:
    assert percent(part, whole) == shown


@pytest.mark.parametrize(
    ("lines", "word"), [(0, "none"), (1, "small"), (3, "small"), (4, "medium"), (11, "large")]
)
def test_effort_grows_with_the_lines(lines: int, word: str) -> None:
    assert effort(lines) == word
