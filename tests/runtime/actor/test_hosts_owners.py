"""Owners on one host with meshes on another: what ends, and what is told, when the owner dies."""

import os
import signal
from collections.abc import Callable, Iterator

import psutil  # type: ignore[import-untyped]
import pytest

from runtime import actor as ra
from runtime import config
from runtime.actor import Actor, HostMesh, attach_to_workers, endpoint
from tests.runtime.actor.host_processes import TRUST, HostProcess
from tests.runtime.actor.test_hosts import Member, _until

SECONDS = 30.0


class Owner(Actor):
    """Owns processes of another host, with actors in them."""

    def __init__(self, hosts: HostMesh) -> None:
        self.procs = hosts.spawn_procs({"gpus": 2})
        self.members = self.procs.spawn("member", Member)

    @endpoint
    def owned(self) -> tuple[ra.ProcMesh, "ra.ActorMesh[Member]", list[int]]:
        found = self.members.where.call().get(SECONDS)
        return self.procs, self.members, [each[0] for each in found.values()]

    @endpoint
    def pid(self) -> int:
        return os.getpid()


@pytest.fixture
def pair(start: Callable[..., HostProcess]) -> Iterator[tuple[list[HostProcess], HostMesh]]:
    """Give two hosts that are attached."""
    hosts = [start("tcp://127.0.0.1:0"), start("tcp://127.0.0.1:0")]
    with config.configured(cleanup_timeout=0.2):  # members that hang would have it
        mesh = attach_to_workers(ca=TRUST, workers=[host.address for host in hosts])
        yield hosts, mesh
        mesh.stop().get(SECONDS)


@pytest.mark.parametrize("victim", ["host", "process"])
def test_what_it_owns_on_another_host_ends_when_the_owner_is_killed(
    pair: tuple[list[HostProcess], HostMesh], failures: list[ra.MeshFailure], victim: str
) -> None:
    hosts, mesh = pair
    there = mesh.slice(hosts=slice(1, 2))
    owner = mesh.slice(hosts=0).spawn_procs().spawn("owner", Owner, there)
    procs, members, pids = owner.owned.call_one().get(SECONDS)
    waiting = members.hang.call()
    if victim == "host":
        hosts[0].kill()
    else:
        os.kill(owner.pid.call_one().get(SECONDS), signal.SIGKILL)
    _until(lambda: not any(psutil.pid_exists(pid) for pid in pids))
    error = waiting.exception(SECONDS)
    assert isinstance(error, ra.SupervisionError)
    assert error.failure.kind == "stopped"
    # Of the process, or of the actor in it, whichever is told first.
    assert error.failure.cause.endswith(("the process of its owner is dead", "its process ends"))
    late = members.where.call().exception(SECONDS)
    assert isinstance(late, ra.SupervisionError)
    assert late.failure.event_id in {
        each.event_id for each in [error.failure, *_all_of(procs, members)]
    }
    _until(lambda: bool(failures))
    (failure,) = failures  # one death, one event: what it owned is no news of its own
    assert (failure.kind, failure.signal) == (
        ("connection", None) if victim == "host" else ("signal", signal.SIGKILL)
    )
    assert failure.mesh_name == "owner"
    again = there.spawn_procs().spawn("again", Member)
    assert len(again.where.call().get(SECONDS)) == 1


def _all_of(procs: ra.ProcMesh, members: "ra.ActorMesh[Member]") -> list[ra.MeshFailure]:
    """Return how each of them ended."""
    found = []
    for gpu in range(len(procs)):
        error = members.slice(gpus=gpu).where.call().exception(SECONDS)
        assert isinstance(error, ra.SupervisionError)
        found.append(error.failure)
    return found
