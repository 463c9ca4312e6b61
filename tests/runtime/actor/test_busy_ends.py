"""Actors that are in an endpoint when their process ends: what still runs, and what is said."""

import re
from collections.abc import Callable

import pytest

from tests.runtime.field.scripts import Script

# It says how long it has waited, which is more than it was told to where the machine is busy.
NOT_RETURNED = r"has not returned within [0-9.]+ s: its process ends"
SECONDS = 30.0
HEAD = """
import asyncio, os, signal, threading
from runtime import actor as ra, config
from runtime.actor import Actor, concurrent_endpoint, endpoint
config.configure(aggregate_window=0)

def say(text):  # in one write: others print too
    print(text + "\\n", end="", flush=True)

class Awaits(Actor):
    @endpoint
    async def busy(self, port):
        port.send(1)
        try:
            await asyncio.sleep(60)
        finally:
            say("LEFT 1")
    @concurrent_endpoint
    async def beside(self, port):
        port.send(1)
        await asyncio.sleep(60)
    async def __cleanup__(self, exc):
        await asyncio.sleep(0)
        say("CLEANED " + repr(exc))

class Plain(Actor):
    @endpoint
    def busy(self, port):
        port.send(1)
        threading.Event().wait(60)
    def __cleanup__(self, exc): say("CLEANED " + repr(exc))

class Careless(Actor):
    @endpoint
    def busy(self, port):
        port.send(1)
        threading.Event().wait(60)


port, receiver = ra.Channel.open()
procs = ra.this_host().spawn_procs({"n": 2})
def begin(kind, name="busy"):
    call = getattr(procs.spawn("a", kind), name).call(port)
    for _ in range(2): receiver.recv().get(30)
    return call
"""
Start = Callable[[str], Script]


@pytest.mark.parametrize(
    "end",
    [
        "",
        "os.kill(os.getpid(), signal.SIGINT); threading.Event().wait(30)",
        "procs.stop().get(30); print('TOLD', repr(str(call.exception(30))), flush=True)",
    ],
    ids=["end", "Ctrl-C", "stop"],
)
def test_coroutines_are_cancelled_and_cleaned_up(program: Start, end: str) -> None:
    script = program(f"{HEAD}call = begin(Awaits)\n{end}\n")
    assert script.finish(SECONDS) == (-2 if "SIGINT" in end else 0)
    assert script.out.count("LEFT 1") == 2
    assert script.out.count("CLEANED None") == 2
    assert "has not returned" not in script.out
    if "stop" in end:
        assert "has ended: its process ends" in script.marker("TOLD", 0)


def test_coroutines_beside_others_are_cleaned_up_too(program: Start) -> None:
    script = program(f"{HEAD}begin(Awaits, 'beside')\n")
    assert script.finish(SECONDS) == 0
    assert script.out.count("CLEANED None") == 2


def test_what_does_not_return_is_said(program: Start) -> None:
    script = program(
        f"{HEAD}config.configure(cleanup_timeout=0.2)\n"
        "procs = ra.this_host().spawn_procs({'n': 2})\nbegin(Plain)\n"
    )
    assert script.finish(SECONDS) == 0
    for rank in (0, 1):
        said = rf"a\{{n={rank}\}}\.busy {NOT_RETURNED} without its"
        assert len(re.findall(said, script.out)) == 1
    assert "CLEANED" not in script.out


def test_what_loses_nothing_is_not_said(program: Start) -> None:
    script = program(
        f"{HEAD}config.configure(cleanup_timeout=0.1)\n"
        "procs = ra.this_host().spawn_procs({'n': 2})\nbegin(Careless)\n"
    )
    assert script.finish(SECONDS) == 0
    assert script.out == ""


def test_actors_of_the_client_are_cleaned_up_too(program: Start) -> None:
    script = program(
        HEAD
        + """
config.configure(cleanup_timeout=0.2)
class Idle(Actor):
    @endpoint
    def ok(self): pass
    def __cleanup__(self, exc): say("IDLE " + repr(exc))
here = ra.this_proc()
here.spawn("idle", Idle).ok.call_one().get(30)
for name, kind in ("loop", Awaits), ("plain", Plain), ("careless", Careless):
    call = here.spawn(name, kind).busy.call_one(port)
    receiver.recv().get(30)
"""
    )
    assert script.finish(SECONDS) == 0
    assert script.marker("IDLE", 0) is None
    assert script.out.count("LEFT 1") == script.out.count("CLEANED None") == 1
    assert len(re.findall(rf"plain\.busy {NOT_RETURNED}", script.out)) == 1
    assert "careless" not in script.out
