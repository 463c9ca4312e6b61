"""The exceptions of the parity table: which differences are known, why, and until when."""

import datetime as dt
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ci.cells import PLATFORMS, ROOT, Cell
from ci.joining import Column, Kind, Row, Table, Verdict
from ci.junit import Outcome
from ci.toml_keys import Keys

EXCEPTIONS = ROOT / "ci" / "exceptions.toml"
_ISSUE = re.compile(r"[1-9][0-9]*|https://\S+")
_ISSUE_NEEDS = "an issue's number or its https address"


@dataclass(frozen=True)
class Exemption:
    """A listed exception: rows that need not pass in a platform's cells up to a day."""

    place: str
    test: str
    platform: str
    cells: str
    reason: str
    issue: str
    expires: dt.date

    def fits_test(self, test: str) -> bool:
        """Tell whether a row is meant."""
        return _fits(self.test, test)

    def fits_cell(self, cell: str, platform: str) -> bool:
        """Tell whether a cell is meant."""
        return platform == self.platform and _fits(self.cells, cell)


@dataclass(frozen=True)
class Judgement:
    """Which rows are excused and by what, and what is wrong with the exceptions themselves."""

    excused: Mapping[tuple[Kind, str], tuple[Exemption, ...]]
    problems: tuple[str, ...]


def read_exceptions(cells: Iterable[Cell], path: Path = EXCEPTIONS) -> list[Exemption]:
    """Return what the file lists; each one means some of these cells.

    Raises ParityError with the place in the file.
    """
    shown = str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else str(path)
    keys = Keys.of_file(path, shown)
    known = tuple(cells)
    found = [_exemption(entry, known) for entry in keys.array("exception")]
    keys.finish()
    return found


def _exemption(keys: Keys, cells: Sequence[Cell]) -> Exemption:
    issue = keys.number_or_text("issue", _ISSUE_NEEDS)
    if not _ISSUE.fullmatch(issue):
        raise keys.wrong("issue", _ISSUE_NEEDS)
    exemption = Exemption(
        keys.place,
        keys.text("test"),
        keys.text("platform", PLATFORMS),
        keys.text("cells") if keys.has("cells") else "*",
        keys.text("reason"),
        issue,
        keys.date("expires"),
    )
    keys.finish()
    if not any(exemption.fits_cell(cell.id, cell.platform) for cell in cells):
        raise keys.wrong("cells", f"a pattern for cells of {exemption.platform} in ci/matrix.toml")
    return exemption


def judge(table: Table, listed: Sequence[Exemption], today: dt.date) -> Judgement:
    """Hold the exceptions against the table.

    A row is excused when each cell that it does not pass in has an exception that has not expired.
    One that means no cell of the table is left alone, but for its day.
    """
    problems = [problem for each in listed for problem in _problems(each, table, today)]
    lasting = [exemption for exemption in listed if today <= exemption.expires]
    excused = {}
    for row in table.rows:
        if row.verdict in (Verdict.DIFFERS, Verdict.FAILED):
            fitting = tuple(e for e in lasting if e.fits_test(row.test))
            lacking = [c for c in table.columns if c.cell in row.entries and not _passes(row, c)]
            means = [[e for e in fitting if e.fits_cell(c.cell, c.platform)] for c in lacking]
            if all(means):
                excused[row.key] = tuple(e for e in fitting if any(e in each for each in means))
    return Judgement(excused, tuple(problems))


def _problems(exemption: Exemption, table: Table, today: dt.date) -> list[str]:
    what = f"{exemption.place}, {exemption.test} on {exemption.platform}"
    found = []
    if today > exemption.expires:
        found.append(
            f"{what}: expired on {exemption.expires}; mend what issue {exemption.issue} tells of, "
            f"or say anew until when it may last"
        )
    columns = [c for c in table.columns if exemption.fits_cell(c.cell, c.platform)]
    if not columns:
        return found
    meant = [(row, [c for c in columns if c.cell in row.entries]) for row in table.rows]
    meant = [(row, own) for row, own in meant if own and exemption.fits_test(row.test)]
    passing = [row.test for row, own in meant if all(_passes(row, column) for column in own)]
    if not meant:
        found.append(f"{what}: no test fits it; take it out or mend its pattern")
    if passing:
        many = f"{passing[0]} and {len(passing) - 1} more pass"
        told = many if len(passing) > 1 else f"{passing[0]} passes"
        found.append(f"{what}: {told} now; take it out or narrow its pattern")
    return found


def _passes(row: Row, column: Column) -> bool:
    return row.entries[column.cell].outcome is Outcome.PASSED


def _fits(pattern: str, text: str) -> bool:
    """Tell whether a text has this form; `*` stands for anything, all else for itself."""
    form = ".*".join(re.escape(part) for part in pattern.split("*"))
    return re.fullmatch(form, text, re.DOTALL) is not None
