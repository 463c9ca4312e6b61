"""Restart policies on real processes: references stay valid, and budgets end."""

import os
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from runtime import actor as ra
from runtime.actor import Actor, RestartPolicy, SupervisionError, endpoint

SECONDS = 30.0
SOON: dict[str, Any] = {"backoff_base": 0.01, "jitter": 0.0, "max_seconds": 60.0}


class Counter(Actor):
    """Counts in memory: a new life begins at 1."""

    def __init__(self) -> None:
        self.count = 0
        self.born_at = dict(ra.current_rank()), ra.current_size()

    @endpoint
    def place_of_birth(self) -> tuple[dict[str, int], dict[str, int]]:
        """Return what the constructor saw."""
        return self.born_at

    @endpoint
    def bump(self) -> tuple[int, int]:
        """Return the count and the process."""
        self.count += 1
        return self.count, os.getpid()

    @endpoint
    def leave(self) -> None:
        """End the process."""
        os._exit(3)

    @endpoint
    def fail(self) -> None:
        """Fail the actor: there is nobody to tell."""
        raise ValueError("planned")


@pytest.fixture
def spawn(failures: list[ra.MeshFailure]) -> Iterator[Callable[[int, RestartPolicy], Any]]:
    meshes: list[ra.ProcMesh] = []

    def make(count: int, policy: RestartPolicy) -> Any:  # noqa: ANN401 - endpoints
        meshes.append(ra.this_host().spawn_procs({"r": count}, restart=policy))
        return meshes[-1].spawn("counter", Counter)

    yield make
    for mesh in meshes:
        mesh.stop().get(SECONDS)


def new_life(one: Any, before: int | None = None) -> tuple[int, int]:  # noqa: ANN401
    """Call until a life answers that has counted nothing yet, in another process than before."""
    end = time.monotonic() + SECONDS
    last: object = None
    while time.monotonic() < end:
        try:
            last = count, pid = one.bump.call_one().get(SECONDS)
        except SupervisionError as error:
            last = error
            time.sleep(0.005)
            continue
        if count == 1 and pid != before:
            return count, pid
    pytest.fail(f"the actor that was in process {before} has not come back; at last: {last}")


def test_reference_when_its_process_is_restarted(
    spawn: Callable[[int, RestartPolicy], Any], failures: list[ra.MeshFailure]
) -> None:
    counters = spawn(2, RestartPolicy(**SOON))
    first = counters.bump.call().get(SECONDS)
    one = counters.slice(r=1)
    one.leave.broadcast()
    _, pid = new_life(one, before=first.item(r=1)[1])
    assert counters.slice(r=0).bump.call_one().get(SECONDS) == (2, first.item(r=0)[1])
    assert pid not in {first.item(r=0)[1], first.item(r=1)[1]}
    assert one.place_of_birth.call_one().get(SECONDS) == ({"r": 1}, {"r": 2})
    assert failures == []


def test_actor_when_it_alone_fails(
    spawn: Callable[[int, RestartPolicy], Any], failures: list[ra.MeshFailure]
) -> None:
    counters = spawn(1, RestartPolicy(**SOON))
    _, pid = counters.bump.call_one().get(SECONDS)
    counters.fail.broadcast()
    assert new_life(counters) == (1, pid)
    assert failures == []


def test_owner_when_the_budget_is_used_up(
    spawn: Callable[[int, RestartPolicy], Any], failures: list[ra.MeshFailure]
) -> None:
    counters = spawn(1, RestartPolicy(max_restarts=1, **SOON))
    _, pid = counters.bump.call_one().get(SECONDS)
    counters.leave.broadcast()
    new_life(counters, before=pid)
    counters.leave.broadcast()
    end = time.monotonic() + SECONDS
    while not failures and time.monotonic() < end:
        time.sleep(0.005)
    assert [each.status for each in failures] == [3]
    assert "restarted 1 times within 60 s already" in failures[0].cause
    with pytest.raises(SupervisionError):
        counters.bump.call_one().get(SECONDS)


def test_group_when_one_of_all_dies(
    spawn: Callable[[int, RestartPolicy], Any], failures: list[ra.MeshFailure]
) -> None:
    counters = spawn(2, RestartPolicy(strategy="one_for_all", **SOON))
    first = counters.bump.call().get(SECONDS)
    counters.slice(r=1).leave.broadcast()
    for rank in (0, 1):
        new_life(counters.slice(r=rank), before=first.item(r=rank)[1])
    assert failures == []


class SlowToEnd(Counter):
    """Keeps its process longer than the other actors in it."""

    def __cleanup__(self, error: Exception | None) -> None:
        time.sleep(0.5)


def test_actor_that_has_ended_when_its_process_ends_later_for_a_restart(
    failures: list[ra.MeshFailure],
) -> None:
    """It is not started in the process that ends."""
    policy = RestartPolicy(strategy="one_for_all", **SOON)
    procs = ra.this_host().spawn_procs({"r": 2}, restart=policy)
    slow, counters = procs.spawn("slow", SlowToEnd), procs.spawn("counter", Counter)
    slow.bump.call().get(SECONDS)
    first = counters.bump.call().get(SECONDS)
    counters.slice(r=1).leave.broadcast()
    for rank in (0, 1):
        new_life(counters.slice(r=rank), before=first.item(r=rank)[1])
    assert failures == []
    procs.stop().get(SECONDS)


def test_actor_when_its_process_is_restarted_for_the_sake_of_another(
    failures: list[ra.MeshFailure],
) -> None:
    """Its own group has lost nothing by itself."""
    policy = RestartPolicy(strategy="one_for_all", **SOON)
    procs = ra.this_host().spawn_procs({"r": 2}, restart=policy)
    alone = procs.slice(r=0).spawn("alone", Counter)
    leaving = procs.slice(r=1).spawn("leaving", Counter)
    _, before = alone.bump.call_one().get(SECONDS)
    leaving.leave.broadcast()
    new_life(leaving)
    new_life(alone, before=before)
    assert failures == []
    procs.stop().get(SECONDS)


@pytest.mark.parametrize("ended", ["failed", "stopped", "without a policy"])
def test_actor_that_has_ended_when_its_process_is_restarted(
    ended: str, failures: list[ra.MeshFailure]
) -> None:
    """Whoever calls it is told, and does not wait for an actor that nobody starts."""
    policy = RestartPolicy(**SOON)
    procs = ra.this_host().spawn_procs({"r": 1}, restart=policy)
    other = procs.spawn("other", Counter)
    gone = procs.restarting(None).spawn("gone", Counter)
    _, before = gone.bump.call_one().get(SECONDS)
    if ended == "failed":
        gone.fail.broadcast()
        assert gone.bump.call_one().exception(SECONDS) is not None
    if ended == "stopped":
        gone.stop().get(SECONDS)
    other.leave.broadcast()
    new_life(other, before=before)
    with pytest.raises(SupervisionError):
        gone.bump.call_one().get(SECONDS)
    assert other.bump.call_one().get(SECONDS)[0] > 1
    procs.stop().get(SECONDS)


@pytest.mark.parametrize(
    "given", [3, True, False, "one_for_one", RestartPolicy, {"max_restarts": 3}]
)
def test_what_is_no_policy_when_it_is_given(given: Any, failures: list[ra.MeshFailure]) -> None:  # noqa: ANN401
    with pytest.raises(TypeError, match=r"is no restart policy; give RestartPolicy\("):
        ra.this_host().spawn_procs({"r": 1}, restart=given)
    procs = ra.this_host().spawn_procs({"r": 1})
    with pytest.raises(TypeError, match=r"is no restart policy; give RestartPolicy\("):
        procs.restarting(given)
    assert procs.restarting(None).sizes == {"r": 1}
    procs.stop().get(SECONDS)
