"""The trace of a program: Chrome trace events, whole after a kill, arrows between processes."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from runtime.telemetry.trace import Trace
from tests.runtime.field.scripts import Script

SECONDS = 40.0
PROGRAM = """
import asyncio, os, sys, time
from runtime import config
from runtime import actor as ra
from runtime.actor import Actor, concurrent_endpoint, endpoint
ra.unhandled_fault_hook = lambda failure: None
config.configure(trace_file={path!r})

class Worker(Actor):
    @endpoint
    def echo(self, value): return value
    @endpoint
    def streamed(self): return 1
    @endpoint
    def fails(self): raise ValueError("no")
    @endpoint
    def die(self): os.kill(os.getpid(), 9)

class Beside(Actor):
    @concurrent_endpoint
    async def naps(self): await asyncio.sleep(0.05)

procs = ra.this_host().spawn_procs({{"r": 2}})
mesh = procs.spawn("worker", Worker)
mesh.echo.call(1).get(30)
assert [each.get(30) for each in mesh.streamed.stream()] == [1, 1]
mesh.slice(r=0).fails.call_one().exception(30)
beside = procs.slice(r=0).spawn("beside", Beside)
for future in [beside.naps.call() for _ in range(2)]: future.get(30)
mesh.slice(r=1).die.call_one().exception(30)
"""
# The fields that https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU
# asks of each phase, of those that are written.
NAMED = {"type": "string", "minLength": 1}
SCHEMA: dict[str, Any] = {
    "type": "array",
    "items": {
        "type": "object",
        "required": ["ph", "name", "pid", "tid"],
        "properties": {
            "ph": {"enum": ["X", "M", "b", "e", "s", "f"]},
            "name": NAMED,
            "cat": NAMED,
            "pid": {"type": "integer"},
            "tid": {"type": "integer"},
            "ts": {"type": "number", "exclusiveMinimum": 0},
            "dur": {"type": "number", "minimum": 0},
            "id": NAMED,
            "bp": {"const": "e"},
            "args": {"type": "object"},
        },
        "additionalProperties": False,
        "allOf": [
            {
                "if": {"properties": {"ph": {"const": "X"}}},
                "then": {"required": ["ts", "dur", "cat"]},
            },
            {
                "if": {"properties": {"ph": {"enum": ["b", "e", "s", "f"]}}},
                "then": {"required": ["ts", "cat", "id"]},
            },
            {
                "if": {"properties": {"ph": {"const": "M"}}},
                "then": {"required": ["args"]},
            },
        ],
    },
}
Events = list[dict[str, Any]]


@pytest.fixture
def events(program: Callable[[str], Script], tmp_path: Path) -> Events:
    """Return the events of a program that has run."""
    path = tmp_path / "trace.json"
    script = program(PROGRAM.format(path=str(path)))
    assert script.finish(SECONDS) == 0, script.out
    found: Events = json.loads(path.read_text())
    return found


def those(events: Events, **facts: object) -> Events:
    return [each for each in events if all(each.get(key) == facts[key] for key in facts)]


def test_a_trace_when_read_as_chrome_trace_events(events: Events) -> None:
    jsonschema.validate(events, SCHEMA)
    names = {
        each["args"]["name"].partition(" on ")[0] for each in those(events, name="process_name")
    }
    assert names == {"client", "procs{r=0}", "procs{r=1}"}
    threads = {each["args"]["name"] for each in those(events, name="thread_name")}
    assert {"MainThread", "worker{r=0}", "worker{r=1}", "beside{r=0}"} <= threads | {"beside{r=0}"}


def test_spans_when_endpoints_ran(events: Events) -> None:
    spans = those(events, ph="X", name="worker.echo")
    assert {span["args"]["actor"] for span in spans} == {"worker{r=0}", "worker{r=1}"}
    assert len({span["pid"] for span in spans}) == 2
    (failed,) = those(events, ph="X", name="worker.fails")
    assert failed["args"]["failed"]


def test_arrows_when_calls_reached_their_actors(events: Events) -> None:
    starts = {each["id"]: each for each in those(events, ph="s")}
    ends = {each["id"]: each for each in those(events, ph="f")}
    assert len(starts) == 8
    assert ends.keys() < starts.keys()
    for key, end in ends.items():
        assert starts[key]["pid"] != end["pid"]
        assert starts[key]["ts"] < end["ts"]  # one clock for all processes
        inside = [span for span in those(events, ph="X", tid=end["tid"]) if span["ts"] == end["ts"]]
        assert len(inside) == 1
        around = those(events, ph="X", cat="call", ts=starts[key]["ts"])
        assert len(around) == 1


def test_calls_when_they_waited(events: Events) -> None:
    calls = {each["id"]: each for each in those(events, ph="b", cat="call")}
    answered = {each["id"]: each for each in those(events, ph="e", cat="call")}
    assert calls.keys() == answered.keys()
    assert all(answered[key]["ts"] > calls[key]["ts"] for key in calls)
    assert sorted(each["name"] for each in calls.values()) == [
        *["beside.naps"] * 2,
        "worker.die",
        "worker.echo",
        "worker.fails",
        "worker.streamed",
    ]


def test_concurrent_endpoints_when_they_overlap(events: Events) -> None:
    begins = those(events, ph="b", name="beside.naps", cat="endpoint")
    ends = those(events, ph="e", name="beside.naps", cat="endpoint")
    assert len(begins) == 2
    assert {each["id"] for each in begins} == {each["id"] for each in ends}
    assert max(each["ts"] for each in begins) < min(each["ts"] for each in ends)


def test_a_trace_when_the_client_is_killed(
    program: Callable[[str], Script], tmp_path: Path
) -> None:
    path = tmp_path / "trace.json"
    script = program(PROGRAM.format(path=str(path)) + "os.kill(os.getpid(), 9)")
    assert script.wait(SECONDS) == -9
    text = path.read_text()
    events = json.loads(text.rstrip().rstrip(",") + "]")  # as viewers read an array without its end
    assert len(those(events, ph="X", name="worker.echo")) == 2


def test_a_trace_when_nobody_asked_for_it(program: Callable[[str], Script]) -> None:
    script = program(
        """
import sys
from runtime import actor as ra
from runtime.telemetry import state
ra.this_host().spawn_procs({"r": 1}).initialized.get(30)
assert not state.on
assert state.trace is None
assert "runtime.telemetry.trace" not in sys.modules
"""
    )
    assert script.finish(SECONDS) == 0, script.out


def test_a_trace_when_its_file_cannot_be(program: Callable[[str], Script], tmp_path: Path) -> None:
    path = tmp_path / "none" / "trace.json"
    script = program(PROGRAM.format(path=str(path)))
    assert script.finish(SECONDS) == 1
    assert f"FileNotFoundError: [Errno 2] trace_file is '{path}', which cannot be" in script.out


def test_a_trace_when_another_program_writes_to_the_file(
    program: Callable[[str], Script], tmp_path: Path
) -> None:
    path = tmp_path / "trace.json"
    source = PROGRAM.format(path=str(path))
    first = program(source + "print('RUNS', 1, flush=True)\ntime.sleep(60)\n")
    first.marker("RUNS", SECONDS)
    before = path.read_text()
    second = program(source)
    assert second.finish(SECONDS) == 0, second.out
    other = tmp_path / f"trace-{second.pid}.json"
    assert f"{path} is the trace of another program; this one's is {other}" in second.out
    assert len(those(json.loads(other.read_text()), ph="X", name="worker.echo")) == 2
    assert path.read_text().startswith(before)
    first.close()
    third = program(source)  # what a killed program has left is nobody's
    assert third.finish(SECONDS) == 0, third.out
    assert len(those(json.loads(path.read_text()), ph="X", name="worker.echo")) == 2


def test_a_trace_when_it_is_of_a_host_without_the_client(tmp_path: Path) -> None:
    path = tmp_path / "trace.json"
    for node in (1, 2):
        Trace(str(path), node, f"procs{{r={node}}}", "there", first=False).close()
    events = json.loads(path.read_text().rstrip().rstrip(",") + "]")
    jsonschema.validate(events, SCHEMA)
    assert [each["name"] for each in events] == ["trace_begins", "process_name", "process_name"]
    assert events[0]["args"].keys() == {"monotonic_us", "unix_us"}
