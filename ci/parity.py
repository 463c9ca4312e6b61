"""Join the reports of cells into the CUDA x ROCm table: `python -m ci.parity REPORT...`.

Exit status: 0, each test passes on both platforms, is skipped on both, or is excepted; 1, a test
passes on one platform only, or on neither, or an exception is wrong; 2, the table cannot be made.
"""

import argparse
import datetime as dt
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from ci import exceptions, joining, junit, table_html, table_json, table_text
from ci.cells import Cell, read_matrix
from ci.errors import ParityError
from ci.joining import Table
from ci.verdicts import holds


def main(arguments: Sequence[str]) -> int:
    """Print the table, write its other forms, and judge it."""
    asked = _parser().parse_args(arguments)
    try:
        cells = read_matrix()
        table = joining.join([junit.read(path) for path in report_files(asked.reports)])
        _expect(asked.expect, table, cells)
        listed = exceptions.read_exceptions(cells.values(), asked.exceptions)
    except ParityError as error:
        print(f"ci.parity: {error}", file=sys.stderr)
        return 2
    judgement = exceptions.judge(table, listed, dt.datetime.now(dt.UTC).date())
    if asked.json:
        _write(asked.json, table_json.render(table, judgement))
    if asked.html:
        _write(asked.html, table_html.render(table, judgement))
    print(table_text.render(table, judgement, all_rows=asked.rows), end="")
    return 0 if holds(table, judgement) else 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "python -m ci.parity",
        description="Join JUnit reports of `python -m ci.run` into one table of both platforms.",
    )
    add = parser.add_argument
    add("reports", nargs="+", type=Path, metavar="REPORT", help="a report, or a folder of them")
    add("--json", type=Path, metavar="FILE", help="write the table as JSON")
    add("--html", type=Path, metavar="FILE", help="write the table as a page")
    add("--rows", action="store_true", help="print each test with each of its cells")
    add(
        "--expect",
        action="append",
        default=[],
        metavar="RUNNER",
        help="each cell of this kind of runner has to have a report; may be repeated",
    )
    add("--exceptions", type=Path, default=exceptions.EXCEPTIONS, metavar="FILE")
    return parser


def report_files(given: Iterable[Path]) -> list[Path]:
    """Return the reports: files as named, and those directly in folders."""
    files: list[Path] = []
    for path in given:
        inside = sorted(path.glob("*.xml")) if path.is_dir() else [path]
        if not inside:
            raise ParityError(f"{path} has no report in it: no file ends with .xml")
        files += inside
    return files


def _expect(runners: Iterable[str], table: Table, cells: Mapping[str, Cell]) -> None:
    there = {column.cell for column in table.columns}
    for runner in runners:
        own = [cell.id for cell in cells.values() if cell.runner.name == runner]
        if not own:
            raise ParityError(f"--expect {runner}: no rule of ci/matrix.toml has this runner")
        if lost := [cell for cell in own if cell not in there]:
            raise ParityError(f"no report was given of {', '.join(lost)}; did it break off?")


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
