"""Whatever dies, and by whatever signal, leaves no process behind, and each death is told once."""

import json
import os
import select
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

Host = Any  # of conftest.py, which is no module of a package
AllGone = Callable[[list[int]], None]
HERE = Path(__file__).parent
SECONDS = 30.0


class Gateway:
    """A gateway in a process group of its own, and what it has told."""

    def __init__(self, mode: str) -> None:
        path = json.dumps([str(HERE), *sys.path])
        self.process = subprocess.Popen(
            [sys.executable, str(HERE / "gateway.py"), mode],
            env={**os.environ, "LAUNCH_PATH": path},
            stdout=subprocess.PIPE,
            process_group=0,
        )
        assert self.process.stdout is not None
        assert select.select([self.process.stdout], [], [], SECONDS)[0]
        self.told: Any = json.loads(self.process.stdout.readline())

    @property
    def descendants(self) -> list[int]:
        """The pids of the zygotes and all that they started."""
        return [*self.told["zygotes"], *self.told["pids"]]

    def end(self) -> None:
        """Kill it, and what it forked to outlive it."""
        self.process.kill()
        if isinstance(self.told, dict) and "fork" in self.told:
            os.kill(self.told["fork"], signal.SIGKILL)
        self.process.wait(SECONDS)
        assert self.process.stdout is not None
        self.process.stdout.close()


@pytest.fixture
def gateway() -> Iterator[Callable[[str], Gateway]]:
    """Give a function that starts a gateway in a mode."""
    started: list[Gateway] = []

    def start(mode: str) -> Gateway:
        started.append(Gateway(mode))
        return started[-1]

    yield start
    for each in started:
        each.end()


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_gateway_when_a_signal_ends_it(
    gateway: Callable[[str], Gateway],
    all_gone: AllGone,
    number: int,
    signals_that_end: None,
) -> None:
    one = gateway("live")
    assert len(one.descendants) == 7
    one.process.send_signal(number)
    all_gone(one.descendants)


def test_gateway_when_its_group_is_killed(
    gateway: Callable[[str], Gateway], all_gone: AllGone
) -> None:
    one = gateway("live")
    os.killpg(one.process.pid, signal.SIGKILL)
    all_gone(one.descendants)


def test_gateway_when_it_ends_without_closing(
    gateway: Callable[[str], Gateway], all_gone: AllGone
) -> None:
    one = gateway("exit_early")
    assert one.process.wait(SECONDS) == 0
    all_gone(one.descendants)


@pytest.mark.parametrize("mode", ["live_forked", "use_subprocess"])
def test_gateway_when_a_child_of_its_own_outlives_it(
    gateway: Callable[[str], Gateway], all_gone: AllGone, mode: str
) -> None:
    one = gateway(mode)
    one.process.kill()
    all_gone(one.descendants)
    assert Path(f"/proc/{one.told['fork']}").exists()


def test_gateway_when_it_becomes_another_program(
    gateway: Callable[[str], Gateway], all_gone: AllGone, until: Callable[..., None]
) -> None:
    one = gateway("exec_away")
    all_gone(one.told["pids"])
    (zygote,) = one.told["zygotes"]  # which ends, but this program does not reap it
    until(lambda: Path(f"/proc/{zygote}/stat").read_text(encoding="utf-8").split()[2] == "Z")
    assert one.process.poll() is None


def test_gateway_when_the_children_die_with_a_stopped_zygote(
    gateway: Callable[[str], Gateway], all_gone: AllGone
) -> None:
    one = gateway("live")
    (zygote,) = one.told["zygotes"]
    os.kill(zygote, signal.SIGSTOP)
    one.process.kill()
    os.kill(zygote, signal.SIGCONT)
    all_gone(one.descendants)


def test_zygote_when_killed_while_the_gateway_is_stopped(
    gateway: Callable[[str], Gateway], all_gone: AllGone
) -> None:
    one = gateway("live")
    one.process.send_signal(signal.SIGSTOP)
    os.kill(one.told["zygotes"][0], signal.SIGKILL)
    all_gone(one.told["processes"])
    one.process.send_signal(signal.SIGCONT)
    all_gone(one.descendants)


def test_zygote_when_killed(host: Host, all_gone: AllGone) -> None:
    parent, other = host.start("have_descendants"), host.start("ignore_termination")
    told = [parent.hears(), other.hears()]
    (zygote,) = [each.pid for each in host.launcher._all()]
    os.kill(zygote, signal.SIGKILL)
    for node, heard in zip((parent, other), told, strict=True):
        exit_ = host.exit_of(node)
        assert (exit_.pid, exit_.signal, exit_.status) == (heard["pid"], signal.SIGKILL, None)
        assert exit_.error == f"its zygote (pid {zygote}) died of signal 9; it was killed with it"
    all_gone([zygote, *told[0]["left"], told[0]["pid"], told[1]["pid"]])
    assert host.exit_of(host.start("return_status", b"4")).status == 4


def test_zygote_when_killed_just_before_a_spawn(host: Host) -> None:
    for _ in range(3):
        host.start("wait").hears()
        for each in host.launcher._all():
            os.kill(each.pid, signal.SIGKILL)
        assert host.exit_of(host.start("return_status", b"4")).node > 0


def test_zygote_when_other_signals_reach_it(host: Host) -> None:
    node = host.start("return_status")
    host.exit_of(node)
    (zygote,) = [each.pid for each in host.launcher._all()]
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGUSR1):
        os.kill(zygote, number)
    assert host.exit_of(host.start("return_status", b"4")).status == 4
    assert [each.pid for each in host.launcher._all()] == [zygote]


def test_zygote_when_the_program_reaps_every_child(gateway: Callable[[str], Gateway]) -> None:
    heard, number, error, again = gateway("collect_children").told
    assert number == signal.SIGKILL
    assert error.endswith("it was killed with it")
    assert again not in {heard["pid"], *heard["left"]}


def test_zygote_when_no_descriptor_is_free(gateway: Callable[[str], Gateway]) -> None:
    heard, number, error, again = gateway("lack_descriptors").told
    assert number == signal.SIGKILL
    assert error.endswith("it was killed with it")
    assert again != heard["pid"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_close_when_the_gateway_may_not_signal(
    gateway: Callable[[str], Gateway], all_gone: AllGone
) -> None:
    heard, seconds = gateway("become_another_user").told
    assert seconds < 5
    all_gone([heard["pid"]])


def test_process_when_killed_with_descendants(host: Host, all_gone: AllGone) -> None:
    node, other = host.start("have_descendants"), host.start("have_descendants")
    heard, others = node.hears(), other.hears()
    host.launcher.kill(node.number, signal.SIGKILL)
    assert host.exit_of(node).signal == signal.SIGKILL
    all_gone(heard["left"])
    assert all(Path(f"/proc/{pid}").exists() for pid in others["left"])


def test_process_when_it_lives_and_its_daemons_too(host: Host) -> None:
    heard = host.start("start_daemon_and_wait").hears()
    host.exit_of(host.start("return_status"))
    host.exit_of(host.start("return_status"))
    assert all(Path(f"/proc/{pid}").exists() for pid in heard["left"])


def test_close_when_descendants_are_left(host: Host, all_gone: AllGone) -> None:
    heard = [host.start("have_descendants").hears() for _ in range(2)]
    host.launcher.close(SECONDS)
    left = [pid for each in heard for pid in [each["pid"], *each["left"]]]
    assert [pid for pid in left if Path(f"/proc/{pid}").exists()] == []


def test_close_when_descendants_cannot_be_marked(host: Host, all_gone: AllGone) -> None:
    heard = host.start("unmark_descendants").hears()
    host.launcher.close(SECONDS)
    assert [pid for pid in heard["left"] if Path(f"/proc/{pid}").exists()] == []


def test_fork_when_the_limit_of_processes_is_reached(new_host: Callable[..., Host]) -> None:
    host = new_host(preload=["forkless_module"])
    for node in [host.start("wait") for _ in range(3)]:
        told = host.exit_of(node)
        assert (told.pid, told.status, told.signal) == (0, None, None)
        assert "no process was started: fork: Resource temporarily unavailable" in told.error


def test_launcher_when_used_in_a_fork_of_the_gateway(host: Host) -> None:
    node = host.start("wait")
    node.hears()
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            host.start("wait")
        except RuntimeError as error:
            status = 0 if "a fork of the gateway" in str(error) else 2
        host.launcher.close(0)
        os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    host.launcher.kill(node.number, signal.SIGKILL)
    assert host.exit_of(node).signal == signal.SIGKILL
