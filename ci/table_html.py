"""The parity table as one self-contained HTML page, for a desk, a phone and the dark."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from ci.cells import PLATFORMS
from ci.exceptions import Judgement
from ci.joining import Column, Kind, Row, Table, Verdict
from ci.junit import Outcome
from ci.verdicts import MEANINGS, headline, holds, lacking

TEMPLATE = Path(__file__).with_name("table.html.jinja")
NAMES = {"cuda": "CUDA", "rocm": "ROCm"}
TITLES = {Kind.RUN: "Tests that run", Kind.COMPILE: "Tests that only compile"}


@dataclass(frozen=True)
class Area:
    """A part of the suite: its rows of one kind, counted by verdict."""

    name: str
    rows: tuple[Row, ...]

    def count(self, verdict: Verdict) -> int:
        """Count the rows with a verdict."""
        return sum(row.verdict is verdict for row in self.rows)

    def checked(self, platform: str) -> str:
        """Return how its tests were checked on a platform."""
        return self.rows[0].checked[platform]


@dataclass(frozen=True)
class Section:
    """The tests of one kind with the cells that have them."""

    title: str
    columns: tuple[Column, ...]
    areas: tuple[Area, ...]


def render(table: Table, judgement: Judgement) -> str:
    """Return the page; it loads nothing, and without its few lines of script shows all rows."""
    from jinja2 import Environment, StrictUndefined

    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    parts = sections(table)
    page = environment.from_string(TEMPLATE.read_text(encoding="utf-8")).render(
        table=table,
        judgement=judgement,
        holds=holds(table, judgement),
        headline=headline(table, judgement),
        verdicts=Counter(row.verdict for row in table.rows),
        meanings=MEANINGS,
        differing=[r for r in table.rows if r.verdict in (Verdict.DIFFERS, Verdict.FAILED)],
        sections=parts,
        area_names=sorted({row.area for row in table.rows}),
        platforms=PLATFORMS,
        names=NAMES,
        outcomes=tuple(reversed(Outcome)),
        lacking=lacking,
    )
    return page + "\n"


def sections(table: Table) -> Sequence[Section]:
    """Return the tests by kind and area; a kind without cells has no section."""
    found = []
    for kind, title in TITLES.items():
        columns, rows = table.of_kind(kind)
        areas = tuple(
            Area(name, tuple(own)) for name, own in groupby(rows, key=lambda row: row.area)
        )
        if columns:
            found.append(Section(title, columns, areas))
    return found
