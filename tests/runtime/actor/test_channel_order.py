"""Who gets which message of a channel, and what is left of one that nobody receives from."""

import asyncio
import gc
import threading
import time
from collections.abc import Callable

import pytest

from runtime import actor as ra
from runtime.actor import Channel, Port, PortReceiver
from runtime.actor.channel import _Inbox  # who waits cannot be seen otherwise

SECONDS = 30.0


def inbox_of(receiver: PortReceiver[int]) -> _Inbox:
    """Return the place where receivers wait."""
    return receiver._inbox


def until(holds: Callable[[], bool]) -> None:
    """Wait until something that no event tells of holds."""
    end = time.monotonic() + SECONDS
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.001)


def test_recv_when_several_are_awaited_gets_each_in_order() -> None:
    port, receiver = Channel.open()

    async def main() -> list[int]:
        waiting = asyncio.gather(*(receiver.recv() for _ in range(20)))
        await asyncio.sleep(0)
        for number in range(20):
            port.send(number)
        return await waiting

    assert asyncio.run(main()) == list(range(20))


def test_recv_when_threads_and_loops_wait_gets_each_in_order() -> None:
    port, receiver = Channel.open()
    got: dict[int, int] = {}

    def blocks(number: int) -> None:
        got[number] = receiver.recv().get(SECONDS)

    def awaits(number: int) -> None:
        async def main() -> int:
            return int(await receiver.recv())

        got[number] = asyncio.run(main())

    threads = []
    for number in range(8):
        thread = threading.Thread(target=awaits if number % 2 else blocks, args=(number,))
        thread.start()
        threads.append(thread)
        until(lambda: len(inbox_of(receiver).waiting) == len(threads))
    for number in range(8):
        port.send(number)
    for thread in threads:
        thread.join(SECONDS)
    assert got == {number: number for number in range(8)}


def test_recv_when_another_gave_up_waiting() -> None:
    port, receiver = Channel.open()
    late = receiver.recv()
    with pytest.raises(TimeoutError):
        late.get(0.001)

    async def main() -> int:
        cancelled = asyncio.ensure_future(receiver.recv().as_asyncio())
        await asyncio.sleep(0)
        cancelled.cancel()
        await asyncio.wait((cancelled,))
        port.send(1)
        return int(await receiver.recv())

    assert asyncio.run(main()) == 1
    port.send(2)
    assert late.get(SECONDS) == 2


def test_recv_when_a_future_with_a_message_is_dropped() -> None:
    port, receiver = Channel.open()
    port.send(1)
    port.send(2)
    first = receiver.recv()
    assert first.done()
    waiting: list[int] = []
    thread = threading.Thread(
        target=lambda: waiting.extend(receiver.recv().get(SECONDS) for _ in range(2))
    )
    thread.start()
    until(lambda: waiting == [2])
    del first
    thread.join(SECONDS)
    assert waiting == [2, 1]


def test_channel_when_its_receivers_are_collected() -> None:
    port, receiver = Channel.open()
    ranked = receiver.ranked()
    del receiver
    port.send(1)
    assert ranked.recv().get(SECONDS) == (0, 1)
    future = ranked.recv()
    del ranked
    port.send(2)
    assert future.get(SECONDS) == (0, 2)
    del future
    gc.collect()
    for number in range(10_000):  # twice what a mailbox has room for
        port.send(number)


class Sender(ra.Actor):
    """Sends from another process."""

    @ra.endpoint
    def send(self, port: Port[int], count: int) -> None:
        for number in range(count):
            port.send(number)


@pytest.mark.usefixtures("quiet")
def test_channels_when_many_are_opened_and_collected(procs: ra.ProcMesh) -> None:
    sender = procs.slice(r=0).spawn("sender", Sender)
    for _ in range(50):
        port, receiver = Channel.open()
        sender.send.call_one(port, 3).get(SECONDS)
        assert receiver.recv().get(SECONDS) == 0
    del receiver
    gc.collect()
    sender.send.call_one(port, 10_000).get(SECONDS)
