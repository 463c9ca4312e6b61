"""The workload prints the figures of its measures, whichever package it is run with."""

import os
import sys
from pathlib import Path

import pytest

from benchmarks.actor_measures.rows import ROWS
from benchmarks.actor_measures.side import Side

DATA = Path(__file__).parent / "data"


@pytest.fixture
def side(monkeypatch: pytest.MonkeyPatch) -> Side:
    """Return a side whose package is the fake one."""
    monkeypatch.setenv("PYTHONPATH", str(DATA), prepend=os.pathsep)
    return Side("ours", "fake_actors", Path(sys.executable))


@pytest.mark.parametrize("measure", ["latency", "call8", "bytes", "start4", "kill", "memory"])
def test_workload_when_run_reports_the_rows_of_the_measure(side: Side, measure: str) -> None:
    outcome = side.run(measure, quick=True, timeout=50)
    assert (outcome.reason, outcome.left) == ("", 0)
    assert set(outcome.figures) == {row.figure for row in ROWS if row.measure == measure}
    assert all(value > 0 for value in outcome.figures.values())


def test_kills_when_counted_are_as_many_as_asked_for(side: Side) -> None:
    figures = side.run("kill", quick=True, timeout=50).figures
    assert figures["kills"] == 16
    assert figures["kill p50"] <= figures["kill p99"] < 5


def test_memory_when_summed_is_of_the_client_and_all_procs(side: Side) -> None:
    assert side.run("memory", quick=True, timeout=50).figures["processes"] == 17


def test_import_when_the_package_is_small_pulls_no_torch(side: Side) -> None:
    figures = side.run("import", quick=True, timeout=50).figures
    assert figures["torch modules"] == 0
    assert 0 < figures["import wall"] < 5
