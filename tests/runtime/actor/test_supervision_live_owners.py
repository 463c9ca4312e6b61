"""What owners do about deaths, in real processes: they decide, go down, and take theirs along."""

# ruff: noqa: ANN401 - actors and meshes have endpoints of any signature

import asyncio
import os
import signal
import time
from typing import Any

import pytest

from runtime import actor as ra
from runtime.actor import Actor, Port, endpoint
from tests.runtime.actor.deaths import SECONDS, Told, Worker, died

HANDLES, ESCALATES = True, False


class Owner(Actor):
    """Owns workers; its verdict about their failures is given to it."""

    def __init__(self, verdict: object, told: Port[Any], kind: type[Actor] = Worker) -> None:
        self.verdict = verdict
        self.told = told
        self.procs = ra.this_host().spawn_procs({"w": 2}, name="inner")
        self.workers = self.procs.spawn("workers", kind)

    def __supervise__(self, failure: ra.MeshFailure) -> bool:
        self.told.send((failure.of(None), failure.mesh is self.workers))
        if isinstance(self.verdict, BaseException):
            raise self.verdict
        return bool(self.verdict)

    def __cleanup__(self, error: Exception | None) -> None:
        self.told.send(("cleanup", str(error)))

    @endpoint
    def children(self) -> Any:
        return self.workers

    @endpoint
    def pid(self) -> int:
        return os.getpid()

    @endpoint
    def another(self) -> int:
        """Spawn on the mesh that saw a failure, and anew on the same host."""
        alive = self.procs.slice(w=0).spawn("more", Worker)
        fresh = ra.this_host().spawn_procs().spawn("fresh", Worker)
        return int(alive.pid.call_one().get(SECONDS) != fresh.pid.call_one().get(SECONDS))

    @endpoint
    def dies(self) -> None:
        raise SystemExit(1)


class Unborn(Actor):
    """Owns before it fails to be constructed."""

    def __init__(self, told: Port[Any]) -> None:
        procs = ra.this_host().spawn_procs({"w": 2})
        told.send([*procs.spawn("workers", Worker).pid.call().get(SECONDS).values()])
        raise LookupError("not born")


class Untidy(Actor):
    """Cannot clean up."""

    @endpoint
    def pid(self) -> int:
        return os.getpid()

    def __cleanup__(self, error: Exception | None) -> None:
        raise LookupError("untidy")


class AsyncOwner(Actor):
    """Decides in a coroutine, and cleans up in the loop that it has lived in."""

    def __init__(self, told: Port[Any]) -> None:
        self.told = told
        self.workers = ra.this_host().spawn_procs({"w": 2}).spawn("workers", Worker)
        self.lock: asyncio.Lock | None = None

    @endpoint
    async def children(self) -> Any:
        self.loop = asyncio.get_running_loop()
        return self.workers

    async def __supervise__(self, failure: ra.MeshFailure) -> bool:  # type: ignore[override]
        await asyncio.sleep(0)
        self.told.send(failure.rank)
        return False

    async def __cleanup__(self, error: Exception | None) -> None:
        self.told.send(asyncio.get_running_loop() is self.loop)


def gone(pids: list[int]) -> bool:
    """Wait until processes have ended."""
    end = time.monotonic() + SECONDS
    while any(os.path.exists(f"/proc/{pid}") for pid in pids):  # noqa: PTH110
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


@pytest.fixture
def told() -> Told:
    return Told()


def owner_of(procs: ra.ProcMesh, *arguments: Any) -> Any:
    """Spawn one owner."""
    return procs.slice(r=0).spawn("owner", Owner, *arguments)


def test_owner_when_it_handles_a_failure(procs: ra.ProcMesh, told: Told, seen: Any) -> None:
    owner = owner_of(procs, HANDLES, told.port)
    workers = owner.children.call_one().get(SECONDS)
    error = died(workers.slice(w=1).exits.call_one(4))
    failure, is_its_mesh = told.next()
    assert (failure.event_id, failure.rank, failure.status) == (error.event_id, 1, 4)
    assert is_its_mesh
    assert owner.another.call_one().get(SECONDS) == 1
    assert workers.slice(w=0).pid.call_one().get(SECONDS) > 0
    assert told.nothing()
    assert seen.empty()


def test_owner_when_it_does_not_handle_a_failure(procs: ra.ProcMesh, told: Told, seen: Any) -> None:
    owner = owner_of(procs, ESCALATES, told.port)
    workers = owner.children.call_one().get(SECONDS)
    pids = [*workers.pid.call().get(SECONDS).values()]
    died(workers.slice(w=1).exits.call_one(4))
    child, _ = told.next()
    failure = seen.get(timeout=SECONDS)
    assert (failure.kind, failure.mesh_name, failure.rank) == ("child", "owner", 0)
    assert failure.root.event_id == child.event_id
    assert failure.report().index("status 4") < failure.report().index("which brought down")
    assert told.next()[0] == "cleanup"
    assert gone(pids)  # its children went with it
    assert died(owner.pid.call_one()).failure.root.event_id == child.event_id
    assert procs.spawn("more", Worker).slice(r=0).pid.call_one().get(SECONDS) > 0


def test_owner_when_its_supervise_raises(procs: ra.ProcMesh, told: Told, seen: Any) -> None:
    owner = owner_of(procs, KeyError("confused"), told.port)
    workers = owner.children.call_one().get(SECONDS)
    died(workers.slice(w=1).exits.call_one(4))
    child, _ = told.next()
    failure = seen.get(timeout=SECONDS)
    assert failure.cause == "KeyError: 'confused'"
    assert failure.origin.event_id == child.event_id
    assert failure.origin.origin is None


def test_owner_when_it_decides_in_a_coroutine(procs: ra.ProcMesh, told: Told, seen: Any) -> None:
    owner = procs.slice(r=0).spawn("owner", AsyncOwner, told.port)
    workers = owner.children.call_one().get(SECONDS)
    died(workers.slice(w=1).exits.call_one(4))
    assert told.next() == 1
    assert seen.get(timeout=SECONDS).kind == "child"
    assert told.next() is True  # the clean-up ran in the same loop


def test_owner_when_it_fails_itself(procs: ra.ProcMesh, told: Told, seen: Any) -> None:
    owner = owner_of(procs, HANDLES, told.port)
    workers = owner.children.call_one().get(SECONDS)
    pids = [*workers.pid.call().get(SECONDS).values()]
    died(owner.dies.call_one())
    assert told.next() == ("cleanup", "SystemExit: 1")  # after its children
    assert not any(os.path.exists(f"/proc/{pid}") for pid in pids)  # noqa: PTH110
    assert seen.get(timeout=SECONDS).cause == "SystemExit: 1"
    died(workers.slice(w=0).pid.call_one())


def test_owner_when_it_fails_in_its_constructor(procs: ra.ProcMesh, told: Told, seen: Any) -> None:
    owner = procs.slice(r=0).spawn("unborn", Unborn, told.port)
    assert gone(told.next())
    assert seen.get(timeout=SECONDS).cause == "LookupError: not born"
    died(owner.initialized)


def test_actor_when_its_clean_up_raises(procs: ra.ProcMesh, seen: Any) -> None:
    untidy = procs.slice(r=0).spawn("untidy", Untidy)
    pid = untidy.pid.call_one().get(SECONDS)
    untidy.stop().get(SECONDS)
    assert died(untidy.pid.call_one()).failure.kind == "stopped"
    assert procs.slice(r=0).spawn("w", Worker).pid.call_one().get(SECONDS) == pid
    assert seen.empty()


def test_owner_when_its_process_is_killed(procs: ra.ProcMesh, told: Told, seen: Any) -> None:
    owner = owner_of(procs, HANDLES, told.port)
    workers = owner.children.call_one().get(SECONDS)
    pids = [*workers.pid.call().get(SECONDS).values()]
    os.kill(owner.pid.call_one().get(SECONDS), signal.SIGKILL)
    assert gone(pids)
    assert seen.get(timeout=SECONDS).signal == signal.SIGKILL
    died(workers.slice(w=0).pid.call_one())
    assert seen.empty()


def test_owner_when_it_spawned_on_processes_of_another(
    procs: ra.ProcMesh, told: Told, seen: Any
) -> None:
    owner = procs.slice(r=0).spawn("guest", Guest, procs.slice(r=1))
    guests = owner.spawns.call_one().get(SECONDS)
    assert guests.pid.call_one().get(SECONDS) > 0
    os.kill(owner.pid.call_one().get(SECONDS), signal.SIGKILL)
    seen.get(timeout=SECONDS)
    end = time.monotonic() + SECONDS
    while True:  # the end of an actor is not told to this program, which does not own it
        error = guests.pid.call_one().exception(SECONDS)
        if error is not None:
            break
        assert time.monotonic() < end
    assert isinstance(error, ra.SupervisionError)
    assert error.failure.kind == "stopped"
    assert procs.slice(r=1).spawn("w", Worker).pid.call_one().get(SECONDS) > 0


class Guest(Actor):
    """Spawns on processes that it was given."""

    def __init__(self, procs: ra.ProcMesh) -> None:
        self.procs = procs

    @endpoint
    def spawns(self) -> Any:
        self.mesh = self.procs.spawn("guests", Worker)
        return self.mesh

    @endpoint
    def pid(self) -> int:
        return os.getpid()


def test_hook_when_it_raises_a_plain_exception(program: Any) -> None:
    script = program(
        HOOK.format(hook="raise ValueError('hook')", after="import time; time.sleep(60)")
    )
    assert script.finish(SECONDS) == 1
    assert "ValueError: hook" in script.out
    assert "exited with status 3" in script.out


def test_hook_when_it_returns(program: Any) -> None:
    script = program(HOOK.format(hook="print('HOOK', repr(f.cause))", after="pass"))
    assert script.finish(SECONDS) == 0
    assert script.marker("HOOK", SECONDS) == "exited with status 3"


HOOK = """
import os, runtime.actor as ra
class E(ra.Actor):
    @ra.endpoint
    def die(self): os._exit(3)
def hook(f):
    {hook}
ra.unhandled_fault_hook = hook
if __name__ == "__main__":
    e = ra.this_host().spawn_procs().spawn("e", E)
    try:
        e.die.call_one().get(30)
    except ra.SupervisionError:
        pass
    {after}
"""
ROOT = """
import os, sys, time, runtime.actor as ra
class Leaf(ra.Actor):
    @ra.endpoint
    def die(self):
        print("leaf says good-bye")
        os._exit(9)
class Middle(ra.Actor):
    def __init__(self): self.leaf = ra.this_host().spawn_procs(name="leaves").spawn("leaf", Leaf)
    @ra.endpoint
    def start(self): self.leaf.die.broadcast()
if __name__ == "__main__":
    import atexit
    atexit.register(lambda: print("EXIT HANDLER", flush=True))
    middle = ra.this_host().spawn_procs().spawn("middle", Middle)
    middle.start.call_one().get(30)
    time.sleep(60)
    print("NOT REACHED")
"""


def test_program_when_nobody_handles_a_failure(program: Any) -> None:
    script = program(ROOT)
    assert script.finish(SECONDS) == 1
    assert "NOT REACHED" not in script.out
    assert "EXIT HANDLER" in script.out
    report = script.out[script.out.index("the program ends by a failure") :]
    assert report.index("exited with status 9") < report.index("which brought down")
    assert report.index("leaf says good-bye") < report.index("middle")
