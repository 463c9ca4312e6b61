"""Programs that last: what ends in them leaves nothing behind, however often it happens."""

import asyncio
import contextlib
import gc
import os
import time
import traceback
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from runtime import actor as ra
from runtime.actor import Actor, endpoint
from runtime.actor.latch import Latch
from runtime.actor.local import local
from tests.runtime.actor.host_processes import TRUST, HostProcess

SECONDS = 30.0
TIMES = 15
# Each process is asked at times whether its Python answers: one call is kept of each.
_ASKED = {"calls": 4}


class Member(Actor):
    """Answers."""

    @endpoint
    def pid(self) -> int:
        """Return its process."""
        return os.getpid()

    @endpoint
    def kept(self) -> dict[str, int]:
        """Return what its process keeps."""
        return _kept()


def _kept() -> dict[str, int]:
    gc.collect()
    return local().node.holdings()


def _grown(before: dict[str, int], now: dict[str, int]) -> dict[str, int]:
    more = {name: now[name] - count for name, count in before.items()}
    return {name: count for name, count in more.items() if count > _ASKED.get(name, 0)}


def _comes_to(expected: dict[str, int], now: Callable[[], dict[str, int]]) -> dict[str, int]:
    """Return what a count is; what others still have to learn of it takes a moment."""
    end = time.monotonic() + SECONDS
    while (found := now()) != expected and time.monotonic() < end:
        time.sleep(0.01)
    return found


def _descriptors(pid: int) -> int:
    return len(list(Path(f"/proc/{pid}/fd").iterdir()))


def test_client_and_host_when_hosts_come_and_go(
    start: Callable[..., HostProcess], tmp_path: Path, quiet: None
) -> None:
    host = start(f"ipc://{tmp_path}/host")

    def attach_and_let_go() -> int:
        mesh = ra.attach_to_workers(ca=TRUST, workers=[host.address])
        procs = mesh.spawn_procs({"r": 1})
        procs.spawn("member", Member).pid.call_one().get(SECONDS)
        open_there = _descriptors(host.pid)
        mesh.stop().get(SECONDS)
        return open_there

    attach_and_let_go()
    there = attach_and_let_go()
    before, here = _kept(), _descriptors(os.getpid())
    for _ in range(TIMES):
        last = attach_and_let_go()
    assert last <= there
    expected = {"ended": 2 * TIMES}  # a host and a process each time
    assert _comes_to(expected, lambda: _grown(before, _kept())) == expected
    assert _descriptors(os.getpid()) <= here


def test_siblings_when_processes_come_and_go(quiet: None) -> None:
    stays = ra.this_host().spawn_procs().spawn("stays", Member)

    def live_and_end() -> None:
        procs = ra.this_host().spawn_procs({"r": 1})
        procs.spawn("member", Member).pid.call_one().get(SECONDS)
        procs.stop().get(SECONDS)

    live_and_end()
    kept: Any = stays.kept
    there, before = kept.call_one().get(SECONDS), _kept()
    for _ in range(TIMES):
        live_and_end()
    expected = {"ended": TIMES}
    assert _comes_to(expected, lambda: _grown(before, _kept())) == expected
    assert _comes_to(expected, lambda: _grown(there, kept.call_one().get(SECONDS))) == expected


def test_process_when_actors_come_and_go(quiet: None) -> None:
    procs = ra.this_host().spawn_procs()
    stays = procs.spawn("stays", Member)

    def live_and_end() -> None:
        actor = procs.spawn("member", Member)
        actor.pid.call_one().get(SECONDS)
        actor.stop().get(SECONDS)

    live_and_end()
    kept: Any = stays.kept
    there, before = kept.call_one().get(SECONDS), _kept()
    for _ in range(TIMES):
        live_and_end()
    expected: dict[str, int] = {}
    assert _comes_to(expected, lambda: _grown(before, _kept())) == expected
    expected = {"ended_actors": TIMES}
    assert _comes_to(expected, lambda: _grown(there, kept.call_one().get(SECONDS))) == expected


@pytest.fixture
def no_collector() -> Iterator[None]:
    """Leave it to references alone what lives on."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def _failed_future() -> ra.Future[None]:
    latch = Latch()
    latch.open(ValueError("it fell"))
    return latch.future()


def test_mesh_when_its_endpoints_were_used_ends_with_its_last_reference(
    procs: ra.ProcMesh, no_collector: None
) -> None:
    mesh = procs.spawn("member", Member)
    mesh.pid.call().get(SECONDS)
    endpoint_of_it = mesh.pid
    mesh.stop().get(SECONDS)
    alive = weakref.ref(mesh)
    del mesh
    assert alive() is None
    assert repr(endpoint_of_it).startswith("Endpoint(ActorMesh(member: Member,")


def test_future_when_its_error_was_raised_ends_with_its_last_reference(no_collector: None) -> None:
    made: list[weakref.ref[ra.Future[None]]] = []

    def future() -> ra.Future[None]:
        one = _failed_future()
        made.append(weakref.ref(one))
        return one

    async def wait() -> None:
        await future()

    looks: list[Callable[[], object]] = [
        lambda: future().get(SECONDS),
        lambda: asyncio.run(wait()),
        lambda: future().exception(SECONDS),
    ]
    for look in looks:
        with contextlib.suppress(ValueError):
            look()
    assert [each() for each in made] == [None] * 3


def test_traceback_when_an_error_is_raised_again_is_as_long_as_before() -> None:
    future = _failed_future()

    def depth() -> int:
        with pytest.raises(ValueError, match=r"^it fell$") as caught:
            future.get(SECONDS)
        return len(traceback.extract_tb(caught.value.__traceback__))

    first = depth()
    assert [depth() for _ in range(5)] == [first] * 5
