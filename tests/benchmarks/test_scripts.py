"""Every script of benchmarks/ prints one table and a summary, and writes all figures as JSON."""

from pathlib import Path
from typing import Any

import pytest

from tests.benchmarks.script_runs import QUICK, SCRIPTS, report_of, run_script

# The port's needs torch and the package index; the emulator's is run by its own test.
LONG = frozenset({"emulator", "porting"})


def test_scripts_when_listed_have_a_short_run_each() -> None:
    assert set(QUICK) == set(SCRIPTS)


@pytest.mark.parametrize("name", SCRIPTS)
def test_script_when_asked_for_help_offers_json(name: str) -> None:
    done = run_script(name, "--help")
    assert done.returncode == 0, done.stderr
    assert "--json FILE" in done.stdout


def numbers(told: Any) -> int:  # noqa: ANN401 # what JSON holds
    """Return how many numbers there are in a document."""
    if isinstance(told, dict):
        return sum(numbers(each) for each in told.values())
    if isinstance(told, list):
        return sum(numbers(each) for each in told)
    return int(isinstance(told, int | float) and not isinstance(told, bool))


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.soak if name in LONG else ()) for name in SCRIPTS],
)
def test_script_when_run_prints_one_table_and_writes_all_figures(name: str, tmp_path: Path) -> None:
    report = report_of(name, tmp_path)
    assert len(report.lines) >= 3
    assert "" not in report.lines  # a gap would part two tables
    summary = report.told["summary"]
    assert report.lines[-1] == summary
    assert report.lines.count(summary) == 1
    assert "\n" not in summary
    assert numbers(report.told) >= 3
