"""Futures of `returns_future`: who begins them, on which loop, and what cancels them."""

import asyncio
import threading
from collections.abc import Callable

import pytest

from runtime import actor as ra
from runtime.actor import Actor, CallCancelledError, endpoint, returns_future

SECONDS = 30.0


class Runs:
    """What coroutines of a test have done."""

    def __init__(self) -> None:
        self.begun: list[tuple[int, asyncio.AbstractEventLoop]] = []
        self.cancelled = 0

    @property
    def make(self) -> Callable[[int], ra.Future[int]]:
        @returns_future
        async def plus_one(value: int) -> int:
            self.begun.append((threading.get_ident(), asyncio.get_running_loop()))
            await asyncio.sleep(0)
            return value + 1

        return plus_one

    @property
    def endless(self) -> Callable[[], ra.Future[None]]:
        @returns_future
        async def wait() -> None:
            self.begun.append((threading.get_ident(), asyncio.get_running_loop()))
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                self.cancelled += 1
                raise

        return wait


@pytest.fixture
def runs() -> Runs:
    return Runs()


def test_future_when_nobody_looks(runs: Runs) -> None:
    future = runs.make(1)
    assert not future.done()
    assert runs.begun == []


def test_get_when_it_is_the_first_look(runs: Runs) -> None:
    future = runs.make(1)
    assert [future.get(SECONDS), future.result(), future.get()] == [2, 2, 2]
    assert [thread for thread, _ in runs.begun] == [threading.get_ident()]
    assert runs.begun[0][1].is_closed()


def test_await_when_it_is_the_first_look(runs: Runs) -> None:
    async def main() -> None:
        future = runs.make(1)
        assert await future == 2
        assert await future == 2
        assert [loop for _, loop in runs.begun] == [asyncio.get_running_loop()]
        assert future.get() == 2

    asyncio.run(main())


def test_as_asyncio_when_several_look(runs: Runs) -> None:
    async def main() -> list[int]:
        future = runs.make(4)
        return list(await asyncio.gather(future.as_asyncio(), future.as_asyncio(), future))

    assert asyncio.run(main()) == [5, 5, 5]
    assert len(runs.begun) == 1


def test_get_when_another_thread_runs_it(runs: Runs) -> None:
    go, begun = threading.Event(), threading.Event()

    @returns_future
    async def waits() -> str:
        begun.set()
        await asyncio.to_thread(go.wait, SECONDS)
        return "done"

    future = waits()
    results: list[str] = []
    threads = [threading.Thread(target=lambda: results.append(future.get(SECONDS)))]
    threads[0].start()
    assert begun.wait(SECONDS)
    with pytest.raises(TimeoutError):
        future.get(0.01)
    threads.append(threading.Thread(target=lambda: results.append(future.get(SECONDS))))
    threads[1].start()
    go.set()
    for thread in threads:
        thread.join(SECONDS)
    assert results == ["done", "done"]


def test_get_when_its_time_is_over_cancels(runs: Runs) -> None:
    future = runs.endless()
    for _ in range(2):
        with pytest.raises(TimeoutError, match="it was cancelled"):
            future.get(0.01)
    assert isinstance(future.exception(), TimeoutError)
    assert (runs.cancelled, len(runs.begun)) == (1, 1)


def test_await_when_it_is_cancelled_ends_it_for_all(runs: Runs) -> None:
    async def main() -> ra.Future[None]:
        future = runs.endless()
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(future, 0.01)
        return future

    future = asyncio.run(main())
    assert runs.cancelled == 1
    with pytest.raises(CallCancelledError):
        future.get(SECONDS)


def test_cancel_when_it_is_not_begun(runs: Runs) -> None:
    future = runs.make(1)
    future.cancel()
    with pytest.raises(CallCancelledError, match="before it was begun"):
        future.get(SECONDS)
    assert runs.begun == []


def test_get_in_a_running_loop_when_it_is_not_begun(runs: Runs) -> None:
    async def main() -> int:
        return runs.make(1).get(SECONDS)

    with pytest.warns(UserWarning, match="await the future instead"):
        assert asyncio.run(main()) == 2


def test_future_when_it_raises(runs: Runs) -> None:
    @returns_future
    async def fails() -> None:
        raise KeyError("mine")

    future = fails()
    for _ in range(2):
        with pytest.raises(KeyError, match="mine"):
            future.get(SECONDS)
    assert isinstance(future.exception(), KeyError)


def test_returns_future_when_arguments_do_not_fit(runs: Runs) -> None:
    with pytest.raises(TypeError, match="missing a required argument"):
        runs.make()  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="an `async def` is needed"):
        returns_future(len)  # type: ignore[arg-type]


class Sums(Actor):
    """Calls others in a future of its own."""

    @endpoint
    def twice(self, value: int) -> int:
        return 2 * value

    @endpoint
    def of(self, mesh: "ra.ActorMesh[Sums]", value: int) -> int:
        @returns_future
        async def total() -> int:
            values = await asyncio.gather(mesh.twice.call_one(value), mesh.twice.call_one(1))
            here = ra.current_actor_name().count("sums")
            return int(sum(values)) + here

        return total().get(SECONDS)


def test_future_when_an_actor_looks(procs: ra.ProcMesh) -> None:
    sums, others = (procs.slice(r=rank).spawn("sums", Sums) for rank in (0, 1))
    assert sums.of.call_one(others, 3).get(SECONDS) == 9
