"""Endpoints: every way to call them, what they return, and what is refused at the call."""
# ruff: noqa: ANN401 - actors and meshes have endpoints of any signature

import functools
import os
import threading
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from runtime import actor as ra
from runtime.actor import Actor, Channel, Port, as_endpoint, endpoint

SECONDS = 30.0
pytestmark = pytest.mark.usefixtures("quiet")


class Worker(Actor):
    """Does little."""

    def __init__(self, base: int = 0) -> None:
        self.base = base
        self.seen: list[object] = []

    @endpoint
    def add(self, value: int, *, twice: bool = False) -> int:
        return self.base + value * (2 if twice else 1)

    @endpoint
    def rank(self) -> int:
        return ra.current_rank().rank

    @endpoint
    def note(self, value: object) -> None:
        self.seen.append(value)

    @endpoint
    def notes(self) -> list[object]:
        return self.seen

    @endpoint
    def after(self, port: Port[str]) -> int:
        """Reply when the test lets it: the port of a channel of the test."""
        mine, receiver = Channel.open()
        port.send(mine)  # type: ignore[arg-type]
        receiver.recv().get(SECONDS)
        return ra.current_rank().rank

    @endpoint
    def fails_on(self, rank: int) -> int:
        if ra.current_rank().rank == rank:
            raise ValueError(f"rank {rank} does not want")
        return ra.current_rank().rank

    @endpoint(explicit_response_port=True)
    def replies(self, port: Port[int], count: int) -> None:
        for number in range(count):
            port.send(number)

    @endpoint(explicit_response_port=True)
    def refuses(self, port: Port[int]) -> None:
        port.exception(KeyError("not mine"))

    def plain(self, value: int) -> int:
        return value + 1

    def plain_port(self, port: Port[int], value: int) -> None:
        port.send(value + 2)


@pytest.fixture(scope="module")
def procs() -> Iterator[ra.ProcMesh]:
    mesh = ra.this_host().spawn_procs({"r": 3})
    yield mesh
    mesh.stop().get(SECONDS)


@pytest.fixture
def workers(procs: ra.ProcMesh) -> Iterator[Any]:
    mesh = procs.spawn("workers", Worker, base=100)
    yield mesh
    mesh.stop().get(SECONDS)


def test_call_when_made_to_a_mesh(workers: Any) -> None:
    values = workers.add.call(5).get(SECONDS)
    assert list(values.values()) == [105, 105, 105]
    assert [(dict(point), value) for point, value in workers.rank.call().get(SECONDS).items()] == [
        ({"r": 0}, 0),
        ({"r": 1}, 1),
        ({"r": 2}, 2),
    ]


def test_call_when_made_to_a_slice(workers: Any) -> None:
    part = workers.slice(r=slice(1, 3))
    values = part.rank.call().get(SECONDS)
    assert values.item(r=1) == 1  # places count inside the slice
    assert len(values) == 2
    with pytest.raises(IndexError, match="outside of dimension"):
        values.item(r=2)


def test_call_one_when_the_mesh_has_one_actor(workers: Any) -> None:
    assert workers.slice(r=2).add.call_one(1, twice=True).get(SECONDS) == 102


def test_call_one_when_the_mesh_has_several(workers: Any) -> None:
    with pytest.raises(ValueError, match="exactly 1 actor, and the mesh has 3"):
        workers.add.call_one(1)


def test_choose_when_called_often(workers: Any) -> None:
    workers.note.choose("x").get(SECONDS)
    counts = workers.notes.call().get(SECONDS)
    assert sum(len(value) for value in counts.values()) == 1
    futures = [workers.note.choose(n) for n in range(60)]
    for future in futures:
        future.get(SECONDS)
    lengths = [len(value) for value in workers.notes.call().get(SECONDS).values()]
    assert sum(lengths) == 61
    assert all(lengths)  # three of sixty tries miss one actor once in 10^10


def test_stream_when_replies_come_in_another_order(workers: Any) -> None:
    port, receiver = Channel.open_ranked()
    stream = workers.after.stream(port)
    gates = dict(receiver.recv().get(SECONDS) for _ in range(3))
    order = []
    for rank in (2, 0, 1):
        gates[rank].send("go")
        order.append(next(stream).get(SECONDS))
    assert order == [2, 0, 1]
    assert list(stream) == []


def test_stream_when_one_actor_raises(workers: Any) -> None:
    results = []
    for future in workers.fails_on.stream(1):
        error = future.exception(SECONDS)
        results.append(str(error.exception) if error else future.get())
    assert sorted(map(str, results)) == ["0", "2", "rank 1 does not want"]


def test_broadcast_when_calls_follow(workers: Any) -> None:
    for number in range(100):
        workers.note.broadcast(number)
    assert list(workers.notes.call().get(SECONDS).values()) == [list(range(100))] * 3


def test_call_when_one_actor_raises(workers: Any) -> None:
    with pytest.raises(
        ra.ActorError, match=r"workers\{r=1\}.fails_on failed: ValueError: rank 1 does"
    ) as e:
        workers.fails_on.call(1).get(SECONDS)
    assert isinstance(e.value.exception, ValueError)
    assert workers.rank.call().get(SECONDS).get(1) == 1  # it lives on


def test_explicit_port_when_it_replies_several_times(workers: Any) -> None:
    assert workers.slice(r=0).replies.call_one(3).get(SECONDS) == 0
    assert list(workers.replies.call(1).get(SECONDS).values()) == [0, 0, 0]
    port, receiver = Channel.open()
    ra.send(workers.slice(r=0).replies, (3,), {}, port)
    assert [receiver.recv().get(SECONDS) for _ in range(3)] == [0, 1, 2]


def test_explicit_port_when_it_replies_with_an_exception(workers: Any) -> None:
    with pytest.raises(ra.ActorError) as e:
        workers.slice(r=0).refuses.call_one().get(SECONDS)
    assert e.value.exception.args == ("not mine",)


def test_send_when_it_has_a_port(workers: Any) -> None:
    port, receiver = Channel.open_ranked()
    ra.send(workers.rank, (), {}, port)
    assert sorted(receiver.recv().get(SECONDS) for _ in range(3)) == [(0, 0), (1, 1), (2, 2)]
    ra.send(workers.add, (1,), {"twice": True}, port, "choose")
    assert receiver.recv().get(SECONDS)[1] == 102
    with pytest.raises(ValueError, match="selection is 'some'"):
        ra.send(workers.rank, (), {}, port, "some")


def test_accumulator_when_it_folds(workers: Any) -> None:
    total = ra.Accumulator(workers.rank, 10, lambda a, b: a + b)
    assert total.accumulate().get(SECONDS) == 13
    order = ra.Accumulator(workers.rank, "", lambda a, b: f"{a}{b}")
    assert order.accumulate().get(SECONDS) == "012"


def test_as_endpoint_when_the_method_is_not_marked(workers: Any) -> None:
    one = workers.slice(r=1)
    assert as_endpoint(one.plain).call_one(1).get(SECONDS) == 2
    explicit = as_endpoint(one.plain_port, explicit_response_port=True)
    assert explicit.call_one(1).get(SECONDS) == 3
    with pytest.raises(RuntimeError, match="as_endpoint"):
        one.plain(1)
    with pytest.raises(AttributeError, match="has no endpoint 'nothing'"):
        one.nothing  # noqa: B018


ADVERBS = ("call", "call_one", "choose", "stream", "broadcast")


@pytest.mark.parametrize("adverb", ADVERBS)
def test_arguments_when_their_number_is_wrong(workers: Any, adverb: str) -> None:
    way = getattr(workers.slice(r=0).add, adverb)
    with pytest.raises(TypeError, match=r"add\(\): missing a required argument: 'value'"):
        way()
    with pytest.raises(TypeError, match="too many positional arguments"):
        way(1, 2)
    with pytest.raises(TypeError, match="unexpected keyword argument 'thrice'"):
        way(1, thrice=True)


@pytest.mark.parametrize("adverb", ADVERBS)
def test_arguments_when_they_cannot_be_pickled(workers: Any, adverb: str) -> None:
    way = getattr(workers.slice(r=0).note, adverb)
    with pytest.raises(TypeError, match=r"arguments of note: .*lock.* \(at .*'k'.*\) cannot be"):
        way({"k": threading.Lock()})
    assert workers.notes.call().get(SECONDS).get(0) == []


def test_arguments_when_they_are_lambdas_and_local_classes(workers: Any) -> None:
    class Local:
        def __init__(self, value: int) -> None:
            self.value = value

    workers.note.call((functools.partial(max, 3), Local(4), lambda x: x + 1)).get(SECONDS)
    partial, local, add = workers.notes.call().get(SECONDS).get(2)[0]
    assert (partial(5), local.value, add(1)) == (5, 4, 2)


def test_arguments_when_they_are_changed_after_the_call(workers: Any) -> None:
    values = [1, 2]
    big = bytearray(b"a" * (1 << 20))
    future = workers.note.call((values, big))
    values.append(3)
    big[:1] = b"b"
    future.get(SECONDS)
    small, large = workers.notes.call().get(SECONDS).get(0)[0]
    assert small == [1, 2]
    assert large[:1] == b"a"


def test_endpoint_when_called_like_a_function(workers: Any) -> None:
    with pytest.raises(TypeError, match=r"add is not called itself; use .call"):
        workers.add(1)


def test_messages_when_two_threads_send(workers: Any) -> None:
    one = workers.slice(r=0)

    def send(letter: str) -> None:
        for number in range(200):
            one.note.broadcast((letter, number))

    threads = [threading.Thread(target=send, args=(letter,)) for letter in "ab"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    notes = one.notes.call_one().get(SECONDS)
    assert Counter(letter for letter, _ in notes) == {"a": 200, "b": 200}
    for wanted in "ab":  # each sender's own order is kept
        assert [number for letter, number in notes if letter == wanted] == list(range(200))


def test_processes_when_a_mesh_is_spawned(workers: Any, procs: ra.ProcMesh) -> None:
    pids = {*procs.spawn("pids", Pids).pid.call().get(SECONDS).values()}
    assert len(pids) == 3
    assert os.getpid() not in pids


class Pids(Actor):
    """Tells its process."""

    @endpoint
    def pid(self) -> int:
        return os.getpid()


class Mixed(Actor):
    """Has endpoints of both kinds."""

    @endpoint
    def one(self) -> None: ...

    @endpoint
    async def other(self) -> None: ...


class Taken(Actor):
    """Has an endpoint whose name every mesh has."""

    @endpoint
    def slice(self) -> None: ...


class Unfit(Actor):
    """Has a hook of the other kind."""

    @endpoint
    def one(self) -> None: ...

    async def __cleanup__(self, _: object) -> None: ...


@pytest.mark.parametrize(
    ("kind", "error", "words"),
    [
        (Mixed, ValueError, "mixes both async and sync endpoints"),
        (Taken, ValueError, r"endpoints \['slice'\] of Taken have names that every mesh uses"),
        (Unfit, ValueError, "__cleanup__ of Unfit is async"),
        (int, TypeError, "not a subclass of Actor"),
    ],
)
def test_spawn_when_the_class_is_unfit(
    procs: ra.ProcMesh, kind: Any, error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        procs.spawn("unfit", kind)


def test_spawn_when_the_arguments_do_not_fit(procs: ra.ProcMesh) -> None:
    with pytest.raises(TypeError, match=r"spawn of Worker: .*lock"):
        procs.spawn("workers", Worker, threading.Lock())
    with pytest.raises(TypeError, match=r"Worker\.__init__\(\): too many positional arguments"):
        procs.spawn("workers", Worker, 1, 2)
    with pytest.raises(TypeError, match="unexpected keyword argument 'bass'"):
        procs.spawn("workers", Worker, bass=1)
    with pytest.raises(TypeError, match=r"Pids\(\) takes no arguments"):
        procs.spawn("pids", Pids, 1)


def print_nothing() -> None:
    """Do nothing."""


def test_concurrent_endpoint_when_the_method_is_plain() -> None:
    with pytest.raises(TypeError, match="is a plain function"):
        ra.concurrent_endpoint(print_nothing)
