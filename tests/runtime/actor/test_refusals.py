"""What a user is told who has written something wrong: the value, what it means, what to write."""

import asyncio
import socket
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from runtime import actor as ra
from runtime import config
from runtime.actor import Actor, Channel, SerializationError, telling, this_host, this_proc
from runtime.actor.client import present_client
from runtime.actor.debugging.sessions import Sessions, Stop
from runtime.actor.debugging.terminal import Terminal
from runtime.actor.hosts import addresses
from runtime.actor.latch import Latch
from runtime.actor.local import local
from runtime.actor.shapes.shape import Extent, Shape
from runtime.actor.shapes.value_mesh import ValueMesh
from runtime.cli import main
from runtime.config.layers import PROCESS
from runtime.telemetry.metrics import MetricsServer
from tests.runtime.actor.host_processes import HostProcess

SECONDS = 30.0


class Plain(Actor):
    """Takes what it gets."""

    @ra.endpoint
    def take(self, value: object) -> object:
        return value

    @ra.endpoint
    def give(self) -> object:
        return {"then": Latch().future()}


def _spawned(**members: Any) -> None:  # noqa: ANN401 - of a class
    this_proc().spawn("odd", type("Odd", (Actor,), members))


def _item(**indices: int) -> object:
    return ValueMesh(Shape.of(Extent(("gpus", "hosts"), (2, 1))), [1, 2]).item(**indices)


WRONG: list[tuple[Callable[[], object], type[Exception], str]] = [
    (
        lambda: this_host().spawn_procs(4),  # type: ignore[arg-type]
        TypeError,
        r'per_host is 4, which names no dimension; give a mapping .*, like {"gpus": 4}',
    ),
    (
        lambda: this_host().spawn_procs({"gpus": "2"}),  # type: ignore[dict-item]
        TypeError,
        r"per_host\['gpus'\] is '2', which is no number of processes; give a whole number, .*",
    ),
    (
        lambda: this_host().spawn_procs({"gpus": True}),
        TypeError,
        r"per_host\['gpus'\] is True, which is no number of processes; .*",
    ),
    (
        lambda: ra.attach_to_workers(workers="tcp://a:1"),
        TypeError,
        r"workers is 'tcp://a:1', a text; give a list of addresses, \['tcp://a:1'\]",
    ),
    (
        lambda: this_proc().spawn(Plain, 1),  # type: ignore[arg-type]
        TypeError,
        r"the name of a mesh of actors is a text, not <.*Plain'>; write spawn\(name, Class, .*",
    ),
    (
        lambda: this_proc().spawn("plain", 1),  # type: ignore[arg-type]
        TypeError,
        r"1 cannot be spawned: it is not a subclass of Actor; write spawn\(name, Class, \.\.\.\).*",
    ),
    (
        lambda: _spawned(f=ra.endpoint(lambda: None)),
        TypeError,
        r"endpoint f of Odd takes no self, so no call can reach it; write `def f\(self, \.\.\.\)`",
    ),
    (
        lambda: _spawned(
            f=ra.endpoint(explicit_response_port=True)(lambda self: None)  # noqa: ARG005
        ),
        TypeError,
        r"endpoint f of Odd takes no self and the port, .*; write `def f\(self, port, \.\.\.\)`",
    ),
    (
        lambda: _spawned(__supervise__=lambda self: True),  # noqa: ARG005
        TypeError,
        r"__supervise__ of Odd cannot be called .*; write `def __supervise__\(self, failure\)`",
    ),
    (
        lambda: _spawned(__cleanup__=lambda self, exc, more: None),  # noqa: ARG005
        TypeError,
        r"__cleanup__ of Odd cannot be called with .*; write `def __cleanup__\(self, exc\)`",
    ),
    (
        lambda: Channel.open()[0].send(threading.Lock()),
        SerializationError,
        r"a message for a port: a value of type _thread.lock .*",
    ),
    (
        lambda: Channel.open()[0].send(Channel.open()[1]),
        SerializationError,
        r"a message for a port: .*PortReceiver \(at \[0\]\) cannot be pickled: .*; send the port",
    ),
    (
        lambda: Channel.open()[1].recv().get(timeout=0.01),
        TimeoutError,
        r"no message yet after 0.01 s; the next one is for whoever waits then, .*",
    ),
    (
        lambda: Latch().future().get(timeout="5"),  # type: ignore[arg-type]
        TypeError,
        r"timeout is '5'; give seconds, 0 or more, or None to wait",
    ),
    (
        lambda: _item(gpu=1),
        KeyError,
        r".no index for dimension 'gpus' of {gpus: 2, hosts: 1}, and 'gpu' is none of them; .*",
    ),
    (
        lambda: _item(gpus=1, hosts=0, gpu=1),
        KeyError,
        r".{gpus: 2, hosts: 1} has no dimension 'gpu'; leave it out.",
    ),
    (
        lambda: addresses.listener(addresses.parsed("tcp://[::1%nowhere]:1")[1]),  # no DNS
        OSError,
        r"\[Errno -?\d+\] cannot listen at tcp://\[::1%nowhere\]:1: .*",
    ),
    (
        lambda: config.configure(trace_file="late.json"),
        config.ConfigError,
        r"trace_file='late\.json' would do nothing: this program took it at its first mesh; .*",
    ),
    (
        lambda: config.configure(metrics_address="127.0.0.1:0"),
        config.ConfigError,
        r"metrics_address='127\.0\.0\.1:0' would do nothing: .* or after shutdown_context\(\)",
    ),
]


@pytest.mark.parametrize(("do", "kind", "words"), WRONG, ids=range(len(WRONG)))
@pytest.mark.usefixtures("quiet")
def test_words_when_something_is_wrong(
    do: Callable[[], object], kind: type[Exception], words: str
) -> None:
    ra.context()
    with pytest.raises(kind, match=f"^{words}$"):
        do()


def test_spawn_takes_hooks_of_every_shape(quiet: None) -> None:
    class Shapes(Actor):
        @ra.endpoint
        def any(*args: object, **more: object) -> int:
            del more
            return len(args)

        @staticmethod
        def __supervise__(failure: ra.MeshFailure) -> bool:
            return bool(failure)

        def __cleanup__(self, *exc: object) -> None:
            pass

        def _handle_undeliverable_message(self, message: object, more: int = 1) -> bool:
            return bool(message) or bool(more)

    mesh = this_proc().spawn("shapes", Shapes)
    assert mesh.any.call_one(1, 2).get(SECONDS) == 3
    mesh.stop().get(SECONDS)


def test_a_future_when_it_is_sent_or_returned(quiet: None) -> None:
    mesh = this_proc().spawn("plain", Plain)
    words = r" cannot be pickled: a Future stays where it is; get\(\) or await it first, and .*"
    future = Latch().future()
    with pytest.raises(
        SerializationError,
        match=rf"^the arguments of take: a value of type runtime\.actor\.future\.Future \(at "
        rf"\[0\]\[0\]\){words}$",
    ):
        mesh.take.call_one(future)
    with pytest.raises(
        SerializationError,
        match=rf"^the result of plain\.give: .*Future \(at \[0\]\['then'\]\){words}$",
    ):
        mesh.give.call_one().get(SECONDS)
    mesh.stop().get(SECONDS)


def test_metrics_and_traces_when_they_have_no_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(
            OSError, match=rf"metrics_address is '{address}', and nothing can be served there: Add"
        ):
            MetricsServer(address, lambda _: [])
    here = local()
    before = config.get_runtime_config()
    monkeypatch.setattr(PROCESS, "_held", {})
    with (
        config.configured(trace_file=str(tmp_path / "no" / "trace.json")),
        pytest.raises(OSError, match=r"trace_file is '.*/no/trace.json', which cannot be written"),
    ):
        telling.begin(here, client=here.node.id, first=True)
    assert config.get_runtime_config() == before


class _Port:
    """Takes commands for a pdb."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def send(self, line: str) -> None:
        self.lines.append(line)


@pytest.mark.parametrize(
    ("words", "answer", "count"),
    [
        ("trainer ranks(gpus=1) p 1", "given to 1 actors; `attach` shows what each prints: 2", 1),
        ("trainer ranks(gpus=7) p 1", "given to 0 actors", 0),
        ("nosuch ranks() p 1", "no mesh 'nosuch' is at a breakpoint; those that are: trainer", 0),
        ("trainer ranks(foo=1) p 1", "trainer has no dimension 'foo'; its dimensions: gpus", 0),
    ],
)
def test_cast_says_whom_it_reached(words: str, answer: str, count: int) -> None:
    ra.context()
    sessions, port = Sessions(), _Port()
    for rank in range(2):
        point = {"gpus": rank}
        stop = Stop(f"key{rank}", f"trainer{rank}", "trainer", point, rank, 1, "f", "t.py", 8)
        sessions.stopped(stop, port)  # type: ignore[arg-type]
    near, far = socket.socketpair()
    with near, far:
        terminal = threading.Thread(target=Terminal(sessions, far).run)
        terminal.start()
        near.sendall(f"cast {words}\nquit\n".encode())
        text = "".join(iter(lambda: near.recv(4096).decode(), ""))
        terminal.join(SECONDS)
    assert f"debug> {answer}\ndebug> " in text
    assert len(port.lines) == count


def test_debug_when_the_process_is_no_program() -> None:
    result = CliRunner().invoke(main, ["debug", "--pid", "99999999"])
    assert (result.exit_code, result.output) == (
        1,
        "process 99999999 is no running program of this user\n",
    )


class Waits(Actor):
    """Is given up."""

    @ra.endpoint
    async def wait(self, port: ra.Port[int] | None) -> None:
        if port is not None:
            port.send(1)
            await asyncio.sleep(SECONDS)


def test_a_call_that_is_given_up_counts_as_cancelled(quiet: None) -> None:
    mesh = this_proc().spawn("given_up", Waits)
    port, receiver = Channel.open()
    future = mesh.wait.call_one(port)
    receiver.recv().get(SECONDS)
    future.cancel()
    assert isinstance(future.exception(SECONDS), ra.CallCancelledError)
    mesh.wait.call_one(None).get(SECONDS)
    runners = list(present_client().agent.actors.values())
    (watch,) = [each.watch for each in runners if each.watch.name == "given_up"]
    assert (watch.failed, watch.cancelled) == (0, 1)
    mesh.stop().get(SECONDS)


def test_a_host_says_where_it_listens(start: Callable[..., HostProcess], tmp_path: Path) -> None:
    host = start(f"ipc://{tmp_path}/host")
    assert f"[runtime] host {socket.gethostname()} listens at ipc://{tmp_path}/host" in host.said


def test_attaching_tells_why_it_waits(
    quiet: None, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("runtime.actor.attaching._QUIET", 0.15)
    with socket.create_server(("127.0.0.1", 0)) as free:
        address = f"tcp://127.0.0.1:{free.getsockname()[1]}"
    with config.configured(spawn_timeout=0.6):
        hosts = ra.attach_to_workers(ca="trust_all_connections", workers=[address])
        assert hosts.initialized.exception(SECONDS) is not None
    told = [line for line in capsys.readouterr().err.splitlines() if "[runtime]" in line]
    assert len(told) == 1
    assert told[0].startswith(f"[runtime] host {address} is not there yet: ")
    assert "refused" in told[0]
