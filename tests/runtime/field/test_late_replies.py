"""A late reply is nobody else's, a call is cancelled where it runs, a death is no timeout."""
# ruff: noqa: ANN401 - actors and meshes have endpoints of any signature

import asyncio
import time
from typing import Any

import pytest

from tests.runtime.field.rig import Actor, ActorDied, Timeout, endpoint


class Worker(Actor):
    """Answers late."""

    def __init__(self) -> None:
        self.cancelled = 0

    @endpoint
    async def echo(self, value: int, delay: float) -> int:
        await asyncio.sleep(delay)
        return value

    @endpoint
    async def waits(self) -> None:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            self.cancelled += 1
            raise

    @endpoint
    async def times_cancelled(self) -> int:
        return self.cancelled


def test_replies_when_they_are_late(rt: Any) -> None:
    with rt.mesh(1) as mesh:
        one = mesh.spawn(Worker)[0]
        before = time.monotonic()
        with pytest.raises(Timeout):
            one.call("echo", -1, 2.0, timeout=0.2)
        assert 0.2 <= time.monotonic() - before < 0.7
        futures = []
        for number in range(100):
            late = number % 10 == 0
            delay, timeout = (2.5, 0.5) if late else (0.0, 30)
            futures.append(one.start("echo", number, delay, timeout=timeout))
        for number, future in enumerate(futures):
            try:
                assert future.result(35) == number
            except Timeout:
                assert number % 10 == 0


def test_call_when_it_is_cancelled(rt: Any) -> None:
    with rt.mesh(1) as mesh:
        one = mesh.spawn(Worker)[0]
        assert one.call("times_cancelled") == 0
        future = one.start("waits")
        time.sleep(0.3)
        future.cancel()
        time.sleep(0.5)
        assert one.call("times_cancelled", timeout=5) == 1


def test_call_when_the_process_dies_before_the_timeout(rt: Any) -> None:
    with rt.mesh(1) as mesh:
        one = mesh.spawn(Worker)[0]
        pid = one.pid
        assert one.call("echo", 0, 0) == 0
        future = one.start("echo", 1, 60, timeout=30)
        time.sleep(0.3)
        rt.faults.kill(pid)
        before = time.monotonic()
        with pytest.raises(ActorDied):
            future.result(40)
        assert time.monotonic() - before < 5
