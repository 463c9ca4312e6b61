"""`/metrics` of a running program, as Prometheus reads it."""

import time
import urllib.request
from collections.abc import Callable

import pytest
from prometheus_client.parser import text_string_to_metric_families

from runtime.telemetry.histogram import LIMITS, Histogram
from runtime.telemetry.metrics import loopback
from tests.runtime.field.scripts import Script

SECONDS = 40.0
HEAD = """
import os, threading
from runtime import config
from runtime import actor as ra
from runtime.actor import Actor, endpoint
ra.unhandled_fault_hook = lambda failure: None
config.configure(metrics_address="127.0.0.1:0")

class Worker(Actor):
    @endpoint
    def echo(self, value): return value
    @endpoint
    def fails(self): raise ValueError("no")
    @endpoint
    def waits(self): threading.Event().wait(60)
    @endpoint
    def die(self): os._exit(3)

procs = ra.this_host().spawn_procs({"r": 3})
mesh = procs.spawn("worker", Worker)
"""
BODY = """
for _ in range(5): mesh.slice(r=0).echo.call_one(b"x" * 1000).get(30)
mesh.slice(r=0).fails.call_one().exception(30)
waiting = [mesh.slice(r=1).waits.call() for _ in range(3)]
mesh.slice(r=2).die.call_one().exception(30)
print("ready", 1, flush=True)
threading.Event().wait(60)
"""
Samples = dict[tuple[str, tuple[tuple[str, str], ...]], float]


def scraped(script: Script) -> Samples:
    line = next(line for line in script.out.splitlines() if "metrics are at" in line)
    url = line.rpartition(" ")[2]
    assert url.startswith("http://127.0.0.1:")
    with urllib.request.urlopen(url, timeout=SECONDS) as answer:  # noqa: S310 - see above
        text = answer.read().decode()
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def of(samples: Samples, name: str, **labels: str) -> float:
    return samples[f"eclosion_{name}", tuple(sorted(labels.items()))]


def test_metrics_when_a_program_serves_them(program: Callable[[str], Script]) -> None:
    script = program(HEAD + BODY)
    script.marker("ready", SECONDS)
    end = time.monotonic() + SECONDS
    waiting = {"process": "procs{r=1}", "actor": "worker{r=1}"}
    while True:
        samples = scraped(script)
        running = of(samples, "processes", state="running")
        told = any(name == "eclosion_failures_total" for name, _ in samples)
        if told and (running, of(samples, "mailbox_messages", **waiting)) == (3, 2):
            break
        assert time.monotonic() < end, samples
    first, actor = {"process": "procs{r=0}"}, {"actor": "worker{r=0}"}
    assert of(samples, "messages_handled_total", **first, **actor) == 6
    assert of(samples, "messages_failed_total", **first, **actor) == 1
    assert of(samples, "messages_sent_total", process="client") == 10
    assert 5000 < of(samples, "message_bytes_sent_total", process="client") < 8000
    assert of(samples, "replies_sent_total", **first) == 6
    assert 5000 < of(samples, "reply_bytes_sent_total", **first) < 9000
    assert of(samples, "calls_pending", process="client") == 3
    assert of(samples, "failures_total", process="client", kind="exit") == 1
    assert of(samples, "rss_bytes", **first) > 1 << 20
    echo = {"endpoint": "worker.echo"}
    assert of(samples, "endpoint_seconds_count", **first, **echo) == 5
    assert of(samples, "endpoint_seconds_bucket", **first, **echo, le="600.0") == 5
    assert of(samples, "call_seconds_count", process="client", **echo) == 5
    assert of(samples, "call_seconds_sum", process="client", **echo) > 0


def test_metrics_when_nobody_asked_for_them(program: Callable[[str], Script]) -> None:
    script = program(
        """
import sys
from runtime import actor as ra
ra.this_host().spawn_procs({"r": 1}).initialized.get(30)
assert "prometheus_client" not in sys.modules
"""
    )
    assert script.finish(SECONDS) == 0, script.out
    assert script.out == ""


def test_metrics_when_the_library_is_missing(program: Callable[[str], Script]) -> None:
    script = program("import sys\nsys.modules['prometheus_client'] = None\n" + HEAD)
    assert script.finish(SECONDS) == 1
    assert "pip install 'eclosion[metrics]'" in script.out


@pytest.mark.parametrize(
    ("address", "place"),
    [
        ("127.0.0.1:9400", ("127.0.0.1", 9400)),
        ("9400", ("127.0.0.1", 9400)),
        ("localhost:0", ("127.0.0.1", 0)),
        ("[::1]:9400", ("::1", 9400)),
    ],
)
def test_an_address_when_it_is_on_loopback(address: str, place: tuple[str, int]) -> None:
    assert loopback(address) == place


@pytest.mark.parametrize(
    ("address", "words"),
    [("0.0.0.0:9400", "on loopback only"), ("127.0.0.1", "write it like"), ("x:1", "write it")],
)
def test_an_address_when_it_is_refused(address: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        loopback(address)


def test_a_histogram_when_times_are_added() -> None:
    histogram = Histogram()
    for seconds in (0.0, LIMITS[0], LIMITS[0] * 1.01, 1e6):
        histogram.add(seconds)
    assert (histogram.counts[0], histogram.counts[1], histogram.counts[-1]) == (2, 1, 1)
    assert sum(histogram.counts) == 4
    assert histogram.total == pytest.approx(1e6)
