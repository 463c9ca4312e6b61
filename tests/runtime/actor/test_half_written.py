"""Buffers whose sender died while it wrote them: nobody waits for the rest."""

import os
import signal
import threading
from collections.abc import Callable
from typing import Any

import pytest

from runtime import actor as ra
from runtime.actor import Actor, RestartPolicy, SupervisionError, endpoint

SECONDS = 30.0
LARGE = 300 << 20


class Taker(Actor):
    """Is busy until a pipe ends, and counts what it got."""

    def __init__(self) -> None:
        self.count = 0

    @endpoint
    def read(self, path: str) -> None:
        with open(path, "rb") as pipe:  # noqa: PTH123 - a FIFO
            pipe.read()

    @endpoint
    def take(self, data: bytes) -> None:
        self.count += len(data)

    @endpoint
    def taken(self) -> int:
        return self.count


class Giver(Actor):
    """Dies while it writes."""

    @endpoint
    def pid(self) -> int:
        return os.getpid()

    @endpoint
    def give(self, to: Any) -> None:  # noqa: ANN401 - a mesh
        data = bytes(LARGE)
        killer = threading.Timer(0.01, os.kill, (os.getpid(), signal.SIGKILL))
        killer.start()
        to.take.broadcast(data)
        killer.join()


@pytest.mark.parametrize("restart", [None, RestartPolicy(backoff_base=0.01, jitter=0.0)])
def test_the_receiver_goes_on_when_the_sender_died_in_the_middle(
    restart: RestartPolicy | None,
    failures: list[ra.MeshFailure],
    tmp_path: Any,  # noqa: ANN401
) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with ra.this_host().spawn_procs() as to, ra.this_host().spawn_procs(restart=restart) as of:
        taker, giver = to.spawn("taker", Taker), of.spawn("giver", Giver)
        pid = giver.pid.call_one().get(SECONDS)
        taker.initialized.get(SECONDS)
        taker.read.broadcast(str(pipe))
        with pipe.open("wb"):  # until here the receiver has not begun to read
            with pytest.raises(SupervisionError):
                giver.give.call_one(taker).get(SECONDS)
            if restart is not None:
                lives_again(giver.pid.call_one, pid)
        assert taker.taken.call_one().get(SECONDS) in (0, LARGE)
    assert len(failures) == (restart is None)


def lives_again(ask: Callable[[], Any], before: int) -> None:
    """Wait for a process that is restarted."""
    for _ in range(1000):
        try:
            if ask().get(SECONDS) != before:
                return
        except SupervisionError:
            threading.Event().wait(0.01)
    pytest.fail("it has not come back")
