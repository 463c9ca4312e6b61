"""How a program exits after a failure that nothing handled, whatever it does meanwhile."""

from collections.abc import Callable

import pytest

from tests.runtime.field.scripts import Script

SECONDS = 30.0
Program = Callable[[str], Script]
HEAD = """
import atexit, os, signal, sys, threading, time
from runtime import actor as ra
from runtime.actor import Actor, endpoint
atexit.register(lambda: print("EARLIER", flush=True))

class Mortal(Actor):
    @endpoint
    def pid(self): return os.getpid()
    @endpoint
    def die(self): os._exit(3)

class Slow(Actor):
    @endpoint
    def fine(self): pass
    def __cleanup__(self, error): print("CLEANS", flush=True); time.sleep(0.5)

def spawn(kind):
    mesh = ra.this_host().spawn_procs().spawn(kind.__name__.lower(), kind)
    mesh.initialized.get(30)
    return mesh

def wait(): threading.Event().wait(30)

mortal, slow = spawn(Mortal), spawn(Slow)
atexit.register(lambda: print("LATER", flush=True))
"""
SWALLOWS = """
try: mortal.die.broadcast(); wait()
except KeyboardInterrupt: pass
"""
CASES = {
    "it swallows the interruption": SWALLOWS,
    "it exits with 0": f"{SWALLOWS}sys.exit(0)",
    "another failure follows": """
other = spawn(Mortal)
try: mortal.die.broadcast(); other.die.broadcast(); wait()
except KeyboardInterrupt: pass
""",
    "Ctrl-C comes while it ends": f"""
def interrupt():
    time.sleep(0.3)
    os.kill(os.getpid(), signal.SIGINT)
atexit.register(lambda: threading.Thread(target=interrupt, daemon=True).start())
{SWALLOWS}""",
    "it ends at once": "mortal.die.call_one().exception(30)",
    "the hook is slow": """
ra.unhandled_fault_hook = lambda failure: (time.sleep(0.3), sys.exit(1))
mortal.die.call_one().exception(30)
""",
    "SIGINT is ignored": """
signal.signal(signal.SIGINT, signal.SIG_IGN)
mortal.die.broadcast(); wait()
""",
    "SIGINT is not Python's": """
signal.signal(signal.SIGINT, signal.SIG_DFL)
mortal.die.broadcast(); wait()
""",
    "it has a handler of its own": """
signal.signal(signal.SIGINT, lambda *_: stopped.set())
stopped = threading.Event()
mortal.die.broadcast(); stopped.wait(30)
""",
    "an exit handler of its own raises": f"""
atexit.register(sys.exit, 0)
{SWALLOWS}""",
}


@pytest.mark.parametrize("case", CASES)
def test_program_when_a_failure_was_not_handled(program: Program, case: str) -> None:
    script = program(HEAD + CASES[case])
    assert script.finish(SECONDS) == 1, script.out
    out = script.out
    assert out.count("the program ends by a failure that nothing handled:\nmortal") == 1, out
    assert "exited with status 3" in out
    assert out.count("EARLIER") == 1
    # Handlers run twice when the news comes while they run.
    assert out.count("LATER") == 1 or case in {"it ends at once", "the hook is slow"}
    assert "CLEANS" in out or case == "Ctrl-C comes while it ends"


def test_program_when_it_has_closed_its_streams(program: Program) -> None:
    script = program(f"{HEAD}\nsys.stdout.close(); sys.stderr.close()\n{SWALLOWS}")
    assert script.finish(SECONDS) == 1


def test_program_when_its_hook_raises_without_streams(program: Program) -> None:
    source = "def hook(failure): raise ValueError\nra.unhandled_fault_hook = hook"
    script = program(f"{HEAD}\n{source}\nsys.stderr.close()\n{SWALLOWS}")
    assert script.finish(SECONDS) == 1


def test_fork_when_the_program_has_failed(program: Program) -> None:
    script = program(
        f"""{HEAD}{SWALLOWS}
pid = os.fork()
if pid:
    print("CHILD", os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)
"""
    )
    assert script.marker("CHILD", SECONDS) == 0
    assert script.finish(SECONDS) == 1
