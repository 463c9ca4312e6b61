"""Controllers: one of a name in a program, whoever asks, at once or after its failure."""

import os
import sys
import threading

import pytest

from runtime import actor as ra
from runtime.actor import Actor, SerializationError, SupervisionError, get_or_spawn_controller

SECONDS = 30.0


class Counter(Actor):
    """Counts for everybody."""

    def __init__(self, first: int = 0) -> None:
        self.count = first

    @ra.endpoint
    def next(self) -> int:
        self.count += 1
        return self.count

    @ra.endpoint
    def where(self) -> tuple[int, str, str]:
        me = ra.context().actor_instance
        return os.getpid(), me.name, me.creator

    @ra.endpoint
    def abort(self) -> None:
        ra.context().actor_instance.abort("enough")


class Other(Counter):
    """Another class."""


class Fails(Actor):
    """Cannot be made."""

    def __init__(self) -> None:
        raise ValueError("not today")


class Asks(Actor):
    """Uses the controller from its own process."""

    @ra.endpoint
    def count(self, name: str, times: int) -> list[int]:
        counter = get_or_spawn_controller(name, Counter).get(SECONDS)
        return [counter.next.call_one().get(SECONDS) for _ in range(times)]

    @ra.endpoint
    def make(self, name: str) -> "ra.ActorMesh[Counter]":
        return get_or_spawn_controller(name, Counter).get(SECONDS)


class AsksAsync(Actor):
    """Does so on a loop."""

    @ra.endpoint
    async def count(self, name: str) -> int:
        counter = await get_or_spawn_controller(name, Counter)
        return int(await counter.next.call_one())


@pytest.fixture
def name(request: pytest.FixtureRequest) -> str:
    """Give a name of the test's own: controllers live as long as the program."""
    return str(request.node.name)


@pytest.mark.usefixtures("quiet")
def test_controller_when_the_client_asks(name: str) -> None:
    counter = get_or_spawn_controller(name, Counter, 10).get(SECONDS)
    again = get_or_spawn_controller(name, Counter, 20).get(SECONDS)
    assert [each.next.call_one().get(SECONDS) for each in (counter, again)] == [11, 12]
    assert counter.where.call_one().get(SECONDS) == (os.getpid(), name, "client")


@pytest.mark.usefixtures("quiet")
def test_controller_when_all_ask_at_once(procs: ra.ProcMesh, name: str) -> None:
    asks, on_loops = procs.spawn("asks", Asks), procs.spawn("on_loops", AsksAsync)
    futures = [asks.count.call(name, 5), on_loops.count.call(name)]
    threads = [
        threading.Thread(target=lambda: get_or_spawn_controller(name, Counter).get(SECONDS))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    plain, looped = (future.get(SECONDS) for future in futures)
    for thread in threads:
        thread.join(SECONDS)
    counted = [number for numbers in plain.values() for number in numbers] + list(looped.values())
    assert sorted(counted) == list(range(1, 19))


@pytest.mark.usefixtures("quiet")
def test_controller_when_an_actor_asked_first(procs: ra.ProcMesh, name: str) -> None:
    made = procs.slice(r=1).spawn("asks", Asks).make.call_one(name).get(SECONDS)
    procs.slice(r=1).spawn("beside", Asks).stop().get(SECONDS)
    counter = get_or_spawn_controller(name, Counter).get(SECONDS)
    assert made.where.call_one().get(SECONDS) == counter.where.call_one().get(SECONDS)
    assert counter.where.call_one().get(SECONDS)[0] == os.getpid()


@pytest.mark.usefixtures("quiet")
def test_controller_when_another_class_is_asked_for(name: str) -> None:
    get_or_spawn_controller(name, Counter, 5).get(SECONDS)
    with pytest.raises(
        TypeError, match=rf"^{name} is a Counter, and was asked for as a Other; ask for what it is"
    ):
        get_or_spawn_controller(name, Other).get(SECONDS)
    get_or_spawn_controller(f"{name}2", Other, 5).get(SECONDS)
    found = get_or_spawn_controller(f"{name}2", Counter).get(SECONDS)
    assert "Other" in repr(found)
    assert found.next.call_one().get(SECONDS) == 6


def test_controller_when_it_has_failed(failures: list[ra.MeshFailure], name: str) -> None:
    counter = get_or_spawn_controller(name, Counter).get(SECONDS)
    counter.next.call_one().get(SECONDS)
    counter.abort.call_one().exception(SECONDS)
    with pytest.raises(SupervisionError, match="enough"):
        counter.next.call_one().get(SECONDS)
    assert get_or_spawn_controller(name, Counter).get(SECONDS).next.call_one().get(SECONDS) == 1
    assert [failure.cause for failure in failures] == ["RuntimeError: enough"]


def test_controller_when_it_cannot_be_made(failures: list[ra.MeshFailure], name: str) -> None:
    for _ in range(2):
        with pytest.raises(SupervisionError, match="not today"):
            get_or_spawn_controller(name, Fails).get(SECONDS)
    assert {failure.kind for failure in failures} == {"init"}
    assert get_or_spawn_controller(name, Counter).get(SECONDS).next.call_one().get(SECONDS) == 1


@pytest.mark.usefixtures("quiet")
def test_controller_when_it_is_asked_for_wrongly(name: str) -> None:
    with pytest.raises(TypeError, match="too many positional arguments"):
        get_or_spawn_controller(name, Counter, 1, 2)
    with pytest.raises(TypeError, match="is not a subclass of Actor"):
        get_or_spawn_controller(name, int)  # type: ignore[type-var]
    with pytest.raises(SerializationError, match=f"controller {name}"):
        get_or_spawn_controller(name, Counter, threading.Lock())


class Quits:
    """Leaves whoever reads it."""

    def __reduce__(self) -> tuple[object, ...]:
        return sys.exit, (3,)


def test_controller_when_what_it_is_made_of_exits(quiet: None, name: str) -> None:
    with pytest.raises(ra.ActorError, match="SystemExit: 3"):
        get_or_spawn_controller(name, Counter, Quits()).get(SECONDS)
    assert get_or_spawn_controller(name, Counter).get(SECONDS).next.call_one().get(SECONDS) == 1
