"""Futures: waited for in threads, scripts and event loops, with timeouts, and cancelled."""
# ruff: noqa: ANN401 - actors and meshes have endpoints of any signature

import asyncio
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from runtime import actor as ra
from runtime.actor import Actor, Channel, Port, concurrent_endpoint, endpoint

SECONDS = 30.0
pytestmark = pytest.mark.usefixtures("quiet")


class Gate(Actor):
    """Answers when a test opens it."""

    def __init__(self) -> None:
        self.open = asyncio.Event()
        self.begun = 0
        self.cancelled = 0

    @concurrent_endpoint
    async def passes(self, value: int) -> int:
        self.begun += 1
        try:
            await self.open.wait()
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        return value

    @endpoint
    async def unlock(self) -> None:
        self.open.set()

    @endpoint
    async def counts(self) -> tuple[int, int]:
        return self.begun, self.cancelled

    @endpoint
    async def fails(self) -> None:
        raise KeyError("no")

    @endpoint
    async def asks(self, other: Any) -> int:
        return int(await other.counts_plus.call_one(1))

    @endpoint
    async def counts_plus(self, value: int) -> int:
        return value + 1


class Beside(Actor):
    """Remembers in which order endpoints began and ended."""

    def __init__(self) -> None:
        self.order: list[tuple[str, int]] = []

    @concurrent_endpoint
    async def runs(self, number: int) -> None:
        self.order.append(("begins", number))
        await asyncio.sleep(0.001 * (10 - number % 10))
        self.order.append(("ends", number))

    @endpoint
    async def waits(self, number: int) -> None:
        await self.runs(number)

    @endpoint
    async def seen(self) -> list[tuple[str, int]]:
        return self.order


class Holder(Actor):
    """Holds its only thread until a test lets it go."""

    def __init__(self) -> None:
        self.ran: list[int] = []

    @endpoint
    def hold(self, port: Port[Any]) -> None:
        mine, receiver = Channel.open()
        port.send(mine)
        receiver.recv().get(SECONDS)

    @endpoint
    def run(self, number: int) -> int:
        self.ran.append(number)
        return number

    @endpoint
    def all(self) -> list[int]:
        return self.ran


@pytest.fixture(scope="module")
def proc() -> Iterator[ra.ProcMesh]:
    mesh = ra.this_host().spawn_procs()
    yield mesh
    mesh.stop().get(SECONDS)


@pytest.fixture
def gate(proc: ra.ProcMesh) -> Iterator[Any]:
    mesh = proc.spawn("gate", Gate)
    yield mesh
    mesh.stop().get(SECONDS)


@pytest.fixture
def holder(proc: ra.ProcMesh) -> Iterator[Any]:
    mesh = proc.spawn("holder", Holder)
    yield mesh
    mesh.stop().get(SECONDS)


def test_get_when_it_times_out_and_is_asked_again(gate: Any) -> None:
    future = gate.passes.call_one(7)
    before = time.monotonic()
    with pytest.raises(TimeoutError, match=r"no result after 0.05 s; the call goes on"):
        future.get(0.05)
    assert time.monotonic() - before < 5
    with pytest.raises(TimeoutError):
        future.get(0)
    assert not future.done()
    gate.unlock.call_one().get(SECONDS)
    assert future.get(SECONDS) == 7
    assert future.get() == 7
    assert future.result(0) == 7
    assert future.exception() is None
    assert future.done()


@pytest.mark.parametrize("timeout", [-1, -0.001, float("nan")])
def test_get_when_the_timeout_is_no_time(gate: Any, timeout: float) -> None:
    future = gate.counts.call_one()
    with pytest.raises(ValueError, match=f"timeout is {timeout}; give seconds, 0 or more"):
        future.get(timeout)
    assert future.get(SECONDS) == (0, 0)
    with pytest.raises(ValueError, match="timeout is"):  # also when the result is there
        future.get(timeout)


def test_get_when_the_call_failed_and_is_asked_again(gate: Any) -> None:
    future = gate.fails.call_one()
    for _ in range(2):
        with pytest.raises(ra.ActorError):
            future.get(SECONDS)
    error = future.exception(SECONDS)
    assert isinstance(error, ra.ActorError)
    assert error is future.exception()


def test_get_when_many_threads_wait(gate: Any) -> None:
    future = gate.passes.call_one(5)
    values: list[int] = []
    threads = [
        threading.Thread(target=lambda: values.append(future.get(SECONDS))) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    gate.unlock.call_one().get(SECONDS)
    for thread in threads:
        thread.join(SECONDS)
    assert values == [5] * 8


def test_get_when_a_loop_runs(gate: Any) -> None:
    async def main() -> tuple[int, int]:
        with pytest.warns(UserWarning, match="stops the running event loop"):
            found: tuple[int, int] = gate.counts.call_one().get(SECONDS)
        return found

    assert asyncio.run(main()) == (0, 0)


def test_await_when_repeated(gate: Any) -> None:
    async def main() -> list[int]:
        gate.unlock.broadcast()
        future = gate.passes.call_one(3)
        return [await future, await future, future.get()]  # a result that is there needs no loop

    assert asyncio.run(main()) == [3, 3, 3]


def test_await_when_two_loops_look_at_one_future(gate: Any) -> None:
    future = gate.passes.call_one(4)

    async def main() -> int:
        return int(await future)

    found: list[int] = []
    thread = threading.Thread(target=lambda: found.append(asyncio.run(main())))
    thread.start()
    gate.unlock.call_one().get(SECONDS)
    found.append(asyncio.run(main()))
    thread.join(SECONDS)
    assert found == [4, 4]


def test_await_when_many_are_gathered(gate: Any) -> None:
    async def main() -> list[int]:
        waiting = [gate.passes.call_one(number) for number in range(100)]
        gate.unlock.broadcast()
        return list(await asyncio.gather(*waiting))

    assert asyncio.run(main()) == list(range(100))


def test_await_when_it_times_out(gate: Any) -> None:
    async def main() -> int:
        future = gate.passes.call_one(9)
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(future, 0.05)
        gate.unlock.broadcast()
        return int(await future)  # the call goes on

    assert asyncio.run(main()) == 9


def test_await_when_the_call_fails(gate: Any) -> None:
    async def main() -> None:
        await gate.fails.call_one()

    with pytest.raises(ra.ActorError, match="KeyError"):
        asyncio.run(main())


def test_as_asyncio_when_cancelled(gate: Any) -> None:
    async def main() -> int:
        future = gate.passes.call_one(2)
        task = future.as_asyncio()
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        gate.unlock.broadcast()
        done, _ = await asyncio.wait([future.as_asyncio()], timeout=SECONDS)
        return int(done.pop().result())

    assert asyncio.run(main()) == 2


def test_await_when_an_actor_calls_another(gate: Any, proc: ra.ProcMesh) -> None:
    other = proc.spawn("other", Gate)
    assert gate.asks.call_one(other).get(SECONDS) == 2
    other.stop().get(SECONDS)


def test_cancel_when_the_endpoint_awaits(gate: Any) -> None:
    future = gate.passes.call_one(1)
    while gate.counts.call_one().get(SECONDS)[0] == 0:
        pass
    future.cancel()
    with pytest.raises(ra.CallCancelledError, match="given up"):
        future.get(SECONDS)
    assert gate.counts.call_one().get(SECONDS) == (1, 1)


def test_cancel_when_the_call_has_not_begun(holder: Any, proc: ra.ProcMesh) -> None:
    port, receiver = Channel.open()
    held = holder.hold.call_one(port)
    release = receiver.recv().get(SECONDS)
    first, second = holder.run.call_one(1), holder.run.call_one(2)
    first.cancel()
    # What is asked of the process is done in its order: now it has heard.
    proc.spawn("other", Holder).initialized.get(SECONDS)
    release.send("go")
    held.get(SECONDS)
    assert second.get(SECONDS) == 2
    with pytest.raises(ra.CallCancelledError, match="given up before it was begun"):
        first.get(SECONDS)
    assert holder.all.call_one().get(SECONDS) == [2]


def test_cancel_when_the_result_is_there(holder: Any) -> None:
    future = holder.run.call_one(1)
    future.get(SECONDS)
    future.cancel()
    assert future.get() == 1


def test_concurrent_endpoints_when_many_are_called(proc: ra.ProcMesh) -> None:
    beside = proc.spawn("beside", Beside)
    for future in [beside.runs.call_one(number) for number in range(50)]:
        future.get(SECONDS)
    order = beside.seen.call_one().get(SECONDS)
    assert [number for what, number in order if what == "begins"] == list(range(50))
    assert order.index(("ends", 0)) > order.index(("begins", 1))  # they ran beside each other
    beside.stop().get(SECONDS)


def test_async_endpoints_when_they_are_not_concurrent(proc: ra.ProcMesh) -> None:
    beside = proc.spawn("beside", Beside)
    for future in [beside.waits.call_one(number) for number in range(5)]:
        future.get(SECONDS)
    steps = [(what, number) for number in range(5) for what in ("begins", "ends")]
    assert beside.seen.call_one().get(SECONDS) == steps
    beside.stop().get(SECONDS)


def test_stream_when_awaited(gate: Any) -> None:
    async def main() -> list[int]:
        gate.unlock.broadcast()
        return [await future for future in gate.passes.stream(6)]

    assert asyncio.run(main()) == [6]
