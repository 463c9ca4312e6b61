"""Messages for more hosts than `cast_fanout`: they go by other hosts, in order and once."""

import contextlib
from collections.abc import Callable, Iterator
from itertools import combinations

import psutil  # type: ignore[import-untyped]
import pytest

from runtime import config
from runtime.actor import (
    Actor,
    ActorMesh,
    MeshFailure,
    SupervisionError,
    attach_to_workers,
    endpoint,
    shutdown_context,
)
from tests.runtime.actor.host_processes import TRUST, HostProcess
from tests.runtime.field.hosts import Hosts

SECONDS = 30.0
HOSTS = 4


class Member(Actor):
    """Remembers what it got."""

    def __init__(self) -> None:
        self.seen: list[int] = []

    @endpoint
    def take(self, number: int, data: bytes) -> int:
        self.seen.append(number)
        return len(data)

    @endpoint
    def numbers(self) -> list[int]:
        return self.seen

    @endpoint
    def tell(self, others: "ActorMesh[Member]", count: int) -> list[list[int]]:
        for number in range(count):
            others.take.broadcast(number, b"")
        return list(others.numbers.call().get(SECONDS).values())


@pytest.fixture
def chain(start: Callable[..., HostProcess]) -> Iterator[list[HostProcess]]:
    """Give hosts of a program in which each message goes from one to the next."""
    shutdown_context().get(SECONDS)  # a client has it from its beginning
    with config.configured(cast_fanout=1):
        yield [start("tcp://127.0.0.1:0") for _ in range(HOSTS)]


@pytest.fixture
def members(chain: list[HostProcess], failures: list[MeshFailure]) -> Iterator[ActorMesh[Member]]:
    """Give an actor in each of two processes of each host; its failures are in `failures`."""
    hosts = attach_to_workers(ca=TRUST, workers=[host.address for host in chain])
    hosts.initialized.get(SECONDS)
    yield hosts.spawn_procs({"gpus": 2}).spawn("member", Member)
    hosts.stop().get(SECONDS)
    shutdown_context().get(SECONDS)


def connected_pairs(hosts: list[HostProcess]) -> int:
    """Count the pairs of hosts that have a connection between them."""
    ends = [
        {
            (each.laddr.port, each.raddr.port)
            for each in psutil.Process(host.pid).net_connections()
            if each.status == psutil.CONN_ESTABLISHED
        }
        for host in hosts
    ]
    return sum(
        any((there, here) in other for here, there in one) for one, other in combinations(ends, 2)
    )


def test_hosts_pass_on_when_there_are_more_than_the_fanout(
    chain: list[HostProcess], members: ActorMesh[Member]
) -> None:
    data = b"x" * 300_000
    for number in range(50):
        members.take.broadcast(number, data)
    sizes = members.take.call(50, data).get(SECONDS)
    assert list(sizes.values()) == [len(data)] * 2 * HOSTS
    for seen in members.numbers.call().get(SECONDS).values():
        assert seen == list(range(51))
    # Answers go straight to the client: it is messages that hosts pass on. Those that do not
    # reach each other in time, on a busy machine, do it through the client.
    assert 1 <= connected_pairs(chain) < HOSTS


def test_messages_keep_their_order_when_some_go_to_one_alone(members: ActorMesh[Member]) -> None:
    last = members.slice(hosts=HOSTS - 1, gpus=1)
    for number in range(0, 200, 2):
        members.take.broadcast(number, b"y" * 200_000 if number % 20 == 0 else b"")
        last.take.broadcast(number + 1, b"")
    assert last.numbers.call_one().get(SECONDS) == list(range(200))


def test_an_actor_tells_all_when_its_host_is_in_the_middle(members: ActorMesh[Member]) -> None:
    others = members.slice(hosts=slice(0, HOSTS, 2))
    told = members.slice(hosts=1, gpus=0).tell.call_one(others, 100).get(SECONDS)
    assert told == [list(range(100))] * HOSTS


def test_the_others_get_everything_when_a_host_in_between_is_killed(
    chain: list[HostProcess], members: ActorMesh[Member], failures: list[MeshFailure]
) -> None:
    for number in range(100):
        members.take.broadcast(number, b"z" * 50_000)
    # Hosts are in the order of their identities, which nobody here knows: kill one of them all.
    victim = chain[1]
    victim.kill()
    living = [members.slice(hosts=host) for host in (0, 2, 3)]
    for number in range(100, 150):
        for each in living:
            each.take.broadcast(number, b"")
    for each in living:
        for seen in each.numbers.call().get(SECONDS).values():
            assert seen == list(range(150))
    with pytest.raises(SupervisionError):
        members.numbers.call().get(SECONDS)
    assert {each.kind for each in failures} == {"connection"}


def test_everything_comes_once_when_hosts_lose_each_other_but_not_the_client(
    quiet: None,
) -> None:
    shutdown_context().get(SECONDS)
    settings = {"cast_fanout": 1, "heartbeat_interval": 0.1, "heartbeat_timeout": 0.5}
    with config.configured(**settings), contextlib.closing(Hosts(3, {})) as hosts:
        members = hosts.mesh.spawn_procs().spawn("member", Member)
        members.take.call(0, b"").get(SECONDS)
        for one, other in combinations(range(3), 2):
            hosts.order("cut", one, other)
        # What is on its way between them is lost, and they notice only after a while.
        for number in range(1, 150):
            members.take.broadcast(number, b"z" * 1000)
            members.slice(hosts=number % 3).numbers.call_one().get(SECONDS)
        for seen in members.numbers.call().get(SECONDS).values():
            assert seen == list(range(150))
        hosts.mesh.stop().get(SECONDS)
    shutdown_context().get(SECONDS)
