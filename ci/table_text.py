"""The parity table as text: the summary first, then cells, differences, and counts by area."""

from collections import Counter
from collections.abc import Iterator

from ci.cells import PLATFORMS
from ci.exceptions import Judgement
from ci.joining import Kind, Row, Table, Verdict
from ci.junit import Outcome
from ci.verdicts import MEANINGS, headline, lacking, unexcused

_SHOWN = (Outcome.PASSED, Outcome.FAILED, Outcome.SKIPPED, Outcome.MISSING)


def render(table: Table, judgement: Judgement, *, all_rows: bool) -> str:
    """Return the text; with `all_rows` a line per test and cell ends it."""
    lines = [headline(table, judgement), ""]
    lines += [*_summary(table, judgement), "", *_cells(table)]
    lines += [*_section("exceptions that are wrong", judgement.problems)]
    lines += _section("differences", _differences(table, judgement))
    lines += _section("skipped on both platforms", _skipped(table))
    lines += ["", *_areas(table)]
    if all_rows:
        lines += _section("tests", _all(table))
    return "\n".join(lines) + "\n"


def _section(title: str, lines: "Iterator[str] | tuple[str, ...]") -> list[str]:
    body = [f"  {line}" for line in lines]
    return ["", title, *body] if body else []


def _summary(table: Table, judgement: Judgement) -> Iterator[str]:
    counts = Counter(row.verdict for row in table.rows)
    left = Counter(row.verdict for row in unexcused(table, judgement))
    for verdict in Verdict:
        line = f"{counts[verdict]:7}  {MEANINGS[verdict]}"
        if excused := counts[verdict] - left[verdict]:
            line += f", {excused} of them by an exception"
        yield line
        if verdict is Verdict.PASSED:
            for ways, number in table.evidence.most_common():
                told = ", ".join(f"{p} {w}" for p, w in zip(PLATFORMS, ways, strict=True))
                yield f"{number:14}  {told}"


def _cells(table: Table) -> Iterator[str]:
    wide = max(len(column.cell) for column in table.columns)
    heads = "".join(f"{outcome:>8}" for outcome in _SHOWN)
    yield f"{'cell':{wide}}  checked   lanes  release  {heads}  seconds"
    for column in table.columns:
        counts = table.count(column.cell)
        numbers = "".join(f"{counts[outcome]:8}" for outcome in _SHOWN)
        yield (
            f"{column.cell:{wide}}  {column.checked:8}  {column.wave:5}  {column.release:7}  "
            f"{numbers}  {table.seconds(column.cell):7.1f}"
        )


def _differences(table: Table, judgement: Judgement) -> Iterator[str]:
    for row in table.rows:
        if row.verdict not in (Verdict.DIFFERS, Verdict.FAILED):
            continue
        told = "; ".join(f"{p} {row.platforms[p]} ({row.checked[p]})" for p in PLATFORMS)
        yield f"{row.test}: {told}"
        for exemption in judgement.excused.get(row.key, ()):
            yield (
                f"    excepted until {exemption.expires}: {exemption.reason} "
                f"(issue {exemption.issue})"
            )
        for entry, cells in lacking(table, row):
            told = f": {entry.message}" if entry.message else ""
            yield f"    {entry.outcome} in {cells}{told}"


def _skipped(table: Table) -> Iterator[str]:
    for row in table.rows:
        if row.verdict is Verdict.SKIPPED:
            reasons = dict.fromkeys(e.message for e in row.entries.values() if e.message)
            yield f"{row.test}: {'; '.join(reasons)}"


def _areas(table: Table) -> Iterator[str]:
    groups: dict[tuple[str, Kind], list[Row]] = {}
    for row in table.rows:
        groups.setdefault((row.area, row.kind), []).append(row)
    wide = max(len("area"), *(len(name) for name, _ in groups))
    heads = "".join(f"{verdict:>9}" for verdict in Verdict)
    yield f"{'area':{wide}}    tests{heads}  checked on {', on '.join(PLATFORMS)}"
    for (name, _), rows in groups.items():
        counts = Counter(row.verdict for row in rows)
        numbers = "".join(f"{counts[verdict]:9}" for verdict in Verdict)
        ways = ", ".join(rows[0].checked[platform] for platform in PLATFORMS)
        yield f"{name:{wide}}  {len(rows):7}{numbers}  {ways}"


def _all(table: Table) -> Iterator[str]:
    for row in table.rows:
        yield row.test
        for column in table.columns:
            if column.cell in row.entries:
                entry = row.entries[column.cell]
                yield f"    {entry.outcome:8} {column.checked:8}  {column.cell}"
