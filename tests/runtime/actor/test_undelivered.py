"""Messages that did not arrive, and actors that want to know of it."""

import os
import signal
from typing import Any

import pytest

from runtime import actor as ra
from runtime.actor import Actor, ActorMesh, Channel, Port, PortReceiver, endpoint
from runtime.actor.undelivered import NOBODY, UndeliverableMessage
from tests.runtime.actor.test_hosts import _until as until
from tests.runtime.field.machine import pause

SECONDS = 30.0


class Target(Actor):
    """Takes messages, until it does not."""

    def __init__(self) -> None:
        self.receiver: PortReceiver[int] | None = None

    @endpoint
    def take(self, number: int) -> int:
        return number

    @endpoint
    def pid(self) -> int:
        return os.getpid()

    @endpoint
    def port(self) -> Port[int]:
        port, self.receiver = Channel.open()
        return port

    @endpoint
    def forget(self) -> None:
        self.receiver = None


class Sender(Actor):
    """Takes back what it has sent, and says so to a port."""

    def __init__(self, told: Port[Any], *, verdict: bool) -> None:
        self.told = told
        self.told.return_undeliverable = False
        self.verdict = verdict

    @endpoint
    def cast(self, targets: "ActorMesh[Target]", numbers: list[int]) -> None:
        for number in numbers:
            targets.take.broadcast(number)

    @endpoint
    def put(self, port: "Port[int]", *, returned: bool) -> None:
        port.return_undeliverable = returned
        port.send(1)

    def _handle_undeliverable_message(self, message: UndeliverableMessage) -> bool:
        kind = message.failure.kind if message.failure else None
        self.told.send((message.sender, message.dest, message.error_msg, kind))
        return self.verdict


class AsyncSender(Sender):
    """The same, with coroutines."""

    @endpoint
    async def cast(self, targets: "ActorMesh[Target]", numbers: list[int]) -> None:
        for number in numbers:
            targets.take.broadcast(number)

    @endpoint
    async def put(self, port: "Port[int]", *, returned: bool) -> None:
        port.return_undeliverable = returned
        port.send(1)

    async def _handle_undeliverable_message(  # type: ignore[override]
        self, message: UndeliverableMessage
    ) -> bool:
        return super()._handle_undeliverable_message(message)


@pytest.fixture(params=[Sender, AsyncSender])
def kind(request: pytest.FixtureRequest) -> type[Sender]:
    """Give each kind of actor that wants to know."""
    found: type[Sender] = request.param
    return found


@pytest.fixture
def told() -> tuple[Port[Any], PortReceiver[Any]]:
    """Give the two ends of what a sender says."""
    return Channel.open()


def _killed(targets: "ActorMesh[Target]", rank: int) -> None:
    """Kill the process of one."""
    one = targets.slice(r=rank)
    os.kill(one.pid.call_one().get(SECONDS), signal.SIGKILL)
    until(lambda: one.pid.call_one().exception(SECONDS) is not None)


def test_a_broadcast_to_the_dead_comes_back_and_reaches_the_living(
    procs: ra.ProcMesh,
    failures: list[ra.MeshFailure],
    kind: type[Sender],
    told: tuple[Port[Any], PortReceiver[Any]],
) -> None:
    targets = procs.spawn("target", Target)
    sender = procs.slice(r=0).spawn("sender", kind, told[0], verdict=True)
    _killed(targets, 1)
    sender.cast.call_one(targets, [1, 2]).get(SECONDS)
    for _ in range(2):
        found = told[1].recv().get(SECONDS)
        assert found == ("sender", "target[1]", "killed by signal 9 (SIGKILL)", "signal")
    assert targets.slice(r=2).take.call_one(3).get(SECONDS) == 3
    until(lambda: len(failures) == 1)  # of the target; the sender is none


def test_what_is_under_way_when_its_receiver_dies_comes_back(
    procs: ra.ProcMesh,
    failures: list[ra.MeshFailure],
    kind: type[Sender],
    told: tuple[Port[Any], PortReceiver[Any]],
) -> None:
    targets = procs.slice(r=slice(1, 2)).spawn("target", Target)
    sender = procs.slice(r=0).spawn("sender", kind, told[0], verdict=True)
    pid = targets.pid.call_one().get(SECONDS)
    pause(pid)  # it takes nothing from its socket
    sender.cast.call_one(targets, [1]).get(SECONDS)
    os.kill(pid, signal.SIGKILL)
    assert told[1].recv().get(SECONDS)[1:] == ("target", "killed by signal 9 (SIGKILL)", "signal")
    until(lambda: len(failures) == 1)


def test_a_message_to_an_actor_that_was_stopped_comes_back(
    procs: ra.ProcMesh, quiet: None, kind: type[Sender], told: tuple[Port[Any], PortReceiver[Any]]
) -> None:
    targets = procs.slice(r=1).spawn("target", Target)
    sender = procs.slice(r=0).spawn("sender", kind, told[0], verdict=True)
    targets.initialized.get(SECONDS)
    targets.stop().get(SECONDS)
    sender.cast.call_one(targets, [1]).get(SECONDS)
    assert told[1].recv().get(SECONDS) == ("sender", "target", NOBODY, None)


def test_a_value_for_a_channel_that_has_ended_comes_back_unless_its_port_says_not(
    procs: ra.ProcMesh, quiet: None, kind: type[Sender], told: tuple[Port[Any], PortReceiver[Any]]
) -> None:
    target = procs.slice(r=1).spawn("target", Target)
    sender = procs.slice(r=0).spawn("sender", kind, told[0], verdict=True)
    keeper = procs.slice(r=2).spawn("keeper", Target)
    sender.put.call_one(keeper.port.call_one().get(SECONDS), returned=True).get(SECONDS)
    port = target.port.call_one().get(SECONDS)
    target.forget.call_one().get(SECONDS)
    sender.put.call_one(port, returned=False).get(SECONDS)
    sender.put.call_one(port, returned=True).get(SECONDS)
    assert told[1].recv().get(SECONDS) == ("sender", "port", NOBODY, None)
    with pytest.raises(TimeoutError):
        told[1].recv().get(0.2)


@pytest.mark.usefixtures("capfd")
def test_what_the_hook_does_not_handle_is_said(
    procs: ra.ProcMesh,
    failures: list[ra.MeshFailure],
    kind: type[Sender],
    told: tuple[Port[Any], PortReceiver[Any]],
) -> None:
    targets = procs.slice(r=slice(1, 2)).spawn("target", Target)
    sender = procs.slice(r=0).spawn("sender", kind, told[0], verdict=False)
    _killed(targets, 0)
    sender.cast.call_one(targets, [1]).get(SECONDS)
    words = "not delivered: UndeliverableMessage(sender to target.take: killed by signal 9"
    # Looked at without being taken: capfd loses what is written while it takes.
    until(lambda: words.encode() in os.pread(2, 1 << 20, 0))
    until(lambda: len(failures) == 1)


def test_a_broadcast_to_the_dead_raises_when_the_sender_does_not_want_it_back(
    procs: ra.ProcMesh, failures: list[ra.MeshFailure]
) -> None:
    targets = procs.spawn("target", Target)
    _killed(targets, 1)
    with pytest.raises(ra.SupervisionError, match="killed by signal 9"):
        targets.take.broadcast(1)
    until(lambda: len(failures) == 1)


def test_a_class_when_its_hook_is_async_and_its_endpoints_are_not(procs: ra.ProcMesh) -> None:
    class Mixed(Actor):
        @endpoint
        def fine(self) -> None:
            pass

        async def _handle_undeliverable_message(self, message: UndeliverableMessage) -> bool:
            return bool(message)

    with pytest.raises(ValueError, match=r"^_handle_undeliverable_message of .*Mixed is async and"):
        procs.spawn("mixed", Mixed)
