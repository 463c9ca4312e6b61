"""The ways between hosts: direct, at addresses of their own, or through the client."""

import os
import signal
import socket
import threading
from collections.abc import Callable

import psutil  # type: ignore[import-untyped]
import pytest

from runtime import actor as ra
from runtime.actor import ActorMesh, attach_to_workers
from tests.runtime.actor.host_processes import TRUST, HostProcess
from tests.runtime.actor.test_hosts import Member

SECONDS = 30.0
NOWHERE = "tcp://127.0.0.1:1"  # nobody listens there
Start = Callable[..., HostProcess]


def _members(hosts: list[HostProcess], among_hosts: list[str]) -> ActorMesh[Member]:
    """Attach hosts that reach each other at other addresses than the client does."""
    pairs = zip(hosts, among_hosts, strict=True)
    workers = [f"{host.address}@{address}" for host, address in pairs]
    mesh = attach_to_workers(ca=TRUST, workers=workers)
    return mesh.spawn_procs().spawn("member", Member)


def _port_of(address: str) -> int:
    return int(address.rpartition(":")[2])


def _is_connected(host: HostProcess, ports: set[int]) -> bool:
    found = psutil.Process(host.pid).net_connections("tcp")
    return any(each.raddr and each.raddr.port in ports for each in found)


def test_hosts_connect_where_they_reach_each_other_when_the_client_reaches_them_elsewhere(
    start: Start, quiet: None
) -> None:
    hosts = [start("tcp://127.0.0.1:0"), start("tcp://127.0.0.1:0")]
    members = _members(hosts, [host.address for host in hosts])
    first, second = members.slice(hosts=0), members.slice(hosts=1)
    assert first.ask.call_one(second, b"x").get(SECONDS) == [1]
    ports = {_port_of(host.address) for host in hosts}
    assert any(_is_connected(host, ports) for host in hosts)


@pytest.fixture
def apart(start: Start, quiet: None) -> tuple[list[HostProcess], ActorMesh[Member]]:
    """Give two hosts that cannot reach each other, and a member on each."""
    hosts = [start("tcp://127.0.0.1:0"), start("tcp://127.0.0.1:0")]
    return hosts, _members(hosts, [NOWHERE, NOWHERE])


@pytest.mark.parametrize("size", [10, 300_000, 20_000_000])
def test_messages_go_through_the_client_when_hosts_cannot_reach_each_other(
    apart: tuple[list[HostProcess], ActorMesh[Member]], size: int
) -> None:
    hosts, members = apart
    first, second = members.slice(hosts=0), members.slice(hosts=1)
    assert first.ask.call_one(second, b"x" * size).get(SECONDS) == [size]
    assert second.ask.call_one(first, b"x" * size).get(SECONDS) == [size]
    hosts[0].wait_for("go through the client: cannot connect: Connection refused")
    ports = {_port_of(host.address) for host in hosts}
    assert not any(_is_connected(host, ports) for host in hosts)


def test_messages_through_the_client_arrive_once_and_in_order(
    apart: tuple[list[HostProcess], ActorMesh[Member]],
) -> None:
    _, members = apart
    first, second = members.slice(hosts=0), members.slice(hosts=1)
    givers = [first.give.call_one(second, 4000), second.give.call_one(first, 4000)]
    for giver in givers:
        giver.get(SECONDS)
    for receiver in (first, second):
        _until_it_has(receiver, 4000)
        assert receiver.numbers.call_one().get(SECONDS) == list(range(4000))


def test_messages_keep_their_order_when_the_other_host_is_given_up_to_the_client_meanwhile(
    start: Start, quiet: None
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:  # takes connections, says nothing
        hosts = [start("tcp://127.0.0.1:0"), start("tcp://127.0.0.1:0")]
        nobody = f"tcp://127.0.0.1:{silent.getsockname()[1]}"
        members = _members(hosts, [nobody, nobody])
        first, second = members.slice(hosts=0), members.slice(hosts=1)
        first.give.call_one(second, 500).get(SECONDS)  # these wait for the connection
        hosts[0].wait_for("go through the client")
        first.give.call_one(second, 500).get(SECONDS)
        _until_it_has(second, 1000)
        assert second.numbers.call_one().get(SECONDS) == [*range(500), *range(500)]


def test_a_death_is_told_through_the_client_when_hosts_cannot_reach_each_other(
    start: Start, failures: list[ra.MeshFailure]
) -> None:
    hosts = [start("tcp://127.0.0.1:0"), start("tcp://127.0.0.1:0")]
    members = _members(hosts, [NOWHERE, NOWHERE])
    first, second = members.slice(hosts=0), members.slice(hosts=1)
    pid = second.where.call_one().get(SECONDS)[0]
    assert first.ask.call_one(second, b"x").get(SECONDS) == [1]
    os.kill(pid, signal.SIGKILL)
    _until(lambda: bool(failures))
    error = first.ask.call_one(second, b"x").exception(SECONDS)
    assert "killed by signal 9" in str(error)
    assert [failure.signal for failure in failures] == [9]


def _until_it_has(receiver: ActorMesh[Member], count: int) -> None:
    _until(lambda: len(receiver.numbers.call_one().get(SECONDS)) >= count)


def _until(condition: Callable[[], bool]) -> None:
    """Wait for something that another process does."""
    done = threading.Event()
    for _ in range(int(SECONDS * 100)):
        if condition():
            return
        done.wait(0.01)
    raise AssertionError("it did not happen")
