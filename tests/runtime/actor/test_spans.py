"""Spans of the program's own in the trace: who ran them, what overlaps, what failed."""

import inspect
import json
import sys
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from runtime.actor import span, traced
from tests.runtime.field.scripts import Script

SECONDS = 40.0
PROGRAM = """
import asyncio
from runtime import config
from runtime import actor as ra
from runtime.actor import Actor, concurrent_endpoint, endpoint, span, traced
config.configure(trace_file={path!r})

class Worker(Actor):
    @endpoint
    def work(self):
        with span("outer"):
            with span("inner"): pass
            try: self.fails()
            except ValueError: pass
    @traced(name="failing")
    def fails(self): raise ValueError("no")

class Beside(Actor):
    def __init__(self): self.there = 0
    @concurrent_endpoint
    async def meet(self):
        with span("meeting"):
            self.there += 1
            while self.there < 2: await asyncio.sleep(0.01)

procs = ra.this_host().spawn_procs({{"r": 1}})
with span("client's"):
    procs.spawn("worker", Worker).work.call().get(30)
    beside = procs.spawn("beside", Beside)
    for future in [beside.meet.call() for _ in range(2)]: future.get(30)
"""


def test_trace_when_a_program_has_spans(program: Callable[[str], Script], tmp_path: Path) -> None:
    path = tmp_path / "trace.json"
    script = program(PROGRAM.format(path=str(path)))
    assert script.finish(SECONDS) == 0, script.out
    events = json.loads(path.read_text())
    threads = {
        each["tid"]: each["args"]["name"] for each in events if each["name"] == "thread_name"
    }
    own = {each["name"]: each for each in events if each.get("cat") == "span"}
    assert own.keys() == {"outer", "inner", "failing", "meeting", "client's"}
    for name in ("outer", "inner", "failing"):
        assert threads[own[name]["tid"]] == "worker{r=0}"
    assert [name for name, each in own.items() if each.get("args", {}).get("failed")] == ["failing"]
    outer, inner = own["outer"], own["inner"]
    assert outer["ts"] <= inner["ts"]
    assert inner["ts"] + inner["dur"] <= outer["ts"] + outer["dur"]
    meetings = [each for each in events if each["name"] == "meeting"]
    assert sorted(each["ph"] for each in meetings) == ["b", "b", "e", "e"]
    assert len({each["id"] for each in meetings}) == 2


def test_traced_when_nothing_is_traced() -> None:
    @traced
    def double(value: int) -> int:
        """Double it."""
        return 2 * value

    @traced(name="named")
    async def later(value: int) -> int:
        return value

    assert (double(2), double.__name__, double.__doc__) == (4, "double", "Double it.")
    assert inspect.iscoroutinefunction(later)


def test_span_when_opentelemetry_is_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []

    class Tracer:
        @contextmanager
        def start_as_current_span(self, name: str) -> Iterator[None]:
            seen.append(f"begin {name}")
            yield
            seen.append(f"end {name}")

    library: Any = types.ModuleType("opentelemetry.trace")
    library.get_tracer = lambda _name: Tracer()
    monkeypatch.setitem(sys.modules, "opentelemetry.trace", library)
    with span("a"):
        seen.append("within")
    assert seen == ["begin a", "within", "end a"]
