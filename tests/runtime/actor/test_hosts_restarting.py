"""Processes restarted on another host, with their actors: references to them stay valid."""

import os
from collections.abc import Callable

import pytest

from runtime import actor as ra
from runtime.actor import Actor, ActorMesh, HostMesh, attach_to_workers, endpoint
from tests.runtime.actor.host_processes import TRUST, HostProcess
from tests.runtime.actor.test_hosts import _until

SECONDS = 30.0
POLICY = ra.RestartPolicy(max_restarts=9, max_seconds=60, backoff_base=0.01)


class Mortal(Actor):
    """Ends its process when it is told to."""

    def __init__(self, ballast: bytes) -> None:
        self.size = len(ballast)
        self.place = dict(ra.current_rank())

    @endpoint
    def crash(self) -> None:
        os._exit(3)

    @endpoint
    def facts(self) -> tuple[int, int, dict[str, int]]:
        return os.getpid(), self.size, self.place


class Owner(Actor):
    """Owns mortals that are restarted."""

    def __init__(self, hosts: HostMesh, ballast: bytes) -> None:
        self.mortals = _mortals(hosts, ballast)

    @endpoint
    def owned(self) -> ActorMesh[Mortal]:
        self.mortals.initialized.get(SECONDS)
        return self.mortals


class Tenant(Actor):
    """Owns actors in processes of somebody else."""

    def __init__(self, procs: ra.ProcMesh, policy: ra.RestartPolicy | None = None) -> None:
        self.mortals = procs.restarting(policy).spawn("room", Mortal, b"")

    @endpoint
    def rooms(self) -> ActorMesh[Mortal]:
        self.mortals.initialized.get(SECONDS)
        return self.mortals

    @endpoint
    def leave(self) -> None:
        self.mortals.stop().get(SECONDS)


def _mortals(hosts: HostMesh, ballast: bytes) -> ActorMesh[Mortal]:
    return hosts.spawn_procs({"n": 2}, restart=POLICY).spawn("mortal", Mortal, ballast)


def _check_lives(mortals: ActorMesh[Mortal], size: int) -> None:
    """End processes again and again; each comes back with its actor."""
    one = mortals.slice(n=1)
    for _ in range(2):
        before = one.facts.call_one().get(SECONDS)
        one.crash.call_one().exception(SECONDS)
        _until(lambda: one.facts.call_one().exception(SECONDS) is None)
        after = one.facts.call_one().get(SECONDS)
        assert after[0] != before[0]
        assert after[1] == size
    seen = mortals.facts.call().get(SECONDS)
    assert len(seen) == 2
    for point, facts in seen.items():
        assert facts[2] == dict(point)


@pytest.mark.parametrize(
    ("owner", "size"),
    [("client", 10), ("client", 1_000_000), ("same host", 10), ("other host", 1_000_000)],
)
def test_actors_come_back_with_their_process_when_their_owner_is_elsewhere(
    start: Callable[..., HostProcess], quiet: None, owner: str, size: int
) -> None:
    hosts = [start("tcp://127.0.0.1:0"), start("tcp://127.0.0.1:0")]
    with attach_to_workers(ca=TRUST, workers=[host.address for host in hosts]) as mesh:
        there = mesh.slice(hosts=0)
        if owner == "client":
            mortals = _mortals(there, b"x" * size)
        else:
            on = mesh.slice(hosts=0 if owner == "same host" else 1)
            one = on.spawn_procs().spawn("owner", Owner, there, b"x" * size)
            mortals = one.owned.call_one().get(SECONDS)
        _check_lives(mortals, size)


def test_actor_that_has_ended_when_its_process_is_restarted_elsewhere(
    start: Callable[..., HostProcess], quiet: None
) -> None:
    """Also one whose owner is not that of the process, on a third host."""
    hosts = [start("tcp://127.0.0.1:0"), start("tcp://127.0.0.1:0")]
    with attach_to_workers(ca=TRUST, workers=[host.address for host in hosts]) as mesh:
        procs = mesh.slice(hosts=0).spawn_procs({"n": 2}, restart=POLICY)
        mortals = procs.spawn("mortal", Mortal, b"")
        ours = procs.spawn("ours", Mortal, b"")
        theirs = mesh.slice(hosts=1).spawn_procs().spawn("tenant", Tenant, procs)
        rooms = theirs.rooms.call_one().get(SECONDS)
        for ended in (ours.stop(), theirs.leave.call_one()):
            ended.get(SECONDS)
        one = mortals.slice(n=1)
        one.crash.call_one().exception(SECONDS)
        _until(lambda: one.facts.call_one().exception(SECONDS) is None)
        for gone in (ours, rooms):
            error = gone.slice(n=1).facts.call_one().exception(SECONDS)
            assert isinstance(error, ra.SupervisionError)
            assert "started again without it" in str(error)


def test_actors_come_back_with_processes_of_another_owner(
    start: Callable[..., HostProcess], quiet: None
) -> None:
    hosts = [start("tcp://127.0.0.1:0"), start("tcp://127.0.0.1:0")]
    with attach_to_workers(ca=TRUST, workers=[host.address for host in hosts]) as mesh:
        procs = mesh.slice(hosts=0).spawn_procs({"n": 2}, restart=POLICY)
        theirs = mesh.slice(hosts=1).spawn_procs().spawn("tenant", Tenant, procs, POLICY)
        one = theirs.rooms.call_one().get(SECONDS).slice(n=1)
        before = one.facts.call_one().get(SECONDS)
        one.crash.call_one().exception(SECONDS)
        _until(lambda: one.facts.call_one().exception(SECONDS) is None)
        assert one.facts.call_one().get(SECONDS)[0] != before[0]
        theirs.leave.call_one().get(SECONDS)
