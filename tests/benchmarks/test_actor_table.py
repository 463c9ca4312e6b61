"""The table of the actor benchmark: medians, ratios, verdicts, and why a figure is missing."""

import pytest

from benchmarks.actor_measures.rows import ROWS, Row
from benchmarks.actor_measures.side import Outcome
from benchmarks.actor_measures.table import Results

TIME = Row("a", "m", "time", "us", 1e6, times=8, limit=60)
RATE = Row("a", "m", "rate", "calls/s", times=8, higher_is_better=True)


@pytest.mark.parametrize(
    ("row", "ours", "peer", "verdict"),
    [
        (TIME, 50e-6, 400e-6, "met"),
        (TIME, 50e-6, 399e-6, "MISSED"),
        (TIME, 61e-6, 800e-6, "MISSED"),
        (TIME, None, 400e-6, "not measured"),
        (TIME, 50e-6, None, "no peer"),
        (TIME, 61e-6, None, "MISSED"),
        (RATE, 8000, 1000, "met"),
        (RATE, 1000, 8000, "MISSED"),
        (Row("a", "m", "death", "ms", 1e3, limit=50), 0.05, None, "met"),
        (Row("a", "m", "told", "ms"), 1, 2, ""),
    ],
)
def test_verdict_when_compared(
    row: Row, ours: float | None, peer: float | None, verdict: str
) -> None:
    assert row.verdict(ours, peer) == verdict


def latency(p50: float, p99: float) -> Outcome:
    return Outcome({"call_one p50": p50, "call_one p99": p99})


def test_results_when_runs_differ_take_the_medians() -> None:
    ours = [latency(40e-6, 90e-6), latency(50e-6, 100e-6), latency(900e-6, 9e-3)]
    results = Results({"latency": ours}, {"latency": [latency(500e-6, 450e-6)]})
    line = results.table().splitlines()[1]
    assert line.split()[-7:] == ["us", "50", "500", "10.0x", "8x", "60", "met"]
    assert results.summary() == (
        "actors: 1 of 2 wanted figures are met; missed: call_one, 64 B, p99"
    )
    assert [row.figure for row in results.missed()] == ["call_one p99"]


def test_results_when_a_side_failed_say_why_once() -> None:
    failed = Outcome(reason="exit status 1: no core")
    runs = {"latency": [failed, failed], "call8": [failed]}
    results = Results(runs, {name: [Outcome()] for name in runs})
    told = [line for line in results.table().splitlines() if line.startswith("not measured")]
    assert told == ["not measured: ours, latency, call8: exit status 1: no core"]
    assert len(results.missed()) == 3


def test_results_when_torch_is_absent_are_no_failure() -> None:
    absent = Outcome(reason="python has no torch", skipped=True)
    results = Results({"tensor": [absent]}, {"tensor": [absent]})
    assert results.missed() == []
    assert results.summary() == ("actors: 0 of 1 wanted figures are met; 1 could not be told")


def test_results_when_processes_are_left_say_how_many() -> None:
    results = Results({"start4": [Outcome({"start 4": 1.0}, left=2)]}, {})
    assert "ours, start4: 2 processes lived on after the client" in results.table()


def test_json_when_written_has_all_runs_and_the_summary() -> None:
    floor = Outcome({"floor C++ p50": 9e-6})
    results = Results(
        {"latency": [latency(40e-6, 9e-5)]}, {"latency": [latency(4e-4, 9e-4)]}, floor
    )
    told = results.as_json()
    assert told["summary"] == results.summary()
    assert told["floor"] == {"floor C++ p50": 9e-6}
    assert told["runs"] == {
        "ours": {"latency": [{"call_one p50": 40e-6, "call_one p99": 9e-5}]},
        "peer": {"latency": [{"call_one p50": 4e-4, "call_one p99": 9e-4}]},
    }
    assert "our call_one p50 is 4.4 times that" in results.table()


def test_rows_when_listed_have_figures_of_their_own() -> None:
    assert len({row.figure for row in ROWS}) == len(ROWS)
