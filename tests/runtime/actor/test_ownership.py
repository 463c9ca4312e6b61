"""Who spawns owns: references can be passed on and used, and own nothing."""
# ruff: noqa: ANN401 - actors and meshes have endpoints of any signature

import os
import pickle
import signal
from collections.abc import Iterator
from typing import Any

import pytest

from runtime import actor as ra
from runtime import config
from runtime.actor import Actor, Channel, Port, endpoint
from tests.runtime.field.machine import Machine

SECONDS = 30.0
pytestmark = pytest.mark.usefixtures("quiet")


class Counter(Actor):
    """Counts, and says when it ends."""

    def __init__(self, told: Port[Any] | None = None) -> None:
        self.count = 0
        self.told = told

    @endpoint
    def add(self, value: int) -> int:
        self.count += value
        return self.count

    @endpoint
    def pid(self) -> int:
        return os.getpid()

    def __cleanup__(self, error: Exception | None) -> None:
        if self.told is not None:
            self.told.send(("counter", error))


class User(Actor):
    """Uses what it was given, and spawns what it owns."""

    def __init__(self, counter: Any = None, told: Port[Any] | None = None) -> None:
        self.counter = counter
        self.told = told

    @endpoint
    def adds(self, value: int) -> list[int]:
        return [*self.counter.add.call(value).get(SECONDS).values()]

    @endpoint
    def takes(self, counter: Any) -> int:
        self.counter = counter
        return int(counter.add.call_one(10).get(SECONDS))

    @endpoint
    def refused(self) -> list[str]:
        texts = []
        for action in (self.counter.stop, lambda: self.counter.initialized):
            try:
                action()
            except RuntimeError as error:
                texts.append(str(error))
        return texts

    @endpoint
    def spawns(self, *, here: bool) -> Any:
        procs = ra.this_proc() if here else ra.this_host().spawn_procs({"n": 2})
        self.mine = procs.spawn("mine", Counter, self.told)
        return self.mine

    @endpoint
    def nests(self, depth: int) -> list[int]:
        """Spawn a chain of owners, each in a process of its own; return their processes."""
        if depth == 0:
            return [os.getpid()]
        self.inner = ra.this_host().spawn_procs().spawn(f"user{depth}", User)
        return [os.getpid(), *self.inner.nests.call_one(depth - 1).get(SECONDS)]

    @endpoint
    def stops_what_it_spawned(self) -> str:
        self.mine.stop().get(SECONDS)
        try:
            self.mine.add.call(1).get(SECONDS)
        except ra.SupervisionError as error:
            return error.failure.kind
        return ""

    @endpoint
    def sees(self, values: Any) -> list[Any]:
        return [(dict(point), value) for point, value in values.items()]

    def __cleanup__(self, error: Exception | None) -> None:
        if self.told is not None:
            self.told.send(("user", error))


@pytest.fixture(scope="module")
def procs() -> Iterator[ra.ProcMesh]:
    mesh = ra.this_host().spawn_procs({"r": 2})
    yield mesh
    mesh.stop().get(SECONDS)


def test_reference_when_given_at_the_spawn(procs: ra.ProcMesh) -> None:
    counters = procs.spawn("counters", Counter)
    users = procs.spawn("users", User, counters)
    assert users.slice(r=0).adds.call_one(1).get(SECONDS) == [1, 1]
    assert users.slice(r=1).adds.call_one(2).get(SECONDS) == [3, 3]
    texts = users.slice(r=0).refused.call_one().get(SECONDS)
    assert "cannot be stopped from here" in texts[0]
    assert "is a reference" in texts[1]


def test_reference_when_it_is_a_slice_in_a_message(procs: ra.ProcMesh) -> None:
    counters = procs.spawn("counters", Counter)
    user = procs.slice(r=0).spawn("user", User)
    assert user.takes.call_one(counters.slice(r=1)).get(SECONDS) == 10
    assert [*counters.add.call(0).get(SECONDS).values()] == [0, 10]


def test_reference_when_pickled_here(procs: ra.ProcMesh) -> None:
    counters = procs.spawn("counters", Counter)
    counters.initialized.get(SECONDS)
    again = pickle.loads(pickle.dumps(counters.slice(r=1)))  # noqa: S301 - our own
    assert again.add.call_one(4).get(SECONDS) == 4
    assert again.sizes == {}
    meshes = pickle.loads(pickle.dumps((procs, ra.this_host())))  # noqa: S301
    assert meshes[0].sizes == {"r": 2}
    with pytest.raises(RuntimeError, match="cannot be stopped from here"):
        meshes[0].stop()
    late = meshes[0].spawn("late", Counter)  # who spawns on it owns the actors
    assert len(late.add.call(1).get(SECONDS)) == 2
    late.stop().get(SECONDS)


def test_results_when_they_are_meshes_of_values(procs: ra.ProcMesh) -> None:
    counters = procs.spawn("counters", Counter)
    user = procs.slice(r=0).spawn("user", User)
    values = counters.add.call(5).get(SECONDS)
    assert user.sees.call_one(values).get(SECONDS) == [({"r": 0}, 5), ({"r": 1}, 5)]
    assert user.sees.call_one(values.slice(r=slice(1, 2))).get(SECONDS) == [({"r": 0}, 5)]


@pytest.mark.parametrize("here", [False, True])
def test_mesh_when_its_owner_is_stopped(procs: ra.ProcMesh, *, here: bool) -> None:
    told, receiver = Channel.open()
    user = procs.slice(r=0).spawn("user", User, None, told)
    mine = user.spawns.call_one(here=here).get(SECONDS)
    pids = [*mine.pid.call().get(SECONDS).values()]
    user.stop().get(SECONDS)
    ends = [receiver.recv().get(SECONDS) for _ in range(len(pids) + 1)]
    assert ends == [("counter", None)] * len(pids) + [("user", None)]  # the owner last
    with pytest.raises(ra.SupervisionError):
        mine.add.call(1).get(SECONDS)
    if not here:
        assert Machine().alive(pids) == []


def test_mesh_when_its_owner_stops_it(procs: ra.ProcMesh) -> None:
    user = procs.slice(r=1).spawn("user", User)
    user.spawns.call_one(here=False).get(SECONDS)
    assert user.stops_what_it_spawned.call_one().get(SECONDS) == "stopped"
    user.stop().get(SECONDS)


def test_owners_when_they_are_nested() -> None:
    with ra.this_host().spawn_procs() as procs:
        user = procs.spawn("user", User)
        pids = user.nests.call_one(3).get(SECONDS)
        assert len({*pids}) == 4
        assert len(Machine().alive(pids)) == 4
    assert Machine().alive(pids) == []


def test_owner_when_a_child_does_not_leave() -> None:
    with (
        config.configured(stop_timeout=0.1, cleanup_timeout=0.5),
        ra.this_host().spawn_procs() as procs,
    ):
        user = procs.spawn("user", User)
        mine = user.spawns.call_one(here=False).get(SECONDS)
        pids = [*mine.pid.call().get(SECONDS).values()]
        os.kill(pids[0], signal.SIGSTOP)
        user.stop().get(SECONDS)
        assert Machine().alive(pids) == []


def test_procs_when_one_does_not_leave() -> None:
    with config.configured(stop_timeout=0.1, cleanup_timeout=0.5):
        with ra.this_host().spawn_procs({"n": 2}) as procs:
            counters = procs.spawn("counters", Counter)
            pids = [*counters.pid.call().get(SECONDS).values()]
            os.kill(pids[0], signal.SIGSTOP)
        assert Machine().alive(pids) == []
