"""A mailbox that is full holds its senders back, and them alone."""
# ruff: noqa: ANN401 - actors and meshes have endpoints of any signature

import os
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from runtime import actor as ra
from runtime import config
from runtime.actor import Actor, Channel, Port, endpoint
from tests.runtime.field.machine import Machine
from tests.runtime.field.scripts import Script

SECONDS = 30.0
pytestmark = pytest.mark.usefixtures("quiet")


class Slow(Actor):
    """Takes messages when a test lets it."""

    def __init__(self) -> None:
        self.seen: list[int] = []

    @endpoint
    def hold(self, port: Port[Any]) -> None:
        mine, receiver = Channel.open()
        port.send(mine)
        receiver.recv().get(SECONDS)

    @endpoint
    def eat(self, number: int, _: bytes = b"") -> None:
        self.seen.append(number)

    @endpoint
    def eaten(self) -> list[int]:
        return self.seen


class Raises(Actor):
    """Raises what it is given."""

    @endpoint
    def give(self, error: Exception) -> None:
        raise error


@pytest.fixture(scope="module")
def proc() -> Iterator[ra.ProcMesh]:
    mesh = ra.this_host().spawn_procs()
    yield mesh
    mesh.stop().get(SECONDS)


@pytest.fixture
def held(proc: ra.ProcMesh) -> Iterator[tuple[Any, Any]]:
    """Give an actor that takes no message, and the port that lets it go."""
    slow = proc.spawn("slow", Slow)
    port, receiver = Channel.open()
    slow.hold.broadcast(port)
    release = receiver.recv().get(SECONDS)
    yield slow, release
    release.send("end")
    slow.stop().get(SECONDS)


def fill(slow: Any, data: bytes = b"") -> int:
    """Send until there is no more room; return how many messages there was room for."""
    sent = 0
    with config.configured(send_timeout=0.05):
        try:
            while True:
                slow.eat.broadcast(sent, data)
                sent += 1
        except ra.MailboxFullError:
            return sent


def test_mailbox_when_it_is_full(held: tuple[Any, Any]) -> None:
    slow, release = held
    capacity = config.get("mailbox_capacity")
    sent = fill(slow)
    assert capacity - 2 <= sent <= capacity + 2
    with (
        config.configured(send_timeout=0.05),
        pytest.raises(
            ra.MailboxFullError,
            match=f"full for 0.05 s: it holds {capacity} messages of one sender",
        ) as caught,
    ):
        slow.eat.call_one(-1)
    assert caught.value.capacity == capacity
    release.send("go")
    assert slow.eaten.call_one().get(SECONDS) == list(range(sent))  # nothing lost, in order


def test_sender_when_it_is_held_back(held: tuple[Any, Any]) -> None:
    slow, release = held
    sent = fill(slow)
    done = threading.Event()

    def send() -> None:
        slow.eat.broadcast(sent)
        done.set()

    thread = threading.Thread(target=send)
    thread.start()
    assert not done.wait(0.2)
    release.send("go")
    assert done.wait(SECONDS)  # before send_timeout: there is room again
    thread.join()
    assert slow.eaten.call_one().get(SECONDS) == list(range(sent + 1))


def test_others_when_one_mailbox_is_full(held: tuple[Any, Any], proc: ra.ProcMesh) -> None:
    slow, _ = held
    fill(slow)
    other = proc.spawn("other", Slow)  # what the runtime itself sends is not held back
    other.eat.call_one(1).get(SECONDS)
    assert other.eaten.call_one().get(SECONDS) == [1]
    other.stop().get(SECONDS)


def test_stop_when_the_mailbox_is_full() -> None:
    with ra.this_host().spawn_procs() as mesh:
        slow = mesh.spawn("slow", Slow)
        port, receiver = Channel.open()
        slow.hold.broadcast(port)
        release = receiver.recv().get(SECONDS)
        fill(slow)
        stopped = slow.stop()
        before = time.monotonic()
        release.send("go")
        stopped.get(SECONDS)  # not behind what waits
        assert time.monotonic() - before < 5


def test_memory_when_senders_are_faster(held: tuple[Any, Any]) -> None:
    slow, _ = held
    machine = Machine()
    before = machine.rss(os.getpid())
    with config.configured(send_timeout=0.0):
        refused = 0
        for number in range(20_000):
            try:
                slow.eat.broadcast(number, b"x" * 1000)
            except ra.MailboxFullError:
                refused += 1
    assert refused > 10_000
    assert machine.rss(os.getpid()) - before < 64 << 20


def test_message_when_it_is_too_large(proc: ra.ProcMesh) -> None:
    slow = proc.spawn("slow", Slow)
    with (
        config.configured(max_frame="1MiB"),
        pytest.raises(ra.MessageTooLargeError, match="over the limit of 1048576") as caught,
    ):
        slow.eat.call_one(1, b"x" * (2 << 20))
    assert caught.value.size > 2 << 20
    assert slow.eaten.call_one().get(SECONDS) == []
    slow.stop().get(SECONDS)


@pytest.mark.parametrize(
    "error", [ra.MessageTooLargeError(5, 4), ra.MailboxFullError(4096, 30.0, 64 << 20)]
)
def test_refusal_when_it_is_raised_in_an_endpoint(error: Exception, proc: ra.ProcMesh) -> None:
    raises = proc.spawn("raises", Raises)
    with pytest.raises(ra.ActorError) as caught:
        raises.give.call_one(error).get(SECONDS)
    assert type(caught.value.exception) is type(error)
    assert vars(caught.value.exception) == vars(error)
    raises.stop().get(SECONDS)


def test_mailbox_when_a_few_large_messages_fill_it(held: tuple[Any, Any]) -> None:
    slow, _ = held
    data = b"x" * (60 << 10)  # less than what goes through shared memory
    assert fill(slow, data) < config.get("mailbox_capacity")
    with (
        config.configured(send_timeout=0.05),
        pytest.raises(ra.MailboxFullError, match=r"or 64 MiB of them") as caught,
    ):
        slow.eat.call_one(-1, data)
    assert caught.value.size == 64 << 20


INTERRUPTED = """
import runtime.actor as ra
class E(ra.Actor):
    @ra.endpoint
    def hold(self, port):
        mine, receiver = ra.Channel.open()
        port.send(mine)
        receiver.recv().get(60)
    @ra.endpoint
    def eat(self): pass
if __name__ == "__main__":
    e = ra.this_host().spawn_procs().spawn("e", E)
    port, receiver = ra.Channel.open()
    e.hold.broadcast(port)
    receiver.recv().get(30)
    print("FULL", 1, flush=True)
    while True: e.eat.broadcast()
"""


@pytest.mark.xdist_group("actors that end")
def test_sender_when_interrupted(program: Callable[[str], Script]) -> None:
    import signal

    script = program(INTERRUPTED)
    script.marker("FULL", SECONDS)
    script.send(signal.SIGINT)
    assert script.finish(SECONDS) == -signal.SIGINT
    assert "KeyboardInterrupt" in script.out
