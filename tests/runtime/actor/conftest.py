"""What tests of actors share: processes, programs, and failures that reached the client."""

import contextlib
import queue
from collections.abc import Callable, Iterator

import pytest

from runtime import actor as ra
from tests.runtime.actor.host_processes import HostProcess
from tests.runtime.field.scripts import Script

SECONDS = 30.0  # more than any wait takes on a busy machine


@pytest.fixture
def failures() -> Iterator[list[ra.MeshFailure]]:
    """Take the failures that reach the client, which would else end the suite."""
    seen: list[ra.MeshFailure] = []
    before = ra.unhandled_fault_hook
    ra.unhandled_fault_hook = seen.append
    yield seen
    ra.unhandled_fault_hook = before


@pytest.fixture
def procs(failures: list[ra.MeshFailure]) -> Iterator[ra.ProcMesh]:
    """Give three processes; a test that expects failures looks at `failures`."""
    mesh = ra.this_host().spawn_procs({"r": 3})
    yield mesh
    mesh.stop().get(SECONDS)


@pytest.fixture
def quiet(failures: list[ra.MeshFailure]) -> Iterator[None]:
    """Fail a test after which a failure has reached the client."""
    yield
    assert failures == []


@pytest.fixture
def program(signals_that_end: None) -> Iterator[Callable[[str], Script]]:
    """Return a function that starts a program; all of them are ended after the test."""
    started: list[Script] = []

    def start(source: str) -> Script:
        started.append(Script(source))
        return started[-1]

    yield start
    for one in started:
        one.close()


@pytest.fixture
def start() -> Iterator[Callable[..., HostProcess]]:
    """Return a function that starts a host; all are ended after the test."""
    with contextlib.ExitStack() as stack:

        def begin(address: str, **options: object) -> HostProcess:
            host = HostProcess(address, **options)  # type: ignore[arg-type]
            stack.callback(host.close)
            return host

        yield begin


@pytest.fixture
def seen() -> Iterator[queue.Queue[ra.MeshFailure]]:
    """Give the failures that reach the client as they come."""
    news: queue.Queue[ra.MeshFailure] = queue.Queue()
    before = ra.unhandled_fault_hook
    ra.unhandled_fault_hook = news.put
    yield news
    ra.unhandled_fault_hook = before
