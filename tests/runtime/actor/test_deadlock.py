"""Calls that wait for each other: said at once, in whichever order they meet, and only then."""
# ruff: noqa: ANN401 - actors and meshes have endpoints of any signature

import asyncio
import time
from collections.abc import Iterator
from typing import Any

import pytest

from runtime import actor as ra
from runtime.actor import Actor, Channel, Port, concurrent_endpoint, endpoint

SECONDS = 30.0
pytestmark = pytest.mark.usefixtures("quiet")


class Caller(Actor):
    """Calls on, and waits."""

    def __init__(self) -> None:
        self.others: dict[str, Any] = {}

    @endpoint
    def meet(self, **others: Any) -> None:
        self.others |= others

    @endpoint
    def pings(self, path: list[str]) -> str:
        """Call along a path, and wait."""
        if not path:
            return "end"
        return str(self.others[path[0]].pings.call_one(path[1:]).get(SECONDS))

    @endpoint
    def catches(self, path: list[str]) -> tuple[str, ...]:
        try:
            self.others[path[0]].pings.call_one(path[1:]).get(SECONDS)
        except ra.DeadlockError as error:
            return error.chain
        return ()

    @endpoint
    def starts(self, path: list[str], gate: Port[Any]) -> str:
        """Call along a path, and wait when the test says so: the call back may be here by then."""
        future = self.others[path[0]].pings.call_one(path[1:])
        mine, receiver = Channel.open()
        gate.send(mine)
        receiver.recv().get(SECONDS)
        return str(future.get(SECONDS))

    @endpoint
    def forgets(self, path: list[str]) -> str:
        """Call along a path, and wait for nothing."""
        self.others[path[0]].pings.call_one(path[1:])
        return "not waited"


class AsyncCaller(Actor):
    """Awaits."""

    def __init__(self) -> None:
        self.others: dict[str, Any] = {}

    @endpoint
    async def meet(self, **others: Any) -> None:
        self.others |= others

    @endpoint
    async def pings(self, path: list[str]) -> str:
        if not path:
            return "end"
        return str(await self.others[path[0]].pings.call_one(path[1:]))

    @concurrent_endpoint
    async def beside(self, path: list[str]) -> str:
        """Leave the actor free to take messages meanwhile."""
        return str(await self.others[path[0]].pings.call_one(path[1:]))

    @endpoint
    async def gathers(self, path: list[str]) -> list[str]:
        calls = [self.others[path[0]].pings.call_one(path[1:]) for _ in range(3)]
        found = await asyncio.gather(*calls, return_exceptions=True)
        return [type(each).__name__ for each in found]


@pytest.fixture(scope="module")
def procs() -> Iterator[ra.ProcMesh]:
    mesh = ra.this_host().spawn_procs({"r": 2})
    yield mesh
    mesh.stop().get(SECONDS)


@pytest.fixture(params=[Caller, AsyncCaller])
def pair(request: pytest.FixtureRequest, procs: ra.ProcMesh) -> Iterator[tuple[Any, Any]]:
    """Give two actors that know each other and themselves, in two processes."""
    yield from acquainted(procs, request.param)


@pytest.fixture
def callers(procs: ra.ProcMesh) -> Iterator[tuple[Any, Any]]:
    yield from acquainted(procs, Caller)


@pytest.fixture
def awaiting(procs: ra.ProcMesh) -> Iterator[tuple[Any, Any]]:
    yield from acquainted(procs, AsyncCaller)


def acquainted(procs: ra.ProcMesh, kind: type[Actor]) -> Iterator[tuple[Any, Any]]:
    a = procs.slice(r=0).spawn("a", kind)
    b = procs.slice(r=1).spawn("b", kind)
    for each in (a, b):
        each.meet.call_one(a=a, b=b).get(SECONDS)
    yield a, b
    for each in (a, b):
        each.stop().get(SECONDS)


def answers(actor: Any) -> bool:
    """Tell whether an actor takes messages: it does not while it waits."""
    try:
        actor.pings.call_one([]).get(0.2)
    except TimeoutError:
        return False
    return True


def soon(future: Any) -> Any:
    """Return what a call ends with; a deadlock is no timeout."""
    before = time.monotonic()
    error = future.exception(SECONDS)
    assert time.monotonic() - before < 5
    return error


def test_call_when_it_comes_back(pair: tuple[Any, Any]) -> None:
    a, _ = pair
    error = soon(a.pings.call_one(["b", "a"]))
    assert isinstance(error, ra.DeadlockError)
    assert error.chain == ("a", "b", "a")
    assert "a -> b -> a" in str(error)


def test_call_when_an_actor_calls_itself(pair: tuple[Any, Any]) -> None:
    a, _ = pair
    error = soon(a.pings.call_one(["a"]))
    assert isinstance(error, ra.DeadlockError)
    assert error.chain == ("a", "a")


def test_call_when_the_way_back_is_longer(pair: tuple[Any, Any], procs: ra.ProcMesh) -> None:
    a, b = pair
    c = procs.slice(r=0).spawn("c", Caller)
    b.meet.call_one(c=c).get(SECONDS)
    c.meet.call_one(a=a).get(SECONDS)
    error = soon(a.pings.call_one(["b", "c", "a"]))
    assert error.chain == ("a", "b", "c", "a")
    c.stop().get(SECONDS)


def test_call_when_it_comes_back_before_the_caller_waits(callers: tuple[Any, Any]) -> None:
    a, b = callers
    gate, receiver = Channel.open()
    future = a.starts.call_one(["b", "a"], gate)
    release = receiver.recv().get(SECONDS)
    while answers(b):
        pass
    release.send("go")
    assert isinstance(soon(future), ra.DeadlockError)


def test_call_when_the_deadlock_is_caught(callers: tuple[Any, Any]) -> None:
    a, b = callers
    assert a.catches.call_one(["b", "a"]).get(SECONDS) == ("a", "b", "a")
    assert a.pings.call_one(["b"]).get(SECONDS) == "end"
    assert b.pings.call_one(["a"]).get(SECONDS) == "end"


def test_call_when_nobody_waits(callers: tuple[Any, Any]) -> None:
    a, b = callers
    assert a.forgets.call_one(["b", "a"]).get(SECONDS) == "not waited"
    assert b.pings.call_one(["a"]).get(SECONDS) == "end"


def test_call_when_two_actors_call_a_third(callers: tuple[Any, Any], procs: ra.ProcMesh) -> None:
    a, b = callers
    c = procs.spawn("c", Caller)
    one = c.slice(r=0)
    for each in (a, b):
        each.meet.call_one(c=one).get(SECONDS)
    futures = [each.pings.call_one(["c"]) for _ in range(50) for each in (a, b)]
    assert {future.get(SECONDS) for future in futures} == {"end"}
    c.stop().get(SECONDS)


def test_call_when_the_endpoint_runs_beside(awaiting: tuple[Any, Any]) -> None:
    a, _ = awaiting
    assert a.beside.call_one(["b", "a"]).get(SECONDS) == "end"


def test_call_when_several_come_back(awaiting: tuple[Any, Any]) -> None:
    a, _ = awaiting
    assert a.gathers.call_one(["b", "a"]).get(SECONDS) == ["DeadlockError"] * 3


def test_calls_when_two_cross(callers: tuple[Any, Any]) -> None:
    """One waits for another that is called by somebody else: no chain leads back."""
    a, b = callers
    gate, receiver = Channel.open()
    first = a.starts.call_one(["b"], gate)
    release = receiver.recv().get(SECONDS)
    second = b.pings.call_one(["a"])
    release.send("go")
    assert (first.get(SECONDS), second.get(SECONDS)) == ("end", "end")
