"""A side's client gives figures, or the reason why not, and none of its processes outlives it."""

import os
import subprocess
import sys
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.actor_measures.floor import python_floor
from benchmarks.actor_measures.process_tree import (
    RUN_VARIABLE,
    left_behind,
    members,
    proportional_bytes,
)
from benchmarks.actor_measures.side import SKIPPED, Side, last_line, parse, reason

SLEEPER = "import sys; print('up', flush=True); sys.stdin.read()"


@pytest.fixture
def run() -> Iterator[str]:
    """Return a run's name, whose processes end with the test."""
    name = uuid.uuid4().hex
    yield name
    left_behind(name, 0)


def sleeper(run: str, code: str = SLEEPER) -> subprocess.Popen[str]:
    """Return a process of the run that has begun and waits."""
    child = subprocess.Popen(
        [sys.executable, "-c", code],
        env=os.environ | {RUN_VARIABLE: run},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert child.stdout is not None
    assert child.stdout.readline() == "up\n"
    return child


def end(child: subprocess.Popen[str]) -> int:
    """Close a process's pipes and return its status."""
    child.communicate(timeout=30)
    return child.returncode


def test_members_when_a_process_is_not_of_the_run(run: str) -> None:
    child, other = sleeper(run), sleeper(f"{run}2")
    assert members(run) == [child.pid]
    assert proportional_bytes([child.pid]) > 1 << 20
    assert (end(child), end(other)) == (0, 0)
    assert members(run) == []


def test_left_behind_when_the_parent_is_gone(run: str) -> None:
    orphan = f"import subprocess, sys; subprocess.Popen([sys.executable, '-c', {SLEEPER!r}])"
    orphan += "; print('up', flush=True)"
    child = sleeper(run, orphan)
    child.wait(30)
    left = left_behind(run, 0)
    assert len(left) == 1
    assert members(run) == []
    end(child)


def test_left_behind_when_all_ended_in_time(run: str) -> None:
    child = sleeper(run)
    assert end(child) == 0
    assert left_behind(run, 1) == []


def test_side_when_its_package_is_not_there() -> None:
    side = Side("ours", "no_such_package", Path(sys.executable))
    outcome = side.run("latency", quick=True, timeout=30)
    assert outcome.figures == {}
    assert outcome.reason.startswith("exit status 1: ModuleNotFoundError: ")
    assert (outcome.left, outcome.skipped) == (0, False)


def test_side_when_missing_runs_nothing() -> None:
    side = Side("peer", "monarch.actor", Path(os.devnull), "not installed")
    assert side.run("latency", quick=True, timeout=1).reason == "not installed"


def test_figures_when_the_client_says_other_things_too() -> None:
    text = 'a log line\n{"figure": "kill p50", "value": 0.25}\n{"other": 1}\n'
    assert parse(text) == {"kill p50": 0.25}


@pytest.mark.parametrize(
    ("status", "said", "told"),
    [
        (0, "a warning", ""),
        (None, "", "no end after 3 s"),
        (-9, "", "SIGKILL"),
        (1, "E: no", "exit status 1: E: no"),
        (SKIPPED, "python has no torch", "python has no torch"),
    ],
)
def test_reason_when_the_client_ended(status: int | None, said: str, told: str) -> None:
    assert reason(status, said, 3) == told


def test_last_line_when_the_output_ends_in_blank_lines() -> None:
    assert last_line("Traceback\nValueError: x\n\n") == "ValueError: x"
    assert last_line("\n") == ""


def test_python_floor_when_measured_has_an_order() -> None:
    p50, p99 = python_floor(200)
    assert 0 < p50 <= p99
