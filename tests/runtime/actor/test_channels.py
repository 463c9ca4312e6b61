"""Channels: ports that travel, receivers that stay, order, ranks."""
# ruff: noqa: ANN401 - actors and meshes have endpoints of any signature

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from runtime import actor as ra
from runtime.actor import Actor, Channel, Port, endpoint

SECONDS = 30.0
pytestmark = pytest.mark.usefixtures("quiet")


class Talker(Actor):
    """Sends, receives, and hands ports on."""

    @endpoint
    def sends(self, port: Port[Any], count: int) -> None:
        for number in range(count):
            port.send((ra.current_rank().rank, number))

    @endpoint
    def hands_on(self, other: Any, port: Port[Any]) -> None:
        other.sends.call(port, 1).get(SECONDS)

    @endpoint
    def opens(self, back: Port[Any]) -> int:
        port, receiver = Channel.open()
        back.send(port)
        return int(receiver.recv().get(SECONDS)) + 1

    @endpoint
    def raises_into(self, port: Port[Any]) -> None:
        port.exception(LookupError("into"))


@pytest.fixture(scope="module")
def procs() -> Iterator[ra.ProcMesh]:
    mesh = ra.this_host().spawn_procs({"r": 2})
    yield mesh
    mesh.stop().get(SECONDS)


@pytest.fixture(scope="module")
def talkers(procs: ra.ProcMesh) -> Any:
    return procs.spawn("talkers", Talker)


def test_port_when_actors_send(talkers: Any) -> None:
    port, receiver = Channel.open()
    talkers.sends.call(port, 50).get(SECONDS)
    got = [receiver.recv().get(SECONDS) for _ in range(100)]
    for rank in (0, 1):
        assert [number for sender, number in got if sender == rank] == list(range(50))


def test_port_when_the_receiver_is_ranked(talkers: Any) -> None:
    port, receiver = Channel.open_ranked()
    talkers.sends.call(port, 1).get(SECONDS)
    assert sorted(receiver.recv().get(SECONDS) for _ in range(2)) == [(0, (0, 0)), (1, (1, 0))]
    port, plain = Channel.open()
    talkers.slice(r=1).sends.call(port, 1).get(SECONDS)
    assert plain.ranked().recv().get(SECONDS) == (0, (0, 0))  # its place in the slice


def test_port_when_handed_on(talkers: Any, procs: ra.ProcMesh) -> None:
    port, receiver = Channel.open()
    other = procs.spawn("others", Talker)
    talkers.slice(r=0).hands_on.call_one(other, port).get(SECONDS)
    assert sorted(receiver.recv().get(SECONDS) for _ in range(2)) == [(0, 0), (1, 0)]


def test_port_when_the_client_sends_to_an_actor(talkers: Any) -> None:
    port, receiver = Channel.open(once=True)
    result = talkers.slice(r=0).opens.call_one(port)
    receiver.recv().get(SECONDS).send(41)
    assert result.get(SECONDS) == 42


def test_port_when_an_actor_sends_an_exception(talkers: Any) -> None:
    port, receiver = Channel.open()
    talkers.slice(r=0).raises_into.call_one(port).get(SECONDS)
    with pytest.raises(LookupError, match="into"):
        receiver.recv().get(SECONDS)


def test_recv_when_it_times_out() -> None:
    port, receiver = Channel.open()
    future = receiver.recv()
    with pytest.raises(TimeoutError):
        future.get(0.02)
    port.send("late")
    assert future.get(SECONDS) == "late"
    assert future.get() == "late"


def test_recv_when_awaited() -> None:
    port, receiver = Channel.open()

    def send_three() -> None:
        for number in range(3):
            port.send(number)

    async def main() -> list[int]:
        asyncio.get_running_loop().call_later(0.01, send_three)
        return [await receiver.recv() for _ in range(3)]

    assert asyncio.run(main()) == [0, 1, 2]


def test_recv_when_several_tasks_await() -> None:
    port, receiver = Channel.open()

    async def main() -> list[int]:
        async def one() -> int:
            return int(await receiver.recv())

        waiting = [asyncio.create_task(one()) for _ in range(3)]
        await asyncio.sleep(0)
        for number in range(3):
            port.send(number)
        return list(await asyncio.wait_for(asyncio.gather(*waiting), SECONDS))

    assert sorted(asyncio.run(main())) == [0, 1, 2]


def test_send_when_it_cannot_be_pickled() -> None:
    import threading

    port, _ = Channel.open()
    with pytest.raises(ra.SerializationError, match="lock"):
        port.send(threading.Lock())


def test_send_when_the_value_is_large() -> None:
    port, receiver = Channel.open()
    port.send(b"x" * (3 << 20))
    assert len(receiver.recv().get(SECONDS)) == 3 << 20


def test_send_when_the_receivers_process_is_dead(talkers: Any, procs: ra.ProcMesh) -> None:
    back, receiver = Channel.open()
    with ra.this_host().spawn_procs() as short:
        waiting = short.spawn("short", Talker).opens.call_one(back)
        port = receiver.recv().get(SECONDS)
    with pytest.raises(ra.SupervisionError):
        waiting.get(SECONDS)
    port.send(1)  # dropped
