"""Processes that are stopped and go on: what is told meanwhile, and who is not taken for dead."""

from collections.abc import Callable

from tests.runtime.actor.host_processes import HostProcess
from tests.runtime.field.machine import Machine
from tests.runtime.field.scripts import Script

SECONDS = 30.0
Program = Callable[[str], Script]
HEAD = """
import os, signal, sys, threading, time
from runtime import config
from runtime import actor as ra
from runtime.actor import Actor, endpoint
ra.unhandled_fault_hook = lambda failure: None
config.configure(heartbeat_interval=0.1, heartbeat_timeout=0.6, spawn_timeout=1.5)

class Known(Actor):
    @endpoint
    def pids(self): return os.getpid(), os.getppid()

def said(future):
    before = time.monotonic()
    text = str(future.exception(30))
    return text, time.monotonic() - before

procs = ra.this_host().spawn_procs({"r": 2})
known = procs.spawn("known", Known)
pids = [pid for pid, _ in known.pids.call().get(30).values()]
zygote = known.slice(r=0).pids.call_one().get(30)[1]
print("PIDS", [*pids, zygote], flush=True)
"""


def test_spawn_when_the_zygote_is_stopped(program: Program) -> None:
    script = program(
        HEAD
        + """
os.kill(zygote, signal.SIGSTOP)
policy = ra.RestartPolicy(max_restarts=1, backoff_base=0.01)
late = ra.this_host().spawn_procs(name="late", restart=policy)
print("LATE", said(late.spawn("k", Known).pids.call_one()), flush=True)
end = time.monotonic() + 20
while "still held" not in (text := said(late.spawn("l", Known).initialized)[0]):
    assert time.monotonic() < end, text
print("AGAIN", repr(text), flush=True)
os.kill(zygote, signal.SIGCONT)
other = ra.this_host().spawn_procs().spawn("k", Known)  # after what had waited
pid = other.pids.call_one().get(30)[0]
children = open(f"/proc/{zygote}/task/{zygote}/children").read().split()
print("CHILDREN", sorted(map(int, children)) == sorted([*pids, pid]), flush=True)
print("STILL", sorted(pid for pid, _ in known.pids.call().get(30).values()), flush=True)
"""
    )
    *pids, zygote = script.marker("PIDS", SECONDS)
    text, seconds = script.marker("LATE", SECONDS)
    assert "the process was not ready after 1.5 s" in text
    assert f"its zygote (pid {zygote}) is stopped" in text
    assert seconds < 4
    assert f"zygotes [{zygote}] are stopped" in script.marker("AGAIN", SECONDS)
    assert script.marker("CHILDREN", SECONDS) is True
    assert script.marker("STILL", SECONDS) == sorted(pids)
    assert script.finish(SECONDS) == 0
    assert Machine().alive([*pids, zygote]) == []


def test_silence_when_the_zygote_is_stopped(program: Program) -> None:
    script = program(
        HEAD
        + """
os.kill(zygote, signal.SIGSTOP)
os.kill(pids[0], signal.SIGSTOP)
while open(f"/proc/{pids[0]}/stat").read().rpartition(")")[2].split()[0] != "T": pass
print("SILENT", said(known.slice(r=0).pids.call_one()), flush=True)
print("OTHER", known.slice(r=1).pids.call_one().get(30), flush=True)
"""
    )
    *pids, zygote = script.marker("PIDS", SECONDS)
    text, seconds = script.marker("SILENT", SECONDS)
    assert "gave no sign of life for 0.6 s; its zygote" in text
    assert seconds < 2
    assert script.marker("OTHER", SECONDS) == (pids[1], zygote)
    # The end of the program lets the zygote go on, which then ends the rest.
    assert script.finish(10.0) == 0
    assert Machine().alive([*pids, zygote]) == []


WORKS = """
class Busy(Actor):
    def __init__(self): self.count = 0
    @endpoint
    def add(self):
        self.count += 1
        return self.count

busy = procs.spawn("busy", Busy)
busy.add.call().get(30)
failed = []
ra.unhandled_fault_hook = lambda failure: failed.append(str(failure))
"""


def test_workers_when_the_client_was_stopped(program: Program) -> None:
    """Before it goes on it has heard nothing of them: that is its own silence, not theirs."""
    script = program(
        HEAD
        + WORKS
        + """
import subprocess
config.configure(spawn_timeout=0.7)
nap = f"kill -STOP {os.getpid()}; sleep 1.2; kill -CONT {os.getpid()}"
late = ra.this_host().spawn_procs({"r": 4}, name="late").spawn("late", Busy)
subprocess.run(["sh", "-c", nap], check=True)
print("LATE", late.add.call().get(30).values(), flush=True)
print("BUSY", busy.add.call().get(30).values(), flush=True)
time.sleep(0.8)
print("FAILED", failed, flush=True)
"""
    )
    assert script.finish(SECONDS) == 0, script.out
    assert script.marker("FAILED", SECONDS) == []
    assert script.out.count("BUSY") == 1


def test_workers_when_the_zygote_was_stopped(program: Program) -> None:
    script = program(
        HEAD
        + WORKS
        + """
os.kill(zygote, signal.SIGSTOP)
end = time.monotonic() + 1.2
while time.monotonic() < end: busy.add.call().get(30)
os.kill(zygote, signal.SIGCONT)
print("MORE", ra.this_host().spawn_procs().spawn("k", Busy).add.call_one().get(30), flush=True)
print("FAILED", failed, flush=True)
"""
    )
    assert script.finish(SECONDS) == 0, script.out
    assert script.marker("FAILED", SECONDS) == []
    assert script.marker("MORE", SECONDS) == 1


def test_processes_of_another_host_when_it_was_stopped(
    start: Callable[..., HostProcess], program: Program
) -> None:
    host = start("tcp://127.0.0.1:0")
    script = program(
        HEAD.replace("heartbeat_timeout=0.6, spawn_timeout=1.5", "heartbeat_timeout=3")
        + WORKS
        + f"""
ca = "trust_all_connections"
hosts = ra.attach_to_workers(workers=["{host.address}"], ca=ca)
far = hosts.spawn_procs({{"r": 2}}).spawn("far", Busy)
far.add.call().get(30)
os.kill({host.pid}, signal.SIGSTOP)
time.sleep(0.8)  # many heartbeats, but not those that make it dead
os.kill({host.pid}, signal.SIGCONT)
print("FAR", [*far.add.call().get(30).values()], failed, flush=True)
"""
    )
    assert script.finish(SECONDS) == 0, script.out
    assert script.out.count("FAR [2, 2] []") == 1
