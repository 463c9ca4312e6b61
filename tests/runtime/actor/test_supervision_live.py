"""Failures of real actors and processes: who is told what, who goes down, and what lives on."""
# ruff: noqa: ANN401 - actors and meshes have endpoints of any signature

import asyncio
import os
import queue
import signal
import sys
import time
from typing import Any

import pytest

from runtime import actor as ra
from runtime.actor import Actor, Channel, Port, concurrent_endpoint, endpoint

SECONDS = 30.0
HANDLES, ESCALATES = True, False
SOON = 5.0  # far less than any timeout that could hide a death


class Worker(Actor):
    """Dies in every way."""

    @endpoint
    def pid(self) -> int:
        return os.getpid()

    @endpoint
    def exits(self, status: int) -> None:
        sys.stdout.write("last words\n")
        os._exit(status)

    @endpoint
    def leaves(self) -> None:
        raise SystemExit(5)

    @endpoint
    def raises(self) -> None:
        raise ValueError("nobody waits")

    @endpoint
    def aborts(self) -> None:
        ra.context().actor_instance.abort("enough")

    @endpoint
    def quits(self) -> None:
        ra.context().actor_instance.stop("done")

    @endpoint(explicit_response_port=True)
    def explicit(self, port: Port[int]) -> None:
        del port
        raise ValueError("with a port")

    @endpoint
    def waits(self, port: Port[Any]) -> None:
        mine, receiver = Channel.open()
        port.send(mine)
        receiver.recv().get(SECONDS)


class AsyncWorker(Actor):
    """The same with coroutines."""

    @endpoint
    async def raises(self) -> None:
        raise ValueError("nobody waits")

    @concurrent_endpoint(explicit_response_port=True)
    async def explicit(self, port: Port[int]) -> None:
        del port
        raise ValueError("with a port")

    @endpoint
    async def pid(self) -> int:
        return os.getpid()


class Stillborn(Actor):
    """Cannot be constructed in one place."""

    def __init__(self) -> None:
        if ra.context().actor_instance.rank.rank == 1:
            raise LookupError("no birth here")

    @endpoint
    def rank(self) -> int:
        return ra.current_rank().rank


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


def died(call: ra.Future[Any]) -> ra.SupervisionError:
    """Return what a call ends with, which has to be a death, and soon."""
    before = time.monotonic()
    with pytest.raises(ra.SupervisionError) as caught:
        call.get(SECONDS)
    assert time.monotonic() - before < SOON
    return caught.value


def gone(pids: list[int]) -> bool:
    """Wait until processes have ended."""
    end = time.monotonic() + SECONDS
    while any(os.path.exists(f"/proc/{pid}") for pid in pids):  # noqa: PTH110
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


class Told:
    """What an owner sends to the test."""

    def __init__(self) -> None:
        self.port, self._receiver = Channel.open()

    def next(self) -> Any:
        return self._receiver.recv().get(SECONDS)

    def nothing(self) -> bool:
        try:
            self._receiver.recv().get(0.2)
        except TimeoutError:
            return True
        return False


@pytest.fixture
def told() -> Told:
    return Told()


@pytest.fixture
def seen() -> Any:
    """Give the failures that reach the client as they come."""
    news: queue.Queue[ra.MeshFailure] = queue.Queue()
    before = ra.unhandled_fault_hook
    ra.unhandled_fault_hook = news.put
    yield news
    ra.unhandled_fault_hook = before


def owner_of(procs: ra.ProcMesh, *arguments: Any) -> Any:
    """Spawn one owner."""
    return procs.slice(r=0).spawn("owner", Owner, *arguments)


def test_death_when_a_process_exits(procs: ra.ProcMesh, seen: Any) -> None:
    workers = procs.spawn("workers", Worker)
    pid = workers.slice(r=1).pid.call_one().get(SECONDS)
    error = died(workers.slice(r=1).exits.call_one(3))
    failure = seen.get(timeout=SECONDS)
    assert error.event_id == failure.event_id
    assert (failure.kind, failure.status, failure.signal) == ("exit", 3, None)
    assert (failure.mesh_name, failure.rank, failure.point) == ("workers", 1, {"r": 1})
    assert (failure.pid, failure.output_tail) == (pid, ("last words",))
    assert failure.mesh is workers
    assert "exited with status 3" in failure.report()
    assert seen.empty()


def test_death_when_calls_wait(procs: ra.ProcMesh, seen: Any) -> None:
    workers = procs.spawn("workers", Worker)
    one = workers.slice(r=2)
    pid = one.pid.call_one().get(SECONDS)
    told = Told()
    waiting = [one.waits.call_one(told.port), one.pid.call_one(), workers.pid.call()]
    told.next()
    os.kill(pid, signal.SIGKILL)
    ids = {died(call).event_id for call in waiting}
    failure = seen.get(timeout=SECONDS)
    assert ids == {failure.event_id}
    assert (failure.kind, failure.signal) == ("signal", signal.SIGKILL)
    assert "SIGKILL" in failure.cause


def test_death_when_the_rest_is_used(procs: ra.ProcMesh, seen: Any) -> None:
    workers = procs.spawn("workers", Worker)
    died(workers.slice(r=1).exits.call_one(1))
    seen.get(timeout=SECONDS)
    died(workers.slice(r=1).pid.call_one())
    died(workers.pid.call())
    with pytest.raises(ra.SupervisionError):
        workers.raises.broadcast()
    rest = workers.slice(r=slice(0, 3, 2))
    assert len({*rest.pid.call().get(SECONDS).values()}) == 2
    more = procs.slice(r=slice(0, 3, 2)).spawn("more", Worker)
    assert len({*more.pid.call().get(SECONDS).values()}) == 2
    with ra.this_host().spawn_procs({"r": 2}) as others:
        assert len(others.spawn("others", Worker).pid.call().get(SECONDS)) == 2
    assert seen.empty()


def test_death_when_actors_are_spawned_on_it(procs: ra.ProcMesh, seen: Any) -> None:
    workers = procs.spawn("workers", Worker)
    died(workers.slice(r=1).exits.call_one(1))
    first = seen.get(timeout=SECONDS)
    late = procs.spawn("late", Worker)
    error = died(late.initialized)
    assert error.event_id == first.event_id
    assert late.slice(r=0).pid.call_one().get(SECONDS) > 0
    late.stop().get(SECONDS)
    assert seen.empty()  # of that death the program has heard


@pytest.mark.parametrize(
    ("kind", "way", "cause"),
    [
        (Worker, "raises", "ValueError: nobody waits"),
        (Worker, "explicit", "ValueError: with a port"),
        (Worker, "aborts", "RuntimeError: enough"),
        (Worker, "leaves", "SystemExit: 5"),
        (AsyncWorker, "raises", "ValueError: nobody waits"),
        (AsyncWorker, "explicit", "ValueError: with a port"),
    ],
)
def test_actor_when_it_fails_alone(
    procs: ra.ProcMesh, seen: Any, kind: type[Actor], way: str, cause: str
) -> None:
    mesh = procs.spawn("workers", kind)
    other = procs.spawn("other", Worker)
    getattr(mesh.slice(r=1), way).broadcast()
    failure = seen.get(timeout=SECONDS)
    assert (failure.kind, failure.cause, failure.rank) == ("exception", cause, 1)
    assert failure.actor_name == "workers"
    error = died(mesh.slice(r=1).pid.call_one())
    assert error.event_id == failure.event_id
    assert cause in str(error)
    assert mesh.slice(r=0).pid.call_one().get(SECONDS) > 0
    assert other.slice(r=1).pid.call_one().get(SECONDS) > 0  # the process lives


def test_call_when_the_endpoint_ends_the_actor(procs: ra.ProcMesh, seen: Any) -> None:
    workers = procs.spawn("workers", Worker)
    assert "SystemExit: 5" in str(died(workers.slice(r=0).leaves.call_one()))
    assert "with a port" in str(died(workers.slice(r=1).explicit.call_one()))
    assert {seen.get(timeout=SECONDS).rank for _ in range(2)} == {0, 1}


def test_init_when_it_fails(procs: ra.ProcMesh, seen: Any) -> None:
    mesh = procs.spawn("still", Stillborn)
    error = died(mesh.initialized)
    assert "LookupError: no birth here" in str(error)
    failure = seen.get(timeout=SECONDS)
    assert (failure.kind, failure.rank) == ("init", 1)
    assert 'raise LookupError("no birth here")' in failure.traceback
    assert died(mesh.rank.call()).event_id == failure.event_id
    assert mesh.slice(r=2).rank.call_one().get(SECONDS) == 0


def test_actor_when_it_stops_itself(procs: ra.ProcMesh, seen: Any) -> None:
    workers = procs.spawn("workers", Worker)
    workers.slice(r=1).quits.call_one().get(SECONDS)
    error = died(workers.slice(r=1).pid.call_one())
    assert (error.failure.kind, "done" in error.failure.cause) == ("stopped", True)
    assert workers.slice(r=0).pid.call_one().get(SECONDS) > 0
    assert seen.empty()


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
