"""The areas of the suite: what each one runs, and what its outcome is."""

import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree as ET

AREA_SECONDS = 3000


@dataclass(frozen=True)
class Area:
    """Commands that run in order until one fails; `junit` is a test report they leave behind."""

    name: str
    commands: tuple[Sequence[str], ...]
    junit: Path | None = None


@dataclass(frozen=True)
class Tally:
    """Counts of one folder of tests; `seconds` is the sum over its tests, not wall time."""

    passed: int = 0
    failed: int = 0
    skipped: int = 0
    seconds: float = 0.0
    functions: frozenset[str] = frozenset()

    def __add__(self, other: "Tally") -> "Tally":
        return Tally(
            self.passed + other.passed,
            self.failed + other.failed,
            self.skipped + other.skipped,
            self.seconds + other.seconds,
            self.functions | other.functions,
        )


@dataclass(frozen=True)
class Outcome:
    """What an area came to. `folders` is empty for an area that has no tests."""

    area: Area
    ok: bool
    seconds: float
    folders: Mapping[str, Tally] = field(default_factory=dict)


def run(area: Area, root: Path) -> Outcome:
    """Run one area with its output on the terminal."""
    if area.junit is not None:
        area.junit.unlink(missing_ok=True)
    start = time.monotonic()
    ok = all(_succeeds(command, root) for command in area.commands)
    seconds = time.monotonic() - start
    if area.junit is None:
        return Outcome(area, ok, seconds)
    folders = read_junit(area.junit, area.name) if area.junit.exists() else {}
    return Outcome(area, ok and bool(folders), seconds, folders)


def _succeeds(command: Sequence[str], root: Path) -> bool:
    try:
        done = subprocess.run(command, cwd=root, check=False, timeout=AREA_SECONDS)
    except subprocess.TimeoutExpired:
        print(f"{command[0]} was not done after {AREA_SECONDS} s and was ended")
        return False
    except OSError as error:
        print(f"{command[0]} could not be run: {error}")
        return False
    return done.returncode == 0


def read_junit(report: Path, fallback: str) -> dict[str, Tally]:
    """Sum a JUnit report by folder; tests that name no folder count under `fallback`."""
    folders: dict[str, Tally] = {}
    for case in ET.parse(report).iter("testcase"):  # noqa: S314 - our own test runners wrote it
        place = case.get("classname", "")
        folder = _folder(place) if place.startswith("tests.") else fallback
        folders[folder] = folders.get(folder, Tally()) + _count(case, place)
    return folders


def _folder(classname: str) -> str:
    """Return the first two parts of a dotted test module: tests.porting.test_x is in the second."""
    return "/".join(classname.split(".")[:2])


def _count(case: ET.Element, place: str) -> Tally:
    name = case.get("name", "")
    outcome = {child.tag for child in case}
    failed = bool(outcome & {"failure", "error"})
    skipped = not failed and "skipped" in outcome
    return Tally(
        passed=int(not failed and not skipped),
        failed=int(failed),
        skipped=int(skipped),
        seconds=float(case.get("time", 0)),
        functions=frozenset({f"{place}.{name.partition('[')[0]}"}),
    )
