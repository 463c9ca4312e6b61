"""Forks by actors and by the client: they are no part of the program, and end as programs do."""
# ruff: noqa: ANN401 - meshes have endpoints of any signature

import multiprocessing
import os
import signal
import sys
import time
from collections.abc import Callable
from typing import Any

import pytest

from runtime import actor as ra
from runtime.actor import Actor, endpoint
from tests.runtime.field.scripts import Script

SECONDS = 30.0


def wait_to_be_ended(ready: Any) -> None:
    """Wait for a signal."""
    ready.set()
    time.sleep(2 * SECONDS)


def ended(fork: int) -> int:
    """Wait for the end of a fork; return its status."""
    return os.waitstatus_to_exitcode(os.waitpid(fork, 0)[1])


class Forking(Actor):
    """Forks in its endpoints."""

    @endpoint
    def pid(self) -> int:
        return os.getpid()

    @endpoint
    def ends(self, number: int) -> int | None:
        """Return how a fork ends by a signal."""
        context = multiprocessing.get_context("fork")
        ready = context.Event()
        fork = context.Process(target=wait_to_be_ended, args=(ready,))
        fork.start()
        assert ready.wait(SECONDS)
        os.kill(fork.pid or 0, number)
        fork.join(SECONDS)
        return fork.exitcode

    @endpoint
    def comes_back(self, way: str) -> int:
        """Have a fork leave this endpoint in some way; return how it ended."""
        fork = os.fork()
        if fork:
            return ended(fork)
        if way == "raises":
            raise ValueError("the fork's own")
        if way == "exits":
            sys.exit(5)
        return -1


class AsyncForking(Actor):
    """Forks in a coroutine."""

    @endpoint
    async def comes_back(self) -> int:
        fork = os.fork()
        return ended(fork) if fork else -1


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_fork_of_an_actor_when_a_signal_ends_it(procs: ra.ProcMesh, number: int) -> None:
    forking: Any = procs.slice(r=0).spawn("forking", Forking)
    status = forking.ends.call_one(number).get(SECONDS)
    assert status == (-number if number == signal.SIGTERM else 1)


@pytest.mark.parametrize(("way", "status"), [("returns", 0), ("raises", 1), ("exits", 5)])
def test_fork_of_an_actor_when_it_leaves_the_endpoint(
    procs: ra.ProcMesh, failures: list[ra.MeshFailure], way: str, status: int
) -> None:
    forking: Any = procs.slice(r=0).spawn("forking", Forking)
    pid = forking.pid.call_one().get(SECONDS)
    assert forking.comes_back.call_one(way).get(SECONDS) == status
    assert forking.pid.call_one().get(SECONDS) == pid
    beside: Any = procs.slice(r=0).spawn("beside", AsyncForking)
    assert beside.comes_back.call_one().get(SECONDS) == 0
    assert failures == []


def test_fork_when_it_waits_for_what_its_parent_began(program: Callable[[str], Script]) -> None:
    script = program(
        """
import os
from runtime import actor as ra
from runtime.actor import Actor, Channel, endpoint
class Waits(Actor):
    @endpoint
    def wait(self): Channel.open()[1].recv().get(30)
waits = ra.this_host().spawn_procs().spawn("waits", Waits)
waits.initialized.get(30)
future, (port, receiver) = waits.wait.call_one(), Channel.open()
fork = os.fork()
if fork == 0:
    for one in (future, receiver.recv()):
        try: one.get()
        except RuntimeError as error: print("TOLD", repr(str(error)), flush=True)
else:
    print("STATUS", os.waitstatus_to_exitcode(os.waitpid(fork, 0)[1]), flush=True)
    os._exit(0)
"""
    )
    assert script.marker("STATUS", SECONDS) == 0
    assert script.out.count("what it waits for cannot come; wait in the parent") == 2
