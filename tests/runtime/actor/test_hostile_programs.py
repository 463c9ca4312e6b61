"""Programs that are started badly, and processes that die while they write."""

import os
import signal
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from runtime import actor as ra
from runtime.actor import Actor, endpoint
from tests.runtime.field.scripts import Script

SECONDS = 30.0
LARGE = 64 << 20
_PROGRAM = """
import os, resource, sys
{before}
from runtime.actor import Actor, endpoint, this_host

class Echo(Actor):
    @endpoint
    def echo(self, value):
        return value

with this_host().spawn_procs() as procs:
    print("heard", procs.spawn("echo", Echo).echo.call_one(7).get(30), flush=True)
"""


class Dying(Actor):
    """Dies while its reply is written."""

    @endpoint
    def reply(self, seconds: float) -> bytes:
        """Return much, and die that much later."""
        threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGKILL)).start()
        return bytes(LARGE)


class Known(Actor):
    """Tells its processes."""

    @endpoint
    def pids(self) -> tuple[int, int]:
        """Return the process and its parent."""
        return os.getpid(), os.getppid()


@pytest.fixture
def started() -> Iterator[Callable[..., Script]]:
    """Return a function that starts a program with these first lines."""
    scripts: list[Script] = []

    def start(before: str, after: str = "", **env: str) -> Script:
        scripts.append(Script(_PROGRAM.format(before=before) + after, env=env))
        return scripts[-1]

    yield start
    for script in scripts:
        script.close()


@pytest.mark.parametrize(
    "before",
    [
        "resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))",
        "os.close(2)",
        "os.close(0)",
        "os.close(0); os.close(2)",
    ],
)
def test_program_when_it_has_few_descriptors(started: Callable[..., Script], before: str) -> None:
    script = started(before)
    assert script.finish(SECONDS) == 0
    assert script.out == "heard 7\n"


_MANY = """
from runtime import actor
actor.unhandled_fault_hook = lambda failure: None
try:
    procs = this_host().spawn_procs({"r": 64})
    procs.initialized.get(30)
except Exception as error:
    print("refused", repr(str(error)), flush=True)
procs.stop().get(30)
"""


def test_mesh_when_there_are_not_descriptors_enough(started: Callable[..., Script]) -> None:
    script = started("resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))", after=_MANY)
    assert script.finish(SECONDS) == 0
    heard, refused = script.out.splitlines()
    assert heard == "heard 7"
    assert "no process was started" in refused
    assert "Too many open files" in refused


def test_program_when_warnings_are_errors(started: Callable[..., Script]) -> None:
    script = started("", PYTHONWARNINGS="error", PYTHONDEVMODE="1")
    assert script.finish(SECONDS) == 0
    assert script.out == "heard 7\n"


def test_reply_when_its_sender_dies_while_it_writes(failures: list[ra.MeshFailure]) -> None:
    for step in range(6):
        procs = ra.this_host().spawn_procs()
        dying: Any = procs.spawn("dying", Dying)
        dying.initialized.get(SECONDS)
        future = dying.reply.call_one(0.01 * step)
        try:
            assert len(future.get(SECONDS)) == LARGE
        except ra.SupervisionError as error:
            assert error.failure.signal == signal.SIGKILL  # noqa: PT017 - it may come or not
        procs.stop().get(SECONDS)


def test_death_when_the_zygote_is_stopped(failures: list[ra.MeshFailure]) -> None:
    procs = ra.this_host().spawn_procs()
    known: Any = procs.spawn("known", Known)
    pid, zygote = known.pids.call_one().get(SECONDS)
    os.kill(zygote, signal.SIGSTOP)
    try:
        os.kill(pid, signal.SIGKILL)
        with pytest.raises(ra.SupervisionError, match="closed its connection"):
            known.pids.call_one().get(SECONDS)
    finally:
        os.kill(zygote, signal.SIGCONT)
    procs.stop().get(SECONDS)
    assert len(failures) == 1
