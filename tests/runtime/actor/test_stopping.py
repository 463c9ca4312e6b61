"""How meshes and programs end: when asked, by signals, by nobody; nothing is left of them."""

import os
import signal
import time
from collections.abc import Callable
from typing import Any

import pytest

from runtime import actor as ra
from runtime.actor import Actor, Channel, Port, concurrent_endpoint, endpoint
from tests.runtime.field.machine import Machine
from tests.runtime.field.scripts import Script

SECONDS = 30.0
GONE = 10.0
Program = Callable[[str], Script]
# Signals and their times: one after another.
pytestmark = pytest.mark.xdist_group("actors that end")


class Worker(Actor):
    """Says when it ends."""

    def __init__(self, told: Port[Any]) -> None:
        self.told = told
        self.handled = 0

    @endpoint
    def work(self) -> int:
        self.handled += 1
        return os.getpid()

    @endpoint
    def hold(self) -> None:
        mine, receiver = Channel.open()
        self.told.send(mine)
        receiver.recv().get(SECONDS)
        self.handled += 1

    def __cleanup__(self, error: Exception | None) -> None:
        self.told.send(("cleanup", error, self.handled))


class AsyncWorker(Actor):
    """Is cancelled before it cleans up."""

    def __init__(self, told: Port[Any]) -> None:
        self.told = told

    @concurrent_endpoint
    async def waits(self) -> None:
        import asyncio

        self.told.send("begun")
        try:
            await asyncio.Event().wait()
        finally:
            self.told.send("cancelled")

    async def __cleanup__(self, error: Exception | None) -> None:
        self.told.send("cleanup")


def gone(pids: list[int]) -> list[int]:
    """Wait until processes have ended; return those that have not."""
    machine, end = Machine(), time.monotonic() + GONE
    while (left := machine.alive(pids)) and time.monotonic() < end:
        time.sleep(0.02)
    return left


@pytest.mark.usefixtures("quiet")
class TestAsked:
    """Meshes that their owner stops."""

    def test_stop_when_repeated(self, procs: ra.ProcMesh) -> None:
        told, receiver = Channel.open()
        workers = procs.spawn("workers", Worker, told)
        workers.work.call().get(SECONDS)
        workers.stop("enough").get(SECONDS)
        assert [receiver.recv().get(SECONDS) for _ in range(3)] == [("cleanup", None, 1)] * 3
        workers.stop().get(SECONDS)
        with pytest.raises(ra.SupervisionError, match="the actor has ended: enough") as caught:
            workers.work.call().get(SECONDS)
        assert caught.value.failure.kind == "stopped"
        assert procs.spawn("more", Worker, told).work.call().get(SECONDS)

    def test_stop_when_a_message_is_handled(self, procs: ra.ProcMesh) -> None:
        told, receiver = Channel.open()
        one = procs.slice(r=0).spawn("workers", Worker, told)
        held = one.hold.call_one()
        gate = receiver.recv().get(SECONDS)
        later = one.work.call_one()
        stopped = one.stop()
        with pytest.raises(TimeoutError):
            stopped.get(0.1)
        gate.send("go")
        held.get(SECONDS)  # what was begun is finished
        stopped.get(SECONDS)
        assert receiver.recv().get(SECONDS) == ("cleanup", None, 1)
        with pytest.raises(ra.SupervisionError):
            later.get(SECONDS)

    def test_stop_when_endpoints_run_beside(self, procs: ra.ProcMesh) -> None:
        told, receiver = Channel.open()
        one = procs.slice(r=0).spawn("workers", AsyncWorker, told)
        waiting = one.waits.call_one()
        assert receiver.recv().get(SECONDS) == "begun"
        one.stop().get(SECONDS)
        assert [receiver.recv().get(SECONDS) for _ in range(2)] == ["cancelled", "cleanup"]
        assert waiting.exception(SECONDS) is not None

    def test_stop_when_it_is_a_slice_or_a_reference(self, procs: ra.ProcMesh) -> None:
        told, _ = Channel.open()
        workers = procs.spawn("workers", Worker, told)
        for part in (workers.slice(r=0), procs.slice(r=slice(0, 2))):
            with pytest.raises(RuntimeError, match="cannot be stopped from here"):
                part.stop()

    def test_stop_when_processes_end(self) -> None:
        told, receiver = Channel.open()
        mesh = ra.this_host().spawn_procs({"r": 2})
        workers = mesh.spawn("workers", Worker, told)
        pids = [*workers.work.call().get(SECONDS).values()]
        mesh.stop().get(SECONDS)
        assert [receiver.recv().get(SECONDS)[0] for _ in range(2)] == ["cleanup"] * 2
        assert gone(pids) == []
        mesh.stop().get(SECONDS)
        with pytest.raises(ra.SupervisionError):
            workers.work.call().get(SECONDS)
        with pytest.raises(ra.SupervisionError):
            mesh.spawn("late", Worker, told).initialized.get(SECONDS)

    def test_stop_when_a_process_takes_no_messages(self) -> None:
        with ra.this_host().spawn_procs() as mesh:
            stuck = mesh.spawn("stuck", Stuck)
            pid = stuck.pid.call_one().get(SECONDS)
            stuck.sleeps.broadcast(600)
            before = time.monotonic()
        assert time.monotonic() - before < 8  # the clean-up's time, not the endpoint's
        assert gone([pid]) == []


class Stuck(Actor):
    """Does not come back."""

    @endpoint
    def pid(self) -> int:
        return os.getpid()

    @endpoint
    def sleeps(self, seconds: float) -> None:
        time.sleep(seconds)


MESH = """
import os, signal, subprocess, sys, time, threading
import runtime.actor as ra
class W(ra.Actor):
    def __init__(self): self.kid = subprocess.Popen(["sleep", "600"]) if {kids} else None
    @ra.endpoint
    def pids(self): return [os.getpid()] + ([self.kid.pid] if self.kid else [])
    @ra.endpoint
    def stuck(self):
        import ctypes  # Python's own signal() is for the main thread, and an actor has another
        ctypes.CDLL(None).signal(ctypes.c_int(signal.SIGTERM), ctypes.c_void_p(1))  # SIG_IGN
        time.sleep(600)
    def __cleanup__(self, error): print("CLEANED", flush=True)
if __name__ == "__main__":
    mesh = ra.this_host().spawn_procs({{"r": 2}})
    w = mesh.spawn("w", W)
    pids = [pid for found in w.pids.call().get(30).values() for pid in found]
    with open(f"/proc/{{pids[0]}}/stat") as file:
        zygote = int(file.read().rpartition(")")[2].split()[1])
    print("PIDS", [*pids, zygote], flush=True)
    {rest}
"""


def start(program: Program, rest: str, *, kids: bool = False) -> tuple[Script, list[int]]:
    """Start a program with a mesh; return its processes, the zygote last."""
    script = program(MESH.format(rest=rest, kids=kids))
    pids: list[int] = script.marker("PIDS", SECONDS)
    return script, pids


@pytest.mark.parametrize(
    "rest",
    [
        "pass",
        "sys.exit(0)",
        "threading.Thread(target=lambda: w.pids.call().get(30)).start()",
        "f = w.pids.call()",
        "import asyncio; asyncio.run(asyncio.wait_for(w.pids.call(), 30))",
        "ra.shutdown_context().get(30)",
        (
            "ra.shutdown_context().get(30)\n"
            "    ra.this_host().spawn_procs().spawn('w', W).pids.call().get(30)"
        ),
    ],
)
def test_program_when_it_ends_without_a_word(program: Program, rest: str) -> None:
    script, pids = start(program, rest)
    before = time.monotonic()
    assert script.finish(SECONDS) == 0
    assert time.monotonic() - before < 5
    assert gone(pids) == []
    lines = [line for line in script.out.splitlines() if "CLEANED" not in line]
    assert [line.split()[0] for line in lines] == ["PIDS"]


def test_program_when_it_raises(program: Program) -> None:
    script, pids = start(program, "raise KeyError('mine')")
    assert script.finish(SECONDS) == 1
    assert gone(pids) == []
    assert script.out.count("Traceback") == 1
    assert "KeyError: 'mine'" in script.out


def test_program_when_it_leaves_by_os_exit(program: Program) -> None:
    script, pids = start(program, "os._exit(3)", kids=True)
    assert script.finish(SECONDS) == 3
    assert gone(pids) == []


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
@pytest.mark.parametrize("whole_group", [False, True])
def test_program_when_it_is_killed(
    program: Program, number: signal.Signals, *, whole_group: bool
) -> None:
    script, pids = start(program, "time.sleep(600)", kids=True)
    (os.killpg if whole_group else os.kill)(script.pid, number)
    assert script.finish(SECONDS) == -number
    assert gone(pids) == []


def test_program_when_its_zygote_is_killed(program: Program) -> None:
    rest = (
        "os.kill(zygote, 9)\n"
        "    while not (error := w.pids.call().exception(30)): pass\n"
        "    print('ERROR', repr(str(error)), flush=True)\n"
        "    again = ra.this_host().spawn_procs().spawn('w', W)\n"
        "    print('AGAIN', len(again.pids.call_one().get(30)))"
    )
    script, pids = start(
        program, f"ra.unhandled_fault_hook = lambda f: None\n    {rest}", kids=True
    )
    assert "zygote" in script.marker("ERROR", SECONDS)
    assert script.marker("AGAIN", SECONDS) == 2
    assert gone(pids) == []
    assert script.finish(SECONDS) == 0


def test_program_when_the_signal_does_not_end_what_its_thread_waits_in(program: Program) -> None:
    """As one that comes right before the wait; here another thread takes it."""
    rest = (
        "def interrupt():\n"
        "        time.sleep(0.5)\n"
        "        signal.pthread_kill(threading.get_ident(), signal.SIGINT)\n"
        "    threading.Thread(target=interrupt).start()\n"
        "    w.slice(r=0).stuck.call_one().get()"
    )
    script, pids = start(program, rest)
    assert script.finish(SECONDS) == -signal.SIGINT, script.out
    assert gone(pids) == []


@pytest.mark.parametrize("wait", ["time.sleep(600)", "w.slice(r=0).stuck.call_one().get()"])
def test_program_when_interrupted(program: Program, wait: str) -> None:
    script, pids = start(program, wait, kids=True)
    script.send(signal.SIGINT)
    before = time.monotonic()
    assert script.finish(SECONDS) == -signal.SIGINT, script.out
    assert time.monotonic() - before < 20
    assert "KeyboardInterrupt" in script.out
    assert "CLEANED" in script.out  # what can end by itself does
    assert gone(pids) == []


def test_program_when_interrupted_with_its_group(program: Program) -> None:
    """A terminal's Ctrl-C goes to the whole group; workers leave it to the client."""
    script, pids = start(program, "time.sleep(600)")
    os.killpg(script.pid, signal.SIGINT)
    script.finish(SECONDS)
    assert "CLEANED" in script.out
    assert script.out.count("KeyboardInterrupt") == 1
    assert gone(pids) == []


@pytest.mark.parametrize("command", ["None", "ra.BootstrapCommand(args=('env',))"])
def test_worker_when_interrupted(program: Program, command: str) -> None:
    """What Ctrl-C means is the client's to say; programs that workers start are as they are."""
    rest = (
        f"more = ra.this_host().spawn_procs(bootstrap_command={command}).spawn('w', W)\n"
        "    pid, kid = more.pids.call_one().get(30)\n"
        "    for each in (pid, kid): os.kill(each, signal.SIGINT)\n"
        "    while open(f'/proc/{kid}/stat').read().rpartition(')')[2].split()[0] != 'Z': pass\n"
        "    print('STILL', more.pids.call_one().get(30) == [pid, kid], flush=True)"
    )
    script, pids = start(program, rest, kids=True)
    assert script.marker("STILL", SECONDS) is True
    assert script.finish(SECONDS) == 0
    assert "Traceback" not in script.out
    assert gone(pids) == []


def test_program_when_it_forks(program: Program) -> None:
    rest = (
        "import multiprocessing as mp\n"
        "    def child(queue):\n"
        "        try: w.pids.call()\n"
        "        except RuntimeError as error: queue.put(str(error))\n"
        "    queue = mp.get_context('fork').Queue()\n"
        "    one = mp.get_context('fork').Process(target=child, args=(queue,))\n"
        "    one.start()\n"
        "    print('CHILD', repr(queue.get(timeout=30)), flush=True)\n"
        "    one.join(30)\n"
        "    print('STATUS', one.exitcode, flush=True)\n"
        "    print('STILL', len(w.pids.call().get(30)), flush=True)"
    )
    script, pids = start(program, rest)
    assert "is a fork of" in script.marker("CHILD", SECONDS)
    assert script.marker("STATUS", SECONDS) == 0
    assert script.marker("STILL", SECONDS) == 2
    assert script.finish(SECONDS) == 0
    assert gone(pids) == []


def test_call_when_the_program_was_shut_down(program: Program) -> None:
    rest = (
        "ra.shutdown_context().get(30)\n"
        "    before = time.monotonic()\n"
        "    print('ENDED', repr(str(w.pids.call().exception(30))), flush=True)\n"
        "    print('TOOK', time.monotonic() - before, flush=True)"
    )
    script, _ = start(program, rest)
    assert "its program was ended by shutdown_context" in script.marker("ENDED", SECONDS)
    assert script.marker("TOOK", SECONDS) < 2
    assert script.finish(SECONDS) == 0


def test_shutdown_when_processes_do_not_end(program: Program) -> None:
    rest = (
        "from runtime.actor.gateway import Gateway, gateway_of_process, Process\n"
        "    from runtime.actor.local import local\n"
        "    class Stuck(Process):\n"
        "        @property\n"
        "        def stopping(self): raise TimeoutError('processes do not end')\n"
        "        @stopping.setter\n"
        "        def stopping(self, why): pass\n"
        "    of = gateway_of_process(local().node.id).processes\n"
        "    first = next(iter(of.values()))\n"
        "    of[0] = Stuck(first.order, first.index)\n"
        "    print('ENDED', repr(str(ra.shutdown_context().exception(30))), flush=True)\n"
        "    print('AGAIN', ra.shutdown_context().get(30), flush=True)"
    )
    script, pids = start(program, rest)
    assert script.marker("ENDED", 5) == "processes do not end"
    assert script.marker("AGAIN", SECONDS) is None
    script.finish(SECONDS)
    assert gone(pids) == []


def test_shutdown_when_a_process_dies_meanwhile(program: Program) -> None:
    rest = (
        "from runtime.actor.gateway import Gateway, gateway_of_process, Process\n"
        "    from runtime.actor.local import local\n"
        "    class Dies(Process):\n"
        "        @property\n"
        "        def stopping(self): return ''\n"
        "        @stopping.setter\n"
        "        def stopping(self, why): of.pop(0, None)\n"
        "    of = gateway_of_process(local().node.id).processes\n"
        "    first = next(iter(of.values()))\n"
        "    last, of[0] = of.popitem(), Dies(first.order, first.index)\n"
        "    of |= [last]\n"
        "    print('ENDED', ra.shutdown_context().exception(30), flush=True)"
    )
    script, pids = start(program, rest)
    assert script.marker("ENDED", 5) is None
    assert script.finish(SECONDS) == 0
    assert gone(pids) == []
