"""One death is one event: its owner is asked once, and everybody who waits is told of that one."""
# ruff: noqa: ANN401 - actors and meshes have endpoints of any signature

import os
import time
from typing import Any

import pytest

from tests.runtime.field import rig
from tests.runtime.field.rig import Actor, ActorDied, endpoint


class Worker(Actor):
    """Dies, or sleeps."""

    @endpoint
    def dies(self, status: int) -> None:
        os._exit(status)

    @endpoint
    def naps(self) -> None:
        time.sleep(60)


class Owner(Actor):
    """Handles failures, and remembers them."""

    def __init__(self) -> None:
        self.seen: list[Any] = []
        self.mesh = rig.mesh(4)
        self.group = self.mesh.spawn(Worker)

    def on_child_failure(self, failure: Any) -> bool:
        self.seen.append((failure.event_id, failure.rank))
        return True

    @endpoint
    def workers(self) -> Any:
        return self.group

    @endpoint
    def log(self) -> list[Any]:
        return self.seen


class Stillborn(Actor):
    """Dies before its first message."""

    def __init__(self) -> None:
        os._exit(4)


def test_event_when_three_wait(rt: Any) -> None:
    for _ in range(25):
        with rt.mesh(1) as mesh:
            owner = mesh.spawn(Owner)[0]
            one = owner.call("workers")[2]
            waiting = [one.start("naps"), one.start("naps"), one.start("dies", 3)]
            ids = set()
            for future in waiting:
                with pytest.raises(ActorDied) as caught:
                    future.result(10)
                ids.add(caught.value.event_id)
            time.sleep(0.5)
            ((event_id, rank),) = owner.call("log", timeout=5)
            assert (ids, rank) == ({event_id}, 2)


def test_event_when_the_process_dies_at_its_start(rt: Any) -> None:
    with rt.mesh(1) as mesh, pytest.raises(ActorDied) as caught:
        mesh.spawn(Stillborn)[0].call("anything", timeout=30)
    assert "exited with status 4" in caught.value.cause
