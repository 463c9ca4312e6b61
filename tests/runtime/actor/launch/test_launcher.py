"""A process from its start to its exit, as the gateway sees both."""

import os
import re
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from runtime.actor.launch.launcher import Exit, LauncherClosedError

Host = Any  # of conftest.py, which is no module of a package
AllGone = Callable[[list[int]], None]
FDS = Path("/proc/self/fd")
SECONDS = 20.0  # a grace that no test comes to the end of


@pytest.mark.parametrize(("argument", "status"), [(b"", 0), (b"0", 0), (b"7", 7)])
def test_exit_when_main_returns(host: Host, argument: bytes, status: int) -> None:
    told = host.exit_of(host.start("return_status", argument))
    assert told == Exit(told.node, told.pid, status=status)
    assert told.pid > 0


def test_exit_when_killed(host: Host) -> None:
    node = host.start("wait")
    pid = node.hears()["pid"]
    host.launcher.kill(node.number, signal.SIGKILL)
    assert host.exit_of(node) == Exit(node.number, pid, signal=9)


def test_kill_when_the_process_has_ended(host: Host) -> None:
    node = host.start("return_status")
    host.exit_of(node)
    host.launcher.kill(node.number, signal.SIGKILL)
    host.launcher.kill(12345, signal.SIGKILL)
    assert host.exit_of(host.start("return_status", b"3")).status == 3


@pytest.mark.parametrize("number", [-1, 65, 4096])
def test_kill_when_there_is_no_such_signal(host: Host, number: int) -> None:
    node = host.start("wait")
    node.hears()
    with pytest.raises(ValueError, match=rf"^{number} is no signal of this system$"):
        host.launcher.kill(node.number, number)
    host.launcher.kill(node.number, signal.SIGRTMIN)
    assert host.exit_of(node).signal == signal.SIGRTMIN


def test_exit_when_main_raises(host: Host) -> None:
    node = host.start("raise_error")
    told = host.exit_of(node)
    assert (told.status, told.signal, told.error) == (1, None, "")
    assert "ValueError: wrong in main" in node.printed()


def test_exit_when_aborted(host: Host) -> None:
    told = host.exit_of(host.start("dump_core"))
    assert (told.status, told.signal, told.core_dumped) == (None, signal.SIGABRT, False)


@pytest.mark.parametrize(
    ("main", "error"),
    [
        ("no_such_module:main", "ModuleNotFoundError: No module named 'no_such_module'"),
        ("launch_mains:no_such", "AttributeError: .* has no attribute 'no_such'"),
    ],
)
def test_exit_when_main_is_not_found(host: Host, main: str, error: str) -> None:
    node = host.start(main)
    told = host.exit_of(node)
    assert told.status == 1
    assert told.error.startswith(f"process node-{node.number} could not start: ")
    assert re.search(error, told.error)
    assert "Traceback" in node.printed()


def test_exit_when_the_folder_is_missing(host: Host) -> None:
    told = host.exit_of(host.start("wait", cwd="/no/such/folder"))
    assert told.status == 1
    assert "FileNotFoundError" in told.error
    assert "/no/such/folder" in told.error


def test_exit_when_the_interpreter_is_missing(host: Host) -> None:
    told = host.exit_of(host.start("wait", python="/no/such/python"))
    assert (told.pid, told.status, told.signal) == (0, None, None)
    assert "no process was started: " in told.error
    assert "/no/such/python" in told.error


def test_exit_when_a_descriptor_is_closed(host: Host) -> None:
    told = host.exit_of(host.start("wait", fds={"closed": 1_000_000}))
    assert (told.pid, told.error) == (0, "no process was started: [Errno 9] Bad file descriptor")


def test_exit_when_a_variable_cannot_be(host: Host) -> None:
    told = host.exit_of(host.start("wait", environment={"A=B": "c"}))
    assert told.error == "no process was started: an environment cannot have the variable 'A=B'='c'"


def test_argument_when_large(host: Host) -> None:
    argument = bytes(range(256)) * 20_000
    heard = host.start("count_bytes", argument).hears()
    assert (heard["size"], heard["total"]) == (len(argument), sum(argument))


def test_output_when_the_process_is_killed(host: Host) -> None:
    node = host.start("print_and_wait")
    node.hears()
    host.launcher.kill(node.number, signal.SIGKILL)
    assert sorted(node.printed().splitlines()) == ["a line", "another line"]


def test_output_when_the_interpreter_ends(host: Host) -> None:
    node = host.start("print_last_words")
    assert host.exit_of(node).status == 0
    text = node.printed()
    assert all(word in text for word in ("said by a thread", "said without end", "said at exit"))


def test_close_when_a_process_floods_its_output(host: Host, all_gone: AllGone) -> None:
    node = host.start("flood")
    pid = node.hears()["pid"]
    host.launcher.close(SECONDS)
    assert host.exit_of(node).signal == signal.SIGTERM
    all_gone([pid])


def test_close_when_processes_end_by_themselves(host: Host) -> None:
    nodes = [host.start("end_when_terminated") for _ in range(3)]
    for node in nodes:
        node.hears()
    host.launcher.close(SECONDS)
    assert [host.exit_of(node).status for node in nodes] == [42, 42, 42]


def test_close_when_processes_were_only_just_asked_for(host: Host) -> None:
    nodes = [host.start("wait") for _ in range(5)]
    begun = time.monotonic()
    host.launcher.close(SECONDS)
    assert time.monotonic() - begun < SECONDS
    assert [host.exit_of(node).signal for node in nodes] == [signal.SIGTERM] * 5


def test_close_when_termination_is_ignored(host: Host) -> None:
    node = host.start("ignore_termination")
    node.hears()
    host.launcher.close(0.2)
    assert host.exit_of(node).signal == signal.SIGKILL


def test_close_when_closed_before(host: Host) -> None:
    host.start("wait").hears()
    threads = [threading.Thread(target=host.launcher.close, args=(0,)) for _ in range(3)]
    for each in threads:
        each.start()
    for each in threads:
        each.join(SECONDS)
    host.launcher.close(0)
    assert host.exits.qsize() == 1
    with pytest.raises(LauncherClosedError, match=r"^the launcher is closed: "):
        host.start("wait")


def test_close_when_nothing_was_started(host: Host) -> None:
    host.launcher.close(SECONDS)


def test_close_when_called_from_on_exit(new_host: Callable[..., Host]) -> None:
    host = new_host()
    errors: list[BaseException] = []

    def close(told: Exit) -> None:
        try:
            host.launcher.close(1)
        except RuntimeError as error:
            errors.append(error)
        host.exits.put(told)

    host.launcher._on_exit = close
    host.exit_of(host.start("return_status"))
    assert str(errors[0]).startswith("close cannot wait in on_exit")


def test_on_exit_when_it_raises(host: Host, caplog: pytest.LogCaptureFixture) -> None:
    def fail(told: Exit) -> None:
        host.exits.put(told)
        raise ValueError("a bug in on_exit")

    host.launcher._on_exit = fail
    assert host.exit_of(host.start("return_status")).status == 0
    assert host.exit_of(host.start("return_status", b"5")).status == 5
    assert "a bug in on_exit" in caplog.text


def test_spawn_when_many_at_once(host: Host) -> None:
    nodes = [host.start("return_status", str(number).encode()) for number in range(40)]
    assert [host.exit_of(node).status for node in nodes] == list(range(40))
    assert len({host.exit_of(node).pid for node in nodes}) == 40


def _open() -> dict[str, str]:
    return {path.name: str(path.readlink()) for path in FDS.iterdir() if path.exists()}


def test_descriptors_when_processes_came_and_went(
    new_host: Callable[..., Host], until: Callable[..., None]
) -> None:
    before = _open()
    host = new_host()
    for _ in range(3):
        host.exit_of(host.start("return_status"))
    host.launcher.close(0)
    for fd in host._opened:
        os.close(fd)
    host._opened.clear()
    assert _open() == before
