"""JUnit files of cells: stamped with what the cell is, and read back whole or not at all."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from xml.etree import ElementTree as ET

from ci.errors import ParityError

# What a report says of its cell. `release` is that of the toolkit which was found.
FACTS = ("cell", "platform", "toolkit", "release", "target", "wave", "python", "checked")
# Where it is known: the sources that were tested.
REVISION = "revision"
_CELL = re.compile(r'<property name="cell" value="([^"]+)"')
_HEAD = 4096  # characters in which a cut file still tells its cell
_MESSAGE, _DETAIL = 400, 6000  # characters kept of what a test says


class Outcome(StrEnum):
    """What became of a test in a cell, worst first."""

    FAILED = "failed"
    MISSING = "missing"
    SKIPPED = "skipped"
    PASSED = "passed"


WORST = tuple(Outcome)


@dataclass(frozen=True)
class Case:
    """One test case as the report has it; `place` is the dotted module with its classes."""

    place: str
    name: str
    outcome: Outcome
    seconds: float
    message: str = ""
    detail: str = ""


@dataclass(frozen=True)
class Report:
    """A cell's facts and its cases, and the file that they are read from.

    `revision`: of the sources; empty where the run did not know.
    """

    path: Path
    facts: Mapping[str, str]
    cases: tuple[Case, ...]
    revision: str = ""


def stamp(source: Path, target: Path, facts: Mapping[str, str]) -> int:
    """Write a finished report with its cell's facts as properties; return the number of its cases.

    `target` is there whole or not at all. Raises ParityError, which names the cell, for a report
    that is missing, cut off or empty: pytest writes it last, so one that was killed leaves none.
    """
    root = _parse(source, facts["cell"])
    cases = sum(1 for _ in root.iter("testcase"))
    suite = next(root.iter("testsuite"), None)
    if suite is None or not cases:
        raise ParityError(f"cell {facts['cell']}: {source} has no test in it; none was run")
    own = suite.find("properties")
    properties = ET.Element("properties") if own is None else own
    if own is None:
        suite.insert(0, properties)
    for number, (name, value) in enumerate(facts.items()):
        properties.insert(number, ET.Element("property", name=name, value=value))
    target.parent.mkdir(parents=True, exist_ok=True)
    partial = target.with_name(f"{target.name}.partial")
    ET.ElementTree(root).write(partial, encoding="utf-8", xml_declaration=True)
    partial.replace(target)
    return cases


def read(path: Path) -> Report:
    """Return a stamped report.

    Raises ParityError, which names the cell, for one that is missing, cut off, empty or without
    what it has to say of its cell.
    """
    root = _parse(path, cell_of(path))
    found = {p.get("name", ""): p.get("value", "") for p in root.iter("property")}
    if lacking := [name for name in FACTS if not found.get(name)]:
        raise ParityError(
            f"{path} does not say its {', '.join(lacking)}; reports of cells come from "
            f"`python -m ci.run CELL --junit FILE`"
        )
    cases = tuple(_case(element) for element in root.iter("testcase"))
    if not cases:
        raise ParityError(f"cell {found['cell']}: {path} has no test in it")
    facts = {name: found[name] for name in FACTS}
    return Report(path, facts, cases, found.get(REVISION, ""))


def path_of(place: str) -> tuple[list[str], list[str]]:
    """Return a case's dotted place as folders with their module, and the classes in it."""
    parts = place.split(".")
    last = max((i for i, part in enumerate(parts) if part.startswith("test_")), default=0)
    return parts[: last + 1], parts[last + 1 :]


def name_of(name: str) -> tuple[str, str]:
    """Return a case's function and its parameters, less the group that xdist adds to the name."""
    function, bracket, inside = name.partition("[")
    parameters, _, _group = inside.rpartition("]")
    return (function, parameters) if bracket else (function.partition("@")[0], "")


def cell_of(path: Path) -> str:
    """Return the cell that a file says it is of, even one that is cut off; else its name."""
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            stated = _CELL.search(file.read(_HEAD))
    except OSError:
        stated = None
    return stated[1] if stated else path.stem


def _parse(path: Path, cell: str) -> ET.Element:
    try:
        return ET.parse(path).getroot()  # noqa: S314 - our own runs of pytest wrote it
    except FileNotFoundError:
        raise ParityError(
            f"cell {cell}: no report at {path}; its run was ended before pytest wrote one, or the "
            "path is another"
        ) from None
    except (OSError, ET.ParseError) as error:
        raise ParityError(f"cell {cell}: {path} is no whole report: {error}") from error


def _case(element: ET.Element) -> Case:
    said = {child.tag: child for child in element}
    failure, skip = said.get("failure", said.get("error")), said.get("skipped")
    outcome = Outcome.PASSED if skip is None else Outcome.SKIPPED
    message = detail = ""
    if failure is not None:
        outcome, detail = Outcome.FAILED, failure.text or ""
    if (told := skip if failure is None else failure) is not None:
        message = _short(told.get("message", ""), _MESSAGE)
    return Case(
        element.get("classname", ""),
        element.get("name", ""),
        outcome,
        float(element.get("time", 0)),
        message,
        detail[-_DETAIL:],
    )


def _short(text: str, limit: int) -> str:
    line = " ".join(text.split())
    return line if len(line) <= limit else f"{line[: limit - 1]}…"
