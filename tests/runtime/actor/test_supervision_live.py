"""Deaths of real actors and processes: who is told what, and what lives on."""

# ruff: noqa: ANN401 - actors and meshes have endpoints of any signature

import os
import signal
from typing import Any

import pytest

from runtime import actor as ra
from runtime.actor import Actor, Port, concurrent_endpoint, endpoint
from tests.runtime.actor.deaths import SECONDS, Told, Worker, died


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
