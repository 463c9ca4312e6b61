"""Several hosts whose wires are cut and heal; a controller that comes back at its port."""
# ruff: noqa: ANN401 - actors and meshes have endpoints of any signature

import os
import signal
import socket
import time
from typing import Any

import pytest

from tests.runtime.field.rig import Actor, ActorDied, Handle, endpoint


class Peer(Actor):
    """Talks to another."""

    def __init__(self) -> None:
        self.seen: list[int] = []

    @endpoint
    def add(self, number: int) -> None:
        self.seen.append(number)

    @endpoint
    def numbers(self) -> list[int]:
        return self.seen

    @endpoint
    def ask(self, other: Handle, timeout: float) -> list[int]:
        found: list[int] = other.call("numbers", timeout=timeout)
        return found


FAST = {"heartbeat_interval": 0.1, "heartbeat_timeout": 1.0}


def test_a_short_cut_when_it_is_healed_in_time_loses_nothing(rt: Any) -> None:
    with rt.mesh(2, hosts=2, heartbeat_interval=0.1, heartbeat_timeout=5.0) as mesh:
        group = mesh.spawn(Peer)
        assert len({*group.pids}) == 2
        rt.faults.cut("controller", group[1].pid, 1.0)
        for number in range(200):
            group[1].post("add", number)
        took = rt.time_of(lambda: group[1].call("numbers", timeout=20))
        assert 0.5 < took < 4
        assert group[1].call("numbers", timeout=20) == list(range(200))
        assert rt.events() == []


def test_a_partition_when_it_lasts_is_the_end_of_the_host_beyond_it(rt: Any) -> None:
    with rt.mesh(4, hosts=2, **FAST) as mesh:
        group = mesh.spawn(Peer)
        waiting = group[2].start("numbers")
        waiting.result(20)
        pids = group.pids
        rt.faults.partition([["controller", 0], [1]])
        began = time.monotonic()
        with pytest.raises(ActorDied, match="gave no sign of life"):
            group[3].call("numbers", timeout=20)
        assert time.monotonic() - began < 3
        assert group[0].call("numbers", timeout=20) == []
        end = time.monotonic() + 10
        while rt.os.alive(pids[2:]) and time.monotonic() < end:
            time.sleep(0.05)
        assert rt.os.alive(pids[2:]) == []
        assert len({event.event_id for event in rt.events()}) == 1
        rt.faults.heal()
    with rt.mesh(2, hosts=2, **FAST) as mesh:
        assert mesh.ping() == [True, True]


def test_two_hosts_that_lose_each_other_give_up_each_other_alone(rt: Any) -> None:
    with rt.mesh(2, hosts=2, **FAST) as mesh:
        group = mesh.spawn(Peer)
        assert group[0].call("ask", group[1], 10) == []
        rt.faults.cut(0, 1)
        with pytest.raises(rt.RemoteError, match="gave no sign of life"):
            group[0].call("ask", group[1], 15.0)
        assert group[1].call("numbers", timeout=10) == []  # the controller reaches both
        with pytest.raises(ValueError, match="on one host, which has no network in it"):
            rt.faults.cut(0, group[0].pid)


def test_a_mesh_when_it_may_be_restarted(rt: Any) -> None:
    with rt.mesh(2, max_restarts=1) as mesh:
        group = mesh.spawn(Peer)
        rt.faults.kill(group[0].pid)
        end = time.monotonic() + 20
        while time.monotonic() < end:
            try:
                assert group[0].call("numbers", timeout=10) == []
            except ActorDied:
                continue
            break
        assert rt.events() == []


def test_a_controller_when_it_was_killed_comes_back_at_its_port(rt: Any) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert not rt.controller(port=port).up_within(0.5)
    for _ in range(2):
        controller = rt.controller(port=port)
        assert controller.up_within(20)
        os.kill(controller.pid, signal.SIGKILL)
        controller.close()


def test_raise_in_actor_when_it_is_called_fails_the_actor(rt: Any) -> None:
    script = rt.script("""
class Fragile(rt.Actor):
    def __init__(self): pass
    @rt.endpoint
    def fail(self): raise_in_actor("ShapeError", "want 2 got 3")
with rt.mesh(1) as mesh:
    one = mesh.spawn(Fragile)[0]
    try:
        one.call("fail", timeout=20)
    except rt.ActorDied as error:
        print("DIED", repr(error.cause), flush=True)
""")
    assert "ShapeError: want 2 got 3" in script.marker("DIED", 60)
    script.close()
