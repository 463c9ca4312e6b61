"""Numbers of the program's own: counted where they are, served with the runtime's metrics."""

import sys
import types
from collections.abc import Callable
from typing import Any

import pytest

from runtime.actor import get_meter
from runtime.telemetry import meter
from tests.runtime.actor.test_metrics import Samples, scraped
from tests.runtime.field.scripts import Script

SECONDS = 40.0
PROGRAM = """
import threading
from runtime import config
from runtime import actor as ra
from runtime.actor import Actor, endpoint, get_meter
from runtime.telemetry.meter import Observation
config.configure(metrics_address="127.0.0.1:0")

class Worker(Actor):
    @endpoint
    def work(self, rank):
        meter = get_meter()
        for kind in ("even", "odd", "odd"):
            meter.create_counter("my.steps", description="Steps.").add(rank + 1, {"kind": kind})
        meter.create_up_down_counter("level").add(-2)
        meter.create_gauge("loss").set(9); meter.create_gauge("loss").set(0.5)
        meter.create_histogram("step_seconds").record(0.2)
        meter.create_observable_gauge("asked", [lambda: [Observation(7, {"a": 1})]])
        meter.create_observable_gauge("broken", [lambda: 1 / 0])

procs = ra.this_host().spawn_procs({"r": 2})
mesh = procs.spawn("worker", Worker)
for rank in range(2): mesh.slice(r=rank).work.call_one(rank).get(30)
print("ready", 1, flush=True)
threading.Event().wait(60)
"""


def test_metrics_when_actors_have_meters(program: Callable[[str], Script]) -> None:
    script = program(PROGRAM)
    script.marker("ready", SECONDS)
    samples: Samples = scraped(script)

    def own(name: str, rank: int, **labels: str) -> float:
        labels["process"] = f"procs{{r={rank}}}"
        return samples[name, tuple(sorted(labels.items()))]

    assert [own("my_steps_total", rank, kind="odd") for rank in (0, 1)] == [2, 4]
    assert own("my_steps_total", 0, kind="even") == 1
    assert own("level", 1) == -2
    assert own("loss", 1) == 0.5
    assert own("step_seconds_count", 0) == 1
    assert own("step_seconds_bucket", 0, le="0.1") == 0
    assert own("step_seconds_bucket", 0, le="0.25") == 1
    assert own("asked", 0, a="1") == 7


@pytest.fixture
def instruments(monkeypatch: pytest.MonkeyPatch) -> None:
    """Begin without instruments."""
    monkeypatch.setattr(meter, "_instruments", {})


@pytest.mark.usefixtures("instruments")
def test_instruments_when_they_have_one_name_are_one() -> None:
    get_meter().create_counter("a").add(1)
    get_meter().create_counter("a").add(2, {"k": 1})
    assert meter.snapshot() == [("counter", "a", "", [((), 1), ((("k", "1"),), 2)])]
    with pytest.raises(ValueError, match="a is a Counter already, and cannot be a Gauge too"):
        get_meter().create_gauge("a")


@pytest.mark.usefixtures("instruments")
def test_counter_when_it_would_go_down() -> None:
    with pytest.raises(ValueError, match="counter a cannot go down by 1"):
        get_meter().create_counter("a").add(-1)
    assert meter.snapshot() == [("counter", "a", "", [])]


@pytest.mark.usefixtures("instruments")
def test_instruments_when_opentelemetry_is_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[Any, ...]] = []

    class Elsewhere:
        def __getattr__(self, name: str) -> Callable[..., Any]:
            def note(*args: object) -> "Elsewhere":
                seen.append((name, *args))
                return self

            return note

    library: Any = types.ModuleType("opentelemetry.metrics")
    library.get_meter = lambda _name: Elsewhere()
    monkeypatch.setitem(sys.modules, "opentelemetry.metrics", library)
    get_meter().create_counter("a", "s", "Text.").add(1, {"k": 1})
    get_meter().create_gauge("b").set(2)
    get_meter().create_histogram("c").record(3)
    assert seen == [
        ("create_counter", "a", "s", "Text."),
        ("add", 1, {"k": 1}),
        ("create_gauge", "b", "", ""),
        ("set", 2, None),
        ("create_histogram", "c", "", ""),
        ("record", 3, None),
    ]
