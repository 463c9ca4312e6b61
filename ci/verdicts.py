"""What the table comes to, in the words that each of its forms uses."""

from ci.cells import PLATFORMS
from ci.exceptions import Judgement
from ci.joining import Column, Entry, Row, Table, Verdict
from ci.junit import Outcome

MEANINGS = {
    Verdict.PASSED: "pass on both platforms",
    Verdict.DIFFERS: "pass on one platform only",
    Verdict.FAILED: "pass on neither platform",
    Verdict.SKIPPED: "are skipped on both platforms",
}

_FEW = 2  # cells of a platform that are named one by one


def unexcused(table: Table, judgement: Judgement) -> list[Row]:
    """Return the rows without the excused ones."""
    return [row for row in table.rows if row.key not in judgement.excused]


def wrong(table: Table, judgement: Judgement) -> list[Row]:
    """Return the rows that fail the table."""
    bad = (Verdict.DIFFERS, Verdict.FAILED)
    return [row for row in unexcused(table, judgement) if row.verdict in bad]


def lacking(table: Table, row: Row) -> list[tuple[Entry, str]]:
    """Return what was said where a row does not pass, each with the cells that said the same."""
    own = [column for column in table.columns if column.cell in row.entries]
    said: dict[tuple[Outcome, str], list[Column]] = {}
    for column in own:
        entry = row.entries[column.cell]
        if entry.outcome is not Outcome.PASSED:
            said.setdefault((entry.outcome, entry.message), []).append(column)
    return [(row.entries[same[0].cell], _cells(same, own)) for same in said.values()]


def _cells(some: list[Column], every: list[Column]) -> str:
    """Name cells, those of a platform together when they are all of it."""
    names = []
    for platform in PLATFORMS:
        own = [column.cell for column in some if column.platform == platform]
        whole = len(own) > _FEW and len(own) == sum(c.platform == platform for c in every)
        names += [f"all {len(own)} cells of {platform}"] if whole else own
    return ", ".join(names)


def holds(table: Table, judgement: Judgement) -> bool:
    """Tell whether the platforms are at parity and the exceptions in order."""
    return not wrong(table, judgement) and not judgement.problems


def headline(table: Table, judgement: Judgement) -> str:
    """Return the sentence that stands first."""
    rows = wrong(table, judgement)
    differing = sum(row.verdict is Verdict.DIFFERS for row in rows)
    failing = len(rows) - differing
    told = []
    if differing:
        told.append(f"{_number(differing, 'test passes', 'tests pass')} on one platform only")
    if failing:
        told.append(f"{_number(failing, 'test passes', 'tests pass')} on neither")
    if problems := len(judgement.problems):
        told.append(f"{_number(problems, 'exception is', 'exceptions are')} wrong")
    of = f"{_number(len(table.rows), 'test', 'tests')} in {len(table.columns)} cells"
    if told:
        return f"CUDA and ROCm are not at parity: {'; '.join(told)} ({of})."
    excused = len(judgement.excused)
    but = f", but for {_number(excused, 'excepted test', 'excepted tests')}" if excused else ""
    return f"CUDA and ROCm are at parity{but} ({of})."


def _number(count: int, one: str, many: str) -> str:
    return f"{count} {one if count == 1 else many}"
