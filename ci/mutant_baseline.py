"""What the tests do without a fault, run once for a state of the sources and remembered."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ci.errors import ParityError
from ci.mutant_suite import End, Part, Place, run
from ci.planting import copied_files
from ci.saying import say

_SECONDS = 2400.0


class Baseline:
    """Outcomes of tests by part. A file beside the copy keeps them while the copy is as it was."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self._file = place.root / "baseline.json"
        self._digest = _digest(place.tree)
        known = _read(self._file)
        if known.get("digest") != self._digest:
            known = {"asked": {}, "tests": {}}
        self._asked: dict[str, list[str]] = known["asked"]
        self._tests: dict[str, dict[str, bool]] = known["tests"]

    def of(self, part: Part) -> Mapping[str, bool]:
        """Return whether each test that is known of a part passes."""
        return self._tests.get(part.name, {})

    def learn(self, wanted: Mapping[Part, Sequence[str]]) -> None:
        """Run what is not known yet.  Raises ParityError when a part cannot run at all."""
        for part, tests in wanted.items():
            asked = self._asked.setdefault(part.name, [])
            if missing := [test for test in tests if test not in asked]:
                self._run(part, missing)
                asked += missing
                self._write()

    def _run(self, part: Part, tests: Sequence[str]) -> None:
        say(f"without a fault: {part.name}, {len(tests)} selections")
        ran = run(part, self._place, tests, _SECONDS)
        if ran.end is not End.FINISHED:
            raise ParityError(f"{part.name} {ran.end} without any fault:\n{ran.said}")
        if ran.failed:
            say(f"  {len(ran.failed)} fail and catch nothing: {', '.join(sorted(ran.failed))}")
        self._tests.setdefault(part.name, {}).update(ran.tests)

    def _write(self) -> None:
        known = {"digest": self._digest, "asked": self._asked, "tests": self._tests}
        self._file.write_text(json.dumps(known), encoding="utf-8")


def _read(file: Path) -> dict[str, Any]:
    try:
        return dict(json.loads(file.read_text(encoding="utf-8")))
    except (OSError, ValueError):
        return {}


def _digest(tree: Path) -> str:
    made = hashlib.sha256()
    for name in sorted(copied_files(tree)):
        made.update(f"{name}\n".encode() + (tree / name).read_bytes())
    return made.hexdigest()
