"""Endpoints that do not end are told once, with where they are."""

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.runtime.field.scripts import Script

SECONDS = 40.0
HEAD = """
import asyncio, ctypes, os, signal, sys, threading
from runtime import config
from runtime import actor as ra
from runtime.actor import Actor, concurrent_endpoint, endpoint
config.configure(stuck_after=0.2, aggregate_window=0)

class Plain(Actor):
    @endpoint
    def quick(self): pass
    @endpoint
    def waits(self, path): self.where_it_waits(path)
    def where_it_waits(self, path): open(path).read()
    @endpoint
    def holds(self, path):
        libc = ctypes.PyDLL(None)
        libc.read(os.open(path, os.O_RDWR), ctypes.create_string_buffer(1), 1)

class Awaits(Actor):
    @endpoint
    async def sleeps(self): await self.inner_sleep()
    async def inner_sleep(self): await asyncio.sleep(60)
    @concurrent_endpoint
    async def beside(self, path): await asyncio.to_thread(lambda: open(path).read())
    @endpoint
    async def blocks(self, path): self.blocks_the_loop(path)
    def blocks_the_loop(self, path): open(path).read()

signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
procs = ra.this_host().spawn_procs({"r": 2})
"""
Start = Callable[[str], Script]


def until(script: Script, *words: str) -> str:
    """Wait for words in the output; return the output."""
    end = time.monotonic() + SECONDS
    while not all(word in script.out for word in words):
        assert time.monotonic() < end, script.out
        assert script.rc is None, script.out
        with script._changed:
            script._changed.wait(0.5)
    return script.out


@pytest.fixture
def fifo(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Give the path of a pipe that nobody writes to."""
    path = tmp_path_factory.mktemp("fifo") / "fifo"
    os.mkfifo(path)
    return str(path)


def test_a_plain_endpoint_when_it_is_stuck(program: Start, fifo: str) -> None:
    script = program(
        HEAD
        + f"""
mesh = procs.spawn("plain", Plain)
mesh.quick.call().get(30)
mesh.slice(r=1).waits.broadcast({fifo!r})
threading.Event().wait(60)
"""
    )
    out = until(script, "in where_it_waits")
    assert "[runtime] plain{r=1}.waits has run for " in out
    assert " in procs{r=1} (pid " in out
    assert "in waits" in out
    assert "in handle" not in out  # the runtime's own frames say nothing
    assert out.count("plain{r=1}.waits has run for") == 1


def test_an_endpoint_when_it_was_told_before(program: Start, fifo: str) -> None:
    script = program(
        HEAD
        + f"""
mesh, other = procs.spawn("plain", Plain), procs.spawn("other", Plain)
mesh.slice(r=0).waits.broadcast({fifo!r})
signal.sigwait([signal.SIGUSR1])
other.slice(r=0).waits.broadcast({fifo!r})
mesh.slice(r=0).quick.call().get(60)  # when it has ended
mesh.slice(r=0).waits.broadcast({fifo!r})
threading.Event().wait(60)
"""
    )
    until(script, "plain{r=0}.waits has run for")
    script.send(signal.SIGUSR1)
    out = until(script, "other{r=0}.waits has run for")  # so it was looked at again
    assert out.count("plain{r=0}.waits has run for") == 1
    Path(fifo).write_text("go")
    end = time.monotonic() + SECONDS
    while script.out.count("plain{r=0}.waits has run for") < 2:  # it is another one
        assert time.monotonic() < end, script.out


def test_async_endpoints_when_they_are_stuck(program: Start, fifo: str) -> None:
    script = program(
        HEAD
        + f"""
mesh = procs.spawn("awaits", Awaits)
other = procs.spawn("blocked", Awaits)
mesh.slice(r=0).beside.broadcast({fifo!r})
mesh.slice(r=0).sleeps.broadcast()
other.slice(r=1).blocks.broadcast({fifo!r})
threading.Event().wait(60)
"""
    )
    out = until(script, "in inner_sleep", "in blocks_the_loop", "in to_thread")
    assert "awaits{r=0}.sleeps has run for" in out
    assert "awaits{r=0}.beside has run for" in out
    assert "blocked{r=1}.blocks has run for" in out


def test_a_constructor_when_it_is_stuck(program: Start, fifo: str) -> None:
    script = program(
        HEAD
        + f"""
class Slow(Actor):
    def __init__(self): open({fifo!r}).read()
mesh = procs.slice(r=0).spawn("slow", Slow)
threading.Event().wait(60)
"""
    )
    until(script, ".__init__ has run for")


def test_a_process_when_its_interpreter_is_held(program: Start, fifo: str) -> None:
    script = program(
        HEAD
        + f"""
mesh = procs.spawn("plain", Plain)
mesh.quick.call().get(30)
mesh.slice(r=1).holds.broadcast({fifo!r})
threading.Event().wait(60)
"""
    )
    out = until(script, "something holds the interpreter's lock", " in holds")
    assert "[runtime] procs{r=1} (pid " in out
    assert "its Python has not answered for " in out
    assert "[procs{r=1}]   File " in out


def test_stuck_endpoints_when_nobody_wants_to_know(program: Start) -> None:
    script = program(
        HEAD
        + """
config.configure(stuck_after=0)
procs = ra.this_host().spawn_procs({"r": 1}, name="others")
class Waits(Actor):
    @endpoint
    def waits(self): threading.Event().wait(1)
procs.spawn("waits", Waits).waits.call().get(30)
"""
    )
    assert script.finish(SECONDS) == 0
    assert script.out == ""


def test_ranks_that_are_stuck_at_one_place_when_they_are_told(program: Start, fifo: str) -> None:
    script = program(
        HEAD
        + f"""
class Two(Actor):
    @endpoint
    def waits(self, path):
        if ra.current_rank().rank: self.there(path)
        else: self.here(path)
    def here(self, path): open(path).read()
    def there(self, path): open(path).read()
procs = ra.this_host().spawn_procs({{"r": 3}})
procs.initialized.get(30)
procs.spawn("two", Two).waits.broadcast({fifo!r})
threading.Event().wait(60)
"""
    )
    out = until(script, "in here", "in there")
    one, several = (
        next(line for line in out.splitlines() if words in line)
        for words in ("two{r=0}", "two{r=1}")
    )
    assert one.startswith("[runtime] two{r=0}.waits has run for ")
    assert several.startswith("[runtime] two.waits has run for ")
    assert " in 2 actors, two{r=1} in procs{r=1} (pid " in several
    assert ", two{r=2} in procs{r=2} (pid " in several
    assert several.endswith("; each is at:")
    assert out.count("in there") == 1


def test_an_actor_when_it_is_at_a_breakpoint(program: Start, fifo: str) -> None:
    script = program(
        HEAD
        + f"""
from runtime.dashboard import programs
from runtime.dashboard.tree import as_text
class Stands(Actor):
    @endpoint
    def steps(self, path):
        breakpoint()
        open(path).read()
procs.spawn("stands", Stands).slice(r=0).steps.broadcast({fifo!r})
procs.spawn("plain", Plain).slice(r=1).waits.broadcast({fifo!r})
signal.sigwait([signal.SIGUSR1])
told = programs.status([each for each in programs.find() if each.pid == os.getpid()], 5.0)
print("STATUS", repr(as_text(told)), flush=True)
print("DATA", [a["at_breakpoint"] for p in told["programs"] for h in p["hosts"]
    for c in h["processes"] for a in c["actors"] if a["name"] in ("stands", "plain")], flush=True)
threading.Event().wait(60)
"""
    )
    until(script, "plain{r=1}.waits has run for", "breakpoint: stands{r=0} in Stands.steps")
    script.send(signal.SIGUSR1)
    shown = script.marker("STATUS", SECONDS)
    assert "stands{r=0} Stands, handled 0, at a breakpoint in steps for " in shown
    assert script.marker("DATA", SECONDS) == [True, False, False, False]
    assert "stands{r=0}.steps has run for" not in script.out
    assert "plain{r=1} Plain, handled 0, in waits for " in shown
