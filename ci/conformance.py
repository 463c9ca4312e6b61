"""What a real GPU did with each test of the parity suite, recorded, beside what is emulated.

    python -m ci.conformance record REPORT...   take over the reports of cells checked on a device
    python -m ci.conformance show REPORT...     compare reports of emulated cells with the record

The record is ci/conformance/PLATFORM.json.  A test that no GPU has run yet is said to be never
recorded, and an emulated one that a GPU decides otherwise is an error (exit status 1).
"""

import argparse
import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ci.errors import ParityError
from ci.joining import row_name
from ci.junit import Outcome, Report, read

FOLDER = Path(__file__).with_name("conformance")
SCHEMA = 1
_FACTS = ("cell", "release", "target")


@dataclass(frozen=True)
class Comparison:
    """Tests by what a GPU says of them: the same, something else, nothing."""

    same: tuple[str, ...]
    different: tuple[str, ...]
    never: tuple[str, ...]


def rows_of(report: Report) -> dict[str, Outcome]:
    """Return the outcome of each test of a report, under the name of its row."""
    platform = report.facts["platform"]
    return {row_name(case.place, case.name, platform): case.outcome for case in report.cases}


def recorded(known: Mapping[str, Mapping[str, str]], report: Report) -> dict[str, dict[str, str]]:
    """Return a record with what a report of a device says; a test that was skipped says nothing.

    Raises ParityError for a report of a cell that was not checked on a device.
    """
    facts = report.facts
    if facts["checked"] != "device":
        raise ParityError(
            f"cell {facts['cell']} was {facts['checked']}; only what ran on a device is recorded"
        )
    told = {name: facts[name] for name in _FACTS}
    new = {
        test: {"outcome": str(outcome), **told}
        for test, outcome in rows_of(report).items()
        if outcome is not Outcome.SKIPPED
    }
    return {test: dict(row) for test, row in sorted({**known, **new}.items())}


def compare(known: Mapping[str, Mapping[str, str]], report: Report) -> Comparison:
    """Return what a GPU says of the tests that an emulated cell ran."""
    found: dict[str, list[str]] = {"same": [], "different": [], "never": []}
    for test, outcome in sorted(rows_of(report).items()):
        row = known.get(test)
        found["never" if row is None else _agreement(row, outcome)].append(test)
    return Comparison(*(tuple(found[kind]) for kind in ("same", "different", "never")))


def _agreement(row: Mapping[str, str], outcome: Outcome) -> str:
    return "same" if row["outcome"] == outcome else "different"


def load(platform: str, folder: Path = FOLDER) -> dict[str, dict[str, str]]:
    """Return the record of a platform.  Raises ParityError for a file of another schema."""
    path = folder / f"{platform}.json"
    if not path.is_file():
        return {}
    known = json.loads(path.read_text())
    if known.get("schema_version") != SCHEMA:
        raise ParityError(f"{path} has schema {known.get('schema_version')}; {SCHEMA} is read here")
    rows: dict[str, dict[str, str]] = known["tests"]
    return rows


def save(platform: str, rows: Mapping[str, Mapping[str, str]], folder: Path = FOLDER) -> None:
    """Write the record of a platform, whole or not at all."""
    path = folder / f"{platform}.json"
    partial = path.with_suffix(".partial")
    partial.write_text(json.dumps({"schema_version": SCHEMA, "tests": rows}, indent=1) + "\n")
    partial.replace(path)


def main(arguments: Sequence[str]) -> int:
    """Record or compare."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("what", choices=["record", "show"])
    parser.add_argument("reports", nargs="+", type=Path)
    given = parser.parse_args(arguments)
    try:
        reports = [read(path) for path in given.reports]
        if given.what == "record":
            _record(reports)
            return 0
        return _show(reports)
    except ParityError as error:
        sys.stderr.write(f"ci.conformance: {error}\n")
        return 2


def _record(reports: Iterable[Report]) -> None:
    for report in reports:
        platform = report.facts["platform"]
        rows = recorded(load(platform), report)
        save(platform, rows)
        print(f"{platform}: {len(rows)} tests are recorded")


def _show(reports: Iterable[Report]) -> int:
    differences = 0
    for report in reports:
        platform, cell = report.facts["platform"], report.facts["cell"]
        found = compare(load(platform), report)
        differences += len(found.different)
        print(
            f"{cell}: {len(found.same)} as on a GPU, {len(found.different)} otherwise, "
            f"{len(found.never)} never recorded on one"
        )
        for test in found.different:
            print(f"  {test}: otherwise on a GPU")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
