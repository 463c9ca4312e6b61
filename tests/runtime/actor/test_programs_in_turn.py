"""One process that is the client of one program after the other, as a notebook is."""

from collections.abc import Callable

from tests.runtime.field.scripts import Script

SECONDS = 30.0
HEAD = """
import os, threading
from runtime import actor as ra, config
from runtime.actor import Actor, endpoint

config.configure(aggregate_window=0)

class A(Actor):
    @endpoint
    def die(self): os._exit(3)
    @endpoint
    def ok(self): return os.getpid()
    def __cleanup__(self, exc):
        threading.Event().wait(0.05)
        print("CLEAN 1", flush=True)

def spawn(): return ra.this_host().spawn_procs({"n": 2}).spawn("a", A)
def ok(mesh): return len(set(mesh.ok.call().get(30).values()))
def fail(mesh):
    try:
        mesh.slice(n=0).die.broadcast()
        threading.Event().wait(30)
    except KeyboardInterrupt:
        print("FAILED 1", flush=True)
"""
Start = Callable[[str], Script]


def test_a_program_after_one_that_has_failed(program: Start) -> None:
    script = program(
        HEAD
        + """
host = ra.this_host()
fail(spawn())
try:
    host.spawn_procs()
except RuntimeError as error:
    print("HELD", repr(str(error)), flush=True)
print("AGAIN", ok(spawn()), flush=True)
fail(spawn())
print("BESIDE", ra.this_proc().spawn("b", A).ok.call_one().get(30) == os.getpid(), flush=True)
"""
    )
    assert script.finish(SECONDS) == 1  # it has failed, whatever came later
    held = script.marker("HELD", 0)
    assert "a{n=0}" in held
    assert "exited with status 3" in held
    assert "this_host() begins another" in held
    assert script.marker("AGAIN", 0) == 2
    assert script.marker("BESIDE", 0) is True
    assert script.out.count("the program ends by a failure that nothing handled") == 2


def test_a_program_while_the_one_before_still_ends(program: Start) -> None:
    script = program(
        HEAD
        + """
spawn().initialized.get(30)
first = ra.shutdown_context()
print("AGAIN", ok(spawn()), first.done(), flush=True)
last = ra.shutdown_context(), ra.shutdown_context()
last[1].get(30)
print("ENDED", last[0].done(), flush=True)
ra.shutdown_context().get(30)
"""
    )
    assert script.finish(SECONDS) == 0
    before, _, after = script.out.partition("ENDED True")
    assert after
    assert before.count("CLEAN 1") == 4
    assert "AGAIN 2 True" in script.out
