"""Hosts that are attached: their processes, their ways to each other, how they end."""

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil  # type: ignore[import-untyped]
import pytest

from runtime import actor as ra
from runtime import config
from runtime.actor import Actor, ActorMesh, AttachError, HostMesh, attach_to_workers, endpoint
from tests.runtime.actor.host_processes import TRUST, HostProcess
from tests.runtime.field.scripts import Script

SECONDS = 30.0

Start = Callable[..., HostProcess]


class Member(Actor):
    """Answers from wherever it is."""

    def __init__(self) -> None:
        self.seen: list[int] = []

    @endpoint
    def where(self) -> tuple[int, int, dict[str, int]]:
        return os.getpid(), os.getppid(), dict(ra.current_rank())

    @endpoint
    def size_of(self, data: bytes) -> int:
        return len(data)

    @endpoint
    def ask(self, others: "ActorMesh[Member]", data: bytes) -> list[int]:
        return list(others.size_of.call(data).get(SECONDS).values())

    @endpoint
    def take(self, number: int) -> None:
        self.seen.append(number)

    @endpoint
    def give(self, other: "ActorMesh[Member]", count: int) -> None:
        for number in range(count):
            other.take.broadcast(number)

    @endpoint
    def numbers(self) -> list[int]:
        return self.seen

    @endpoint
    def say(self, text: str) -> None:
        sys.stdout.write(f"{text}\n")
        sys.stdout.flush()

    @endpoint
    def hang(self) -> None:
        threading.Event().wait()


@pytest.fixture
def two(start: Start, tmp_path: Path, quiet: None) -> Iterator[HostMesh]:
    """Give two hosts that are attached: one by TCP, one by a unix socket."""
    hosts = [start("tcp://127.0.0.1:0"), start(f"ipc://{tmp_path}/host")]
    mesh = attach_to_workers(ca=TRUST, workers=[host.address for host in hosts])
    mesh.initialized.get(SECONDS)
    yield mesh
    mesh.stop().get(SECONDS)


@pytest.fixture
def members(two: HostMesh) -> ActorMesh[Member]:
    """Give an actor in each of two processes of each of two hosts."""
    return two.spawn_procs({"gpus": 2}).spawn("member", Member)


def test_processes_run_below_their_hosts_when_hosts_are_attached(
    members: ActorMesh[Member],
) -> None:
    found = members.where.call().get(SECONDS)
    assert dict(found.extent) == {"hosts": 2, "gpus": 2}
    places = [value[2] for value in found.values()]
    assert places == [{"hosts": h, "gpus": g} for h in range(2) for g in range(2)]
    parents = {value[1] for value in found.values()}
    assert len(parents) == 2
    assert os.getpid() not in parents


@pytest.mark.parametrize("size", [10, 300_000, 20_000_000])
def test_hosts_reach_each_other_without_the_client(members: ActorMesh[Member], size: int) -> None:
    first = members.slice(hosts=0, gpus=0)
    assert first.ask.call_one(members.slice(hosts=1), b"x" * size).get(SECONDS) == [size, size]
    second = members.slice(hosts=1, gpus=1)
    assert second.ask.call_one(members.slice(hosts=0), b"x" * size).get(SECONDS) == [size, size]


def test_messages_between_hosts_arrive_once_and_in_order(members: ActorMesh[Member]) -> None:
    receiver = members.slice(hosts=1, gpus=0)
    members.slice(hosts=0, gpus=0).give.call_one(receiver, 5000).get(SECONDS)
    for number in range(5000, 5100):
        receiver.take.broadcast(number)
    _until(lambda: len(receiver.numbers.call_one().get(SECONDS)) >= 5100)
    seen = receiver.numbers.call_one().get(SECONDS)
    assert [n for n in seen if n < 5000] == list(range(5000))
    assert [n for n in seen if n >= 5000] == list(range(5000, 5100))


def test_output_comes_with_its_place_when_it_was_printed_on_another_host(
    members: ActorMesh[Member], capfd: pytest.CaptureFixture[str]
) -> None:
    members.slice(hosts=1, gpus=0).say.call_one("words from afar").get(SECONDS)
    # Looked at without being taken: capfd loses what is written while it takes.
    _until(lambda: b"words from afar" in os.pread(1, 1 << 16, 0))
    assert "member{hosts=1,gpus=0}] words from afar" in capfd.readouterr().out


def test_the_host_serves_another_client_under_another_identity_when_it_was_let_go(
    start: Start, tmp_path: Path, quiet: None
) -> None:
    host = start(f"ipc://{tmp_path}/host")
    gateways = []
    for _ in range(2):
        with attach_to_workers(ca=TRUST, workers=[host.address]) as mesh:
            members = mesh.spawn_procs({"gpus": 2}).spawn("member", Member)
            pids = [value[0] for value in members.where.call().get(SECONDS).values()]
            gateways.append(mesh._gateways[0])
        assert not any(psutil.pid_exists(pid) for pid in pids)
    assert len(set(gateways)) == 2
    assert host.process.poll() is None


def test_the_host_exits_when_it_is_shut_down(start: Start, tmp_path: Path, quiet: None) -> None:
    host = start(f"ipc://{tmp_path}/host")
    mesh = attach_to_workers(ca=TRUST, workers=[host.address])
    mesh.spawn_procs({"gpus": 2}).initialized.get(SECONDS)
    mesh.shutdown().get(SECONDS)
    assert host.process.wait(SECONDS) == 0
    assert not (tmp_path / "host").exists()


def test_a_second_client_is_told_when_the_host_works_for_another(
    start: Start, tmp_path: Path, two: HostMesh, program: Callable[[str], Script]
) -> None:
    address = f"ipc://{tmp_path}/host"
    script = program(f"""
from runtime.actor import attach_to_workers
try:
    attach_to_workers(ca={TRUST!r}, workers=[{address!r}]).initialized.get(20)
except ConnectionError as error:
    print("REFUSED", repr(str(error)), flush=True)
""")
    assert "works for another client" in script.marker("REFUSED", SECONDS)
    two.spawn_procs().initialized.get(SECONDS)


def test_attach_fails_in_time_when_nobody_listens(quiet: None) -> None:
    with config.configured(spawn_timeout=0.5):
        mesh = attach_to_workers(ca=TRUST, workers=["tcp://127.0.0.1:1"])
        with pytest.raises(AttachError, match=r"tcp://127.0.0.1:1: cannot connect: Connection re"):
            mesh.initialized.get(SECONDS)
        with pytest.raises(AttachError):
            mesh.spawn_procs()


def test_a_call_fails_at_once_with_the_host_when_the_host_is_killed(
    start: Start, failures: list[ra.MeshFailure]
) -> None:
    host = start("tcp://127.0.0.1:0")
    mesh = attach_to_workers(ca=TRUST, workers=[host.address])
    members = mesh.spawn_procs({"gpus": 3}).spawn("member", Member)
    members.where.call().get(SECONDS)
    waiting = members.hang.call()
    host.kill()
    with pytest.raises(ra.SupervisionError) as caught:
        waiting.get(SECONDS)
    failure = caught.value.failure
    assert failure.kind == "connection"
    assert host.address in failure.cause
    assert failure.host == os.uname().nodename
    with pytest.raises(ra.SupervisionError, match="is out of reach"):
        members.where.call().get(SECONDS)
    _until(lambda: bool(failures))
    assert {each.event_id for each in failures} == {failure.event_id}
    assert len(failures) == 1


def test_a_call_fails_within_the_heartbeat_timeout_when_the_host_is_silent(
    start: Start, failures: list[ra.MeshFailure], program: Callable[[str], Script]
) -> None:
    host = start("tcp://127.0.0.1:0")
    script = program(f"""
import time
from runtime import actor, config
config.configure(heartbeat_timeout=1.0, heartbeat_interval=0.1)
actor.unhandled_fault_hook = lambda failure: None
class Member(actor.Actor):
    @actor.endpoint
    def hang(self):
        time.sleep(600)
    @actor.endpoint
    def ready(self):
        return True
mesh = actor.attach_to_workers(ca={TRUST!r}, workers=[{host.address!r}])
member = mesh.spawn_procs().spawn("member", Member)
member.ready.call_one().get(30)
waiting = member.hang.call_one()
print("HANGS 1", flush=True)
try:
    waiting.get(30)
except actor.SupervisionError as error:
    print("FAILED", (error.failure.kind, error.failure.cause), flush=True)
""")
    script.marker("HANGS", SECONDS)
    host.pause()
    kind, cause = script.marker("FAILED", SECONDS)
    assert kind == "heartbeat"
    assert cause.endswith(f" at {host.address} gave no sign of life for 1 s")


def test_the_processes_end_and_the_host_goes_on_when_the_client_is_killed(
    start: Start, tmp_path: Path, program: Callable[[str], Script]
) -> None:
    host = start(f"ipc://{tmp_path}/host")
    script = program(f"""
import os, time
from runtime import actor
class Member(actor.Actor):
    @actor.endpoint
    def pid(self):
        return os.getpid()
mesh = actor.attach_to_workers(ca={TRUST!r}, workers=[{host.address!r}])
member = mesh.spawn_procs().spawn("member", Member)
print("PIDS", os.getpid(), ",", member.pid.call_one().get(20), flush=True)
time.sleep(600)
""")
    client, worker = script.marker("PIDS", SECONDS)
    os.kill(client, signal.SIGKILL)
    host.wait_for("the client is lost")
    _until(lambda: not psutil.pid_exists(worker))
    with attach_to_workers(ca=TRUST, workers=[host.address]) as mesh:
        mesh.spawn_procs().initialized.get(SECONDS)


def _until(condition: Callable[[], bool]) -> None:
    """Wait for something that another process does."""
    done = threading.Event()
    for _ in range(int(SECONDS * 100)):
        if condition():
            return
        done.wait(0.01)
    raise AssertionError("it did not happen")


_SIGNAL_IN_A_FINALIZER = """
import gc, os
class Last:
    def __del__(self):
        os.kill(os.getpid(), {number})
        for _ in range(1000): pass  # the handler runs here
last = Last()
last.last = last
gc.disable()  # the host collects it itself, between two clients
del last
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_host_ends_when_a_signal_comes_where_python_drops_exceptions(
    start: Start, number: int, quiet: None, signals_that_end: None
) -> None:
    host = start("tcp://127.0.0.1:0", code=_SIGNAL_IN_A_FINALIZER.format(number=int(number)))
    mesh = attach_to_workers(ca=TRUST, workers=[host.address])
    mesh.initialized.get(SECONDS)
    mesh.stop().get(SECONDS)
    assert host.process.wait(SECONDS) == -number


def test_attaching_fails_at_once_when_the_program_is_shut_down(
    program: Callable[[str], Script],
) -> None:
    script = program(f"""
import socket
from runtime.actor import attach_to_workers, shutdown_context
silent = socket.create_server(("127.0.0.1", 0))
port = silent.getsockname()[1]
addresses = [f"tcp://127.0.0.1:{{port}}", "tcp://127.0.0.1:1"]
meshes = [attach_to_workers(ca={TRUST!r}, workers=[each]) for each in addresses]
silent.accept()
shutdown_context().get({SECONDS})
for mesh in meshes:
    try:
        mesh.initialized.get(3)
    except Exception as error:
        print("ENDED", repr(str(error)), flush=True)
""")
    for _ in range(2):
        assert "the program has ended" in script.marker("ENDED", SECONDS)
    assert script.finish(SECONDS) == 0
