"""Plant faults one by one and see whether the suite catches them: `python -m ci.mutants`.

A mutant is caught when a test fails that passes without it: one that the mutant names, or any
other twice. A fault that does not build is not caught: it says nothing of the suite. Exit status:
0, enough were caught; 1, too few; 2, the mutants cannot be run, and the reason is said.
"""

import argparse
import json
import os
import signal
import sys
import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

from ci import mutant_builds as builds
from ci import mutant_suite as suite
from ci.cells import ROOT
from ci.errors import ParityError
from ci.mutant_baseline import Baseline
from ci.mutant_suite import End, Part, Place, Ran
from ci.planting import AREAS, Mutant, check, copy_checkout, planted, read_mutants
from ci.saying import say

PLACE = ROOT / "build" / "mutants"
NEEDED = 0.9  # of all mutants; 36 of 40
_SECONDS = 900.0  # for one run of a part
_AGAIN = 3  # failed tests that are run a second time


class Verdict(StrEnum):
    """What became of a mutant."""

    CAUGHT = "caught"
    SURVIVED = "survived"
    BROKEN = "did not build"


@dataclass(frozen=True)
class Result:
    """A mutant's verdict: in which part, by which tests, after how many seconds."""

    mutant: Mutant
    verdict: Verdict
    part: str = ""
    tests: tuple[str, ...] = ()
    note: str = ""
    seconds: float = 0.0

    @property
    def is_caught(self) -> bool:
        """Whether the suite caught it."""
        return self.verdict is Verdict.CAUGHT


def newly_failed(ran: Ran, baseline: Mapping[str, bool]) -> list[str]:
    """Return the tests that failed and pass without the fault."""
    return sorted(name for name in ran.failed if baseline.get(name))


def is_enough(results: Collection[Result]) -> bool:
    """Tell whether the suite caught what it has to catch."""
    return sum(one.is_caught for one in results) >= NEEDED * len(results)


def selections(mutants: Iterable[Mutant]) -> dict[Part, list[str]]:
    """Return the tests that mutants name, by the part that runs them."""
    found: dict[Part, list[str]] = {}
    for mutant in mutants:
        for platform in mutant.platforms:
            for test in mutant.caught_by:
                tests = found.setdefault(suite.part_of(test, platform), [])
                if test not in tests:
                    tests.append(test)
    return found


def judge(
    mutant: Mutant, wanted: Mapping[Part, Sequence[str]], place: Place, baseline: Baseline
) -> Result:
    """Plant a mutant and run tests part by part until one catches it."""
    start = time.monotonic()
    made: list[Path] = []
    try:
        with planted(mutant, place.tree):
            result = _judged(mutant, wanted, place, baseline, made)
    except builds.BuildError as error:
        result = Result(mutant, Verdict.BROKEN, note=str(error)[-1500:])
    finally:
        builds.forget(place, made)
    return replace(result, seconds=round(time.monotonic() - start, 1))


def _judged(
    mutant: Mutant,
    wanted: Mapping[Part, Sequence[str]],
    place: Place,
    baseline: Baseline,
    made: list[Path],
) -> Result:
    """Judge a planted mutant; `made` gets the libraries of the emulator that have the fault."""
    for platform in mutant.platforms:
        # A module may still have the fault before this one.
        if any(part.kind == "protocol" for part in wanted):
            builds.build_module(place, platform)
        made += builds.build_emulator(place, platform)
    for part, tests in wanted.items():
        result = _tried(mutant, part, tests, place, baseline)
        if result.verdict is not Verdict.SURVIVED:
            return result
    return Result(mutant, Verdict.SURVIVED)


def _tried(
    mutant: Mutant, part: Part, tests: Sequence[str], place: Place, baseline: Baseline
) -> Result:
    """Run tests of a part with the fault, and those that fail and are not named once more.

    A busy machine fails a test now and then. What the emulator itself found as a run ended does
    not depend on that.
    """
    ran = suite.run(part, place, tests, _SECONDS)
    if ended := _ended_early(mutant, part, ran):
        return ended
    failed = newly_failed(ran, baseline.of(part))
    named = [test for test in failed if test.startswith(mutant.caught_by)]
    busy = [test for test in failed if not test.startswith(suite.ENDING)][:_AGAIN]
    if busy and not named:
        again = suite.run(part, place, busy, _SECONDS)
        if ended := _ended_early(mutant, part, again):
            return ended
        failed = newly_failed(again, baseline.of(part))
    if failed:
        return Result(mutant, Verdict.CAUGHT, part.name, tuple(named or failed))
    return Result(mutant, Verdict.SURVIVED)


def _ended_early(mutant: Mutant, part: Part, ran: Ran) -> Result | None:
    """Return the verdict of a run that says nothing of its tests; None when it has finished."""
    if ran.end is End.BROKE:
        return Result(mutant, Verdict.BROKEN, part.name, note=ran.said[-1500:])
    if ran.end is End.HUNG:
        return Result(mutant, Verdict.CAUGHT, part.name, note="hung")
    return None


def table(results: Collection[Result]) -> str:
    """Lay out a line per mutant, the sentence of each that was not caught, and the counts."""
    wide = max((len(one.mutant.id) for one in results), default=0)
    lines = [f"{'mutant':{wide}}  {'verdict':13}  {'seconds':>7}  by"]
    for one in results:
        by = f"{one.part}: {', '.join(one.tests[:1]) or one.note}" if one.is_caught else ""
        more = f" and {len(one.tests) - 1} more" if len(one.tests) > 1 else ""
        line = f"{one.mutant.id:{wide}}  {one.verdict:13}  {one.seconds:7.1f}  {by}{more}"
        lines.append(line.rstrip())
    lines += [
        f"{one.verdict}: {one.mutant.id}: {one.mutant.fault}\n{one.note}".rstrip()
        for one in results
        if not one.is_caught
    ]
    for area in AREAS:
        own = [one.is_caught for one in results if one.mutant.area == area]
        lines.append(f"{area}: {sum(own)} of {len(own)} caught")
    return "\n".join([*lines, f"mutants: {_summary(results)}"])


def _summary(results: Collection[Result]) -> str:
    return f"{sum(one.is_caught for one in results)} of {len(results)} caught"


def run(mutants: Sequence[Mutant], place: Place, *, copies: bool = True) -> list[Result]:
    """Run mutants: first against the tests that they name, then survivors against all."""
    if copies:
        copy_checkout(ROOT, place.tree)
    check(mutants, place.tree)
    builds.prepare(place, sorted({name for one in mutants for name in one.platforms}))
    baseline = Baseline(place)
    baseline.learn(selections(mutants))
    results = {}
    for number, mutant in enumerate(mutants, 1):
        results[mutant.id] = judge(mutant, selections([mutant]), place, baseline)
        say(f"{number} of {len(mutants)}, {mutant.id}: {results[mutant.id].verdict}")
    for mutant in mutants:
        if results[mutant.id].verdict is Verdict.SURVIVED:
            say(f"{mutant.id}: all tests of its area")
            builds.restore(place, mutant.platforms)
            baseline.learn(all_of(mutant))
            results[mutant.id] = judge(mutant, all_of(mutant), place, baseline)
    return list(results.values())


def all_of(mutant: Mutant) -> dict[Part, Sequence[str]]:
    """Return all tests that look for faults of a mutant's area, by part."""
    return {
        part: suite.WHOLE[part.kind]
        for kind in suite.KINDS[mutant.area]
        for part in suite.parts_of(kind, mutant.platforms)
    }


def main(arguments: Sequence[str]) -> int:
    """Run the mutants that are asked for, and print what became of each."""
    asked = _parser().parse_args(arguments)
    try:
        mutants = _chosen(read_mutants(), asked.only)
        if asked.list:
            print("\n".join(f"{one.id}\n    {one.file}: {one.fault}" for one in mutants))
            return 0
        os.nice(10)
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        results = run(mutants, Place(PLACE), copies=not asked.as_copied)
    except ParityError as error:
        say(str(error))
        return 2
    except KeyboardInterrupt:
        say("interrupted; the fault is taken out of the copy")
        return 130
    print(table(results))
    if asked.json is not None:
        asked.json.write_text(json.dumps(_as_json(results), indent=1) + "\n", encoding="utf-8")
    return 0 if is_enough(results) else 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("python -m ci.mutants", description=__doc__)
    add = parser.add_argument
    add("--only", nargs="+", metavar="ID", default=(), help="run these alone")
    add("--as-copied", action="store_true", help="leave the copy of the checkout as it is")
    add("--list", action="store_true", help="show the mutants, run none")
    add("--json", type=Path, metavar="FILE", help="write the results there too")
    return parser


def _chosen(mutants: Mapping[str, Mutant], only: Sequence[str]) -> list[Mutant]:
    if unknown := [name for name in only if name not in mutants]:
        raise ParityError(f"ci/mutants.toml has no mutant {', '.join(unknown)}; --list shows all")
    return [mutants[name] for name in only] if only else list(mutants.values())


def _as_json(results: Collection[Result]) -> dict[str, object]:
    return {
        "schema_version": 1,
        "summary": _summary(results),
        "results": [
            {
                "mutant": one.mutant.id,
                "area": one.mutant.area,
                "fault": one.mutant.fault,
                "verdict": one.verdict,
                "part": one.part,
                "tests": one.tests,
                "note": one.note,
                "seconds": one.seconds,
            }
            for one in results
        ],
    }


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
