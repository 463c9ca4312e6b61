"""Reports of cells joined to one table: a row per test, a column per cell, a verdict per row."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from ci.cells import CHECKED, PLATFORMS
from ci.errors import ParityError
from ci.junit import WORST, Case, Outcome, Report, name_of, path_of

SUITE = "tests.parity."


class Kind(StrEnum):
    """What a test does: it runs on a device, real or emulated, or it only compiles for one.

    Cells of one kind have the same tests, so a test that one of them has and another lacks is
    missing there; tests of the other kind are not meant for it.
    """

    RUN = "run"
    COMPILE = "compile"


class Verdict(StrEnum):
    """What the platforms say of a test together."""

    PASSED = "passed"  # on both
    DIFFERS = "differs"  # passes on one platform only
    FAILED = "failed"  # passes on neither, and fails or is missing on one
    SKIPPED = "skipped"  # passes on neither, and only because it is skipped


@dataclass(frozen=True)
class Column:
    """A cell: what its report says of it."""

    cell: str
    platform: str
    toolkit: str
    release: str
    target: str
    wave: int
    python: str
    checked: str

    @property
    def kind(self) -> Kind:
        """What the cell's tests do."""
        return Kind.COMPILE if self.checked == "compiled" else Kind.RUN


@dataclass(frozen=True)
class Entry:
    """What became of a test in one cell; seconds are 0 where it is missing."""

    outcome: Outcome
    seconds: float = 0.0
    message: str = ""
    detail: str = ""


@dataclass(frozen=True)
class Row:
    """A test: module::function[params], without the parameter that says the platform."""

    test: str
    area: str
    kind: Kind
    entries: Mapping[str, Entry]  # by cell
    platforms: Mapping[str, Outcome]  # the worst of its cells
    checked: Mapping[str, str]  # how its cells are checked: emulated, or device+emulated

    @property
    def key(self) -> tuple[Kind, str]:
        """What no other row has."""
        return self.kind, self.test

    @property
    def verdict(self) -> Verdict:
        """What the platforms say together."""
        outcomes = self.platforms.values()
        if all(outcome is Outcome.PASSED for outcome in outcomes):
            return Verdict.PASSED
        if any(outcome is Outcome.PASSED for outcome in outcomes):
            return Verdict.DIFFERS
        bad = any(outcome is not Outcome.SKIPPED for outcome in outcomes)
        return Verdict.FAILED if bad else Verdict.SKIPPED


@dataclass(frozen=True)
class Table:
    """All rows and columns."""

    columns: tuple[Column, ...]
    rows: tuple[Row, ...]

    def of_kind(self, kind: Kind) -> tuple[tuple[Column, ...], tuple[Row, ...]]:
        """Return the part of one kind; every cell of it has an entry in every row."""
        columns = tuple(column for column in self.columns if column.kind is kind)
        return columns, tuple(row for row in self.rows if row.kind is kind)

    def count(self, cell: str) -> Counter[Outcome]:
        """Count the outcomes of a cell."""
        return Counter(row.entries[cell].outcome for row in self.rows if cell in row.entries)

    def seconds(self, cell: str) -> float:
        """Sum the seconds of a cell's tests."""
        return sum(row.entries[cell].seconds for row in self.rows if cell in row.entries)

    @cached_property
    def evidence(self) -> Counter[tuple[str, ...]]:
        """Count the tests that pass on both platforms by how they were checked on each."""
        return Counter(
            tuple(row.checked[platform] for platform in PLATFORMS)
            for row in self.rows
            if row.verdict is Verdict.PASSED
        )


def join(reports: Iterable[Report]) -> Table:
    """Return the table of these reports.

    Raises ParityError when two are of one cell or of other sources, when tests of one cell meet
    in a row, and when a kind has cells of one platform only, since nothing could be compared.
    """
    columns: list[Column] = []
    seen: dict[str, Report] = {}
    known: Report | None = None
    found: dict[Kind, dict[str, dict[str, Entry]]] = {kind: {} for kind in Kind}
    for report in reports:
        column = _column(report)
        if first := seen.get(column.cell):
            raise ParityError(
                f"{first.path} and {report.path} are both reports of the cell {column.cell}; "
                f"give one of them"
            )
        seen[column.cell] = report
        if report.revision:
            known = known or report
            _check_sources(known, report)
        columns.append(column)
        for test, entry in _entries(report, column).items():
            found[column.kind].setdefault(test, {})[column.cell] = entry
    columns.sort(key=lambda c: (CHECKED.index(c.checked), c.platform))
    rows = []
    for kind, tests in found.items():
        own = [column for column in columns if column.kind is kind]
        _check_both(own)
        rows += [_row(test, kind, entries, own) for test, entries in tests.items()]
    rows.sort(key=lambda row: (row.area, _natural(row.test), row.kind))
    return Table(tuple(columns), tuple(rows))


def row_name(place: str, name: str, platform: str) -> str:
    """Return the row of a test: what pytest calls it, less its platform and xdist's group.

    A module that could not be collected has no place, and is a row of its own.
    """
    if not place:
        return f"{_path(name)}::(collection)"
    base, parameters = name_of(name)
    kept = "-".join(part for part in parameters.split("-") if part != platform)
    return f"{_path(place)}::{base}{f'[{kept}]' if kept else ''}"


def area(test: str) -> str:
    """Return the area of a row: the folder below the suite, else the module without `test_`."""
    return re.split(r"/|::", test, maxsplit=1)[0].removeprefix("test_")


def _path(dotted: str) -> str:
    """Return a dotted module below the suite as a path, with its classes after `::`."""
    modules, classes = path_of(dotted.removeprefix(SUITE))
    return "::".join(["/".join(modules), *classes])


def _column(report: Report) -> Column:
    facts = dict(report.facts)
    cell, wave = facts["cell"], facts.pop("wave")
    for name, allowed in (("platform", PLATFORMS), ("checked", CHECKED)):
        if facts[name] not in allowed:
            told = f"{name} is {facts[name]}, and none of {', '.join(allowed)}"
            raise ParityError(f"the report of cell {cell} says that its {told}")
    if not wave.isdecimal():
        raise ParityError(f"the report of cell {cell} says that its wave is {wave}, no number")
    return Column(**facts, wave=int(wave))


def _entries(report: Report, column: Column) -> dict[str, Entry]:
    """Return a cell's rows; pytest has a test twice when its fixtures fail at the end too."""
    entries: dict[str, Entry] = {}
    origins: dict[str, Case] = {}
    for case in report.cases:
        test = row_name(case.place, case.name, column.platform)
        first = origins.setdefault(test, case)
        if (first.place, first.name) != (case.place, case.name):
            raise ParityError(
                f"cell {column.cell}: {first.name} and {case.name} would both be the row {test}; "
                f"let their parameters differ in more than the platform"
            )
        entry = Entry(case.outcome, case.seconds, case.message, case.detail)
        before = entries.get(test, entry)
        entries[test] = min(before, entry, key=lambda each: WORST.index(each.outcome))
    return entries


def _check_sources(one: Report, other: Report) -> None:
    if one.revision != other.revision:
        raise ParityError(
            f"{one.path} is of revision {one.revision} and {other.path} of {other.revision}, so "
            "what differs may be the sources; run the cells of one table from one checkout"
        )


def _check_both(columns: Sequence[Column]) -> None:
    there = {column.platform: column for column in columns}
    for platform in PLATFORMS:
        if there and platform not in there:
            (other,) = there.values()
            ways = "compiled" if other.kind is Kind.COMPILE else "emulated or device"
            raise ParityError(
                f"there are {ways} cells of {other.platform}, as {other.cell}, and none of "
                f"{platform} to compare with; run one: `python -m ci.run --list`"
            )


def _row(test: str, kind: Kind, entries: Mapping[str, Entry], columns: Sequence[Column]) -> Row:
    whole = {c.cell: entries.get(c.cell, Entry(Outcome.MISSING)) for c in columns}
    platforms, checked = {}, {}
    for platform in PLATFORMS:
        own = [column for column in columns if column.platform == platform]
        outcomes = {whole[column.cell].outcome for column in own}
        platforms[platform] = next(outcome for outcome in WORST if outcome in outcomes)
        ways = {column.checked for column in own}
        checked[platform] = "+".join(way for way in CHECKED if way in ways)
    return Row(test, area(test), kind, whole, platforms, checked)


def _natural(test: str) -> list[tuple[int, str]]:
    """Return a key that sorts 2 before 10."""
    return [(int(part) if part.isdecimal() else -1, part) for part in re.split(r"(\d+)", test)]
