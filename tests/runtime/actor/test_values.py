"""Arrays between processes: each has its own, as it was at the call."""
# ruff: noqa: ANN401 - meshes have endpoints of any signature

import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from runtime import actor as ra
from runtime.actor import Actor, Channel, Port, endpoint

SECONDS = 30.0
# In the pickle, in shared memory; beside the pickle, and much of it.
SIZES = [100, 1 << 18, *(pytest.param(each, marks=pytest.mark.soak) for each in (1 << 16, 1 << 24))]


class Keeper(Actor):
    """Keeps what it is given."""

    def __init__(self) -> None:
        self.kept: Any = None

    @endpoint
    def hold(self, told: Port[Any]) -> None:
        mine, receiver = Channel.open()
        told.send(mine)
        receiver.recv().get(SECONDS)

    @endpoint
    def keep(self, value: Any) -> None:
        self.kept = value

    @endpoint
    def give(self) -> Any:
        return self.kept

    @endpoint
    def scribble(self, value: Any) -> Any:
        value[:] = 7
        return value

    @endpoint
    def measure(self, value: Any) -> tuple[int, int]:
        return value.nbytes, int(value[-1])

    @endpoint
    def same(self, one: Any, others: list[Any]) -> bool:
        return all(other is one for other in others)


@pytest.fixture
def keepers(quiet: None) -> Iterator[Any]:
    """Give two of them."""
    with ra.this_host().spawn_procs({"r": 2}) as procs:
        yield procs.spawn("keepers", Keeper)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("kind", [bytearray, lambda size: np.zeros(size, np.uint8)])
def test_argument_when_it_changes_after_the_call(keepers: Any, kind: Any, size: int) -> None:
    keeper = keepers.slice(r=0)
    port, receiver = Channel.open()
    held = keeper.hold.call_one(port)
    gate = receiver.recv().get(SECONDS)
    value = kind(size)
    kept = keeper.keep.call_one(value)
    memoryview(value)[:] = bytes([9]) * size
    gate.send("go")
    kept.get(SECONDS)
    held.get(SECONDS)
    assert max(memoryview(keeper.give.call_one().get(SECONDS))) == 0


@pytest.mark.parametrize("size", SIZES[:3])
def test_value_when_somebody_writes_to_it(keepers: Any, size: int) -> None:
    value = np.zeros(size, np.uint8)
    one, two = keepers.scribble.call(value).get(SECONDS).values()
    assert (value.max(), one.min(), two.min()) == (0, 7, 7)
    one[:] = 8
    assert two.max() == 7
    keepers.keep.call(value).get(SECONDS)
    kept = list(keepers.give.call().get(SECONDS).values())
    kept[0][:] = 9
    again = list(keepers.give.call().get(SECONDS).values())
    assert [each.max() for each in again] == [0, 0]


@pytest.mark.parametrize("size", SIZES[:3])
def test_value_when_it_comes_twice(keepers: Any, size: int) -> None:
    for value in (np.zeros(size, np.uint8), bytearray(size), bytes(size)):
        assert list(keepers.same.call(value, [value, value]).get(SECONDS).values()) == [True] * 2


def test_values_when_threads_write_while_others_send(keepers: Any) -> None:
    """Each message has one state of an array that nobody changes while it is sent."""
    lock, value = threading.Lock(), np.zeros(1 << 20, np.uint8)
    heard: list[set[int]] = []

    def work(number: int) -> None:
        for step in range(5):
            with lock:
                value[:] = 10 * number + step
                future = keepers.slice(r=number % 2).scribble.call_one(value)
            heard.append(set(future.get(SECONDS).tolist()[:100]))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(SECONDS)
    assert heard == [{7}] * 20


@pytest.mark.soak
def test_argument_when_it_has_more_than_2_gib(keepers: Any) -> None:
    value = np.zeros((2 << 30) + 17, np.uint8)
    value[-1] = 5
    keeper = keepers.slice(r=0)
    assert keeper.measure.call_one(value).get(4 * SECONDS) == (value.nbytes, 5)
