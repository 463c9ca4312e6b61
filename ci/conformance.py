"""What a real GPU did with each test of the parity suite, recorded, beside what is emulated.

    python -m ci.conformance record REPORT...   take over the reports of cells checked on a device
    python -m ci.conformance show REPORT...     compare reports of emulated cells with the record

The record is ci/conformance/PLATFORM.json.  It has an answer per test and target, and
an emulated cell is compared with the GPU of its own target. A test that this GPU has not run yet is
said to be never recorded; one that it decides otherwise, or that the report lacks, is an error
(exit status 1).
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
SCHEMA = 2
_FACTS = ("cell", "release")
# By test and by target: the outcome and the facts of the run.
Record = Mapping[str, Mapping[str, Mapping[str, str]]]


@dataclass(frozen=True)
class Comparison:
    """Tests by what a GPU says of them: the same, something else, nothing.

    Missing are those that a GPU has run and the report lacks.
    """

    same: tuple[str, ...]
    different: tuple[str, ...]
    never: tuple[str, ...]
    missing: tuple[str, ...]


def rows_of(report: Report) -> dict[str, Outcome]:
    """Return the outcome of each test of a report, under the name of its row."""
    platform = report.facts["platform"]
    return {row_name(case.place, case.name, platform): case.outcome for case in report.cases}


def recorded(known: Record, report: Report) -> Record:
    """Return a record with what a report of a device says; a test that was skipped says nothing.

    Raises ParityError for a report of a cell that was not checked on a device.
    """
    _check(report, "device", "what ran on a device is recorded")
    told = {name: report.facts[name] for name in _FACTS}
    rows = dict(known)
    for test, outcome in rows_of(report).items():
        if outcome is not Outcome.SKIPPED:
            answer = {report.facts["target"]: {"outcome": str(outcome), **told}}
            rows[test] = dict(sorted({**rows.get(test, {}), **answer}.items()))
    return dict(sorted(rows.items()))


def compare(known: Record, report: Report) -> Comparison:
    """Return what the GPU of its target says of the tests that an emulated cell ran.

    Raises ParityError for a report of a cell that was not emulated.
    """
    _check(report, "emulated", "what was emulated is compared")
    target, rows = report.facts["target"], rows_of(report)
    answers = {test: row[target]["outcome"] for test, row in known.items() if target in row}
    both = sorted(rows.keys() & answers.keys())
    return Comparison(
        same=tuple(test for test in both if rows[test] == answers[test]),
        different=tuple(test for test in both if rows[test] != answers[test]),
        never=tuple(sorted(rows.keys() - answers.keys())),
        missing=tuple(sorted(answers.keys() - rows.keys())),
    )


def _check(report: Report, checked: str, taken: str) -> None:
    facts = report.facts
    if facts["checked"] != checked:
        raise ParityError(f"cell {facts['cell']} was {facts['checked']}; only {taken}")


def load(platform: str, folder: Path | None = None) -> Record:
    """Return the record of a platform.  Raises ParityError for a file of another schema."""
    path = (folder or FOLDER) / f"{platform}.json"
    if not path.is_file():
        return {}
    known = json.loads(path.read_text())
    if known.get("schema_version") != SCHEMA:
        raise ParityError(f"{path} has schema {known.get('schema_version')}; {SCHEMA} is read here")
    rows: Record = known["tests"]
    return rows


def save(platform: str, rows: Record, folder: Path | None = None) -> None:
    """Write the record of a platform, whole or not at all."""
    path = (folder or FOLDER) / f"{platform}.json"
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
        differences += len(found.different) + len(found.missing)
        print(
            f"{cell}: {len(found.same)} as on a GPU, {len(found.different)} otherwise, "
            f"{len(found.missing)} missing, {len(found.never)} never recorded on one"
        )
        for test in found.different:
            print(f"  {test}: otherwise on a GPU")
        for test in found.missing:
            print(
                f"  {test}: recorded on a GPU and not in the report; run it, or take it out of the "
                f"record when it is no more"
            )
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
