"""One trace of several hosts: on one machine, on clocks that differ, when a host is killed."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from runtime.telemetry import trace_parts
from tests.runtime.actor.host_processes import TRUST, HostProcess
from tests.runtime.actor.test_trace import SCHEMA, Events, those
from tests.runtime.field.scripts import Script

SECONDS = 40.0
_PROGRAM = """
import os, sys
from runtime import config
from runtime import actor as ra
ra.unhandled_fault_hook = lambda failure: None
config.configure(trace_file="trace.json")

class Worker(ra.Actor):
    @ra.endpoint
    def echo(self, value): return value

os.chdir(FOLDER)
hosts = ra.attach_to_workers(ca=CA, workers=ADDRESSES)
mesh = hosts.spawn_procs().spawn("worker", Worker)
mesh.echo.call(1).get(30)

"""
_EMPTY = '[\n{"ph":"M","name":"trace_begins","pid":1,"tid":0,"args":{}},\n'


def _source(folder: Path, hosts: list[HostProcess]) -> str:
    source = _PROGRAM.replace("FOLDER", repr(str(folder))).replace("CA,", f"{TRUST!r},")
    addresses = repr([host.address for host in hosts])
    return source.replace("ADDRESSES", addresses)


def test_a_trace_of_two_hosts_is_one_file(
    start: Callable[..., HostProcess], program: Callable[[str], Script], tmp_path: Path
) -> None:
    hosts = [start("tcp://127.0.0.1:0"), start("tcp://127.0.0.1:0")]
    for _ in range(2):  # the second program's is its own, too
        many = "for number in range(400): mesh.echo.call(number).get(30)\n"  # more than a chunk
        script = program(_source(tmp_path, hosts) + many)
        assert script.finish(SECONDS) == 0, script.out
        events: Events = json.loads((tmp_path / "trace.json").read_text())
        jsonschema.validate(events, SCHEMA)
        names = [each["args"]["name"] for each in those(events, name="process_name")]
        of = [name.partition(" on ")[0] for name in names]
        assert {"client", "procs{hosts=0}", "procs{hosts=1}"} < set(of)
        assert len(of) == 5  # the client, two hosts, a process of each
        spans = those(events, ph="X", name="worker.echo")
        assert len({span["pid"] for span in spans}) == 2
        assert len(spans) == 2 * 401
        _check_arrows(events)
        assert len(those(events, name="trace_begins")) == 1
        assert [each.name for each in tmp_path.iterdir()] == ["trace.json"]


def _check_arrows(events: Events) -> None:
    """Check that each arrow begins before it ends: the hosts' clocks are the client's."""
    begins = {each["id"]: each for each in those(events, ph="s")}
    ends = {each["id"]: each for each in those(events, ph="f")}
    assert begins.keys() == ends.keys()
    for key, end in ends.items():
        assert begins[key]["pid"] != end["pid"]
        assert begins[key]["ts"] < end["ts"]


def test_a_trace_when_a_host_was_killed_is_whole_without_it(
    start: Callable[..., HostProcess], program: Callable[[str], Script], tmp_path: Path
) -> None:
    hosts = [start("tcp://127.0.0.1:0"), start("tcp://127.0.0.1:0")]
    source = _source(tmp_path, hosts)
    source += f"mesh.echo.call(2).get(30)\nos.kill({hosts[0].pid}, 9)\n"
    source += "assert mesh.slice(hosts=0).echo.call(1).exception(30) is not None\n"
    script = program(source)
    assert script.finish(SECONDS) == 0, script.out
    events: Events = json.loads((tmp_path / "trace.json").read_text())
    jsonschema.validate(events, SCHEMA)
    assert len(those(events, ph="X", name="worker.echo")) == 2
    (left,) = (each for each in tmp_path.iterdir() if each.name != "trace.json")
    theirs = json.loads(left.read_text().rstrip().rstrip(",") + "]")
    assert those(theirs, ph="X", name="worker.echo")  # of the call before the last at least


@pytest.mark.parametrize("way", [(1, 1), (1, 1000), (700, 3)])
def test_clocks_when_they_are_compared_over_a_slow_way(
    monkeypatch: pytest.MonkeyPatch, way: tuple[int, int]
) -> None:
    now = [1000.0]
    monkeypatch.setattr(trace_parts, "boot_id", lambda: "here")

    def ask() -> tuple[float, str]:
        now[0] += way[0]
        theirs = now[0] + 5_000_000
        now[0] += way[1]
        return theirs, "there"

    found = trace_parts.shift(ask, lambda: now[0])
    assert abs(found - 5_000_000) <= sum(way) / 2
    monkeypatch.setattr(trace_parts, "boot_id", lambda: "there")
    assert trace_parts.shift(ask, lambda: now[0]) == 0.0


def test_a_part_when_it_is_put_on_another_clock(tmp_path: Path) -> None:
    path = tmp_path / "part.json"
    event: dict[str, Any] = {"ph": "X", "name": "a", "pid": 7, "tid": 8, "ts": 10.5, "dur": 1}
    path.write_text(_EMPTY + json.dumps(event) + ",\n" + '{"ph":"X","na')
    (chunk,) = trace_parts.translated(str(path), 3, 100.0)
    assert json.loads(b"[" + chunk.rstrip(b",\n") + b"]") == [
        event | {"pid": 7 + (3 << 22), "ts": 110.5}
    ]


def test_parts_when_a_host_has_a_strange_name() -> None:
    assert trace_parts.part_of("/x/trace.json", "a/b c", 0x1A << 32) == "/x/trace-a_b_c-1a.json"
