"""Children whose lives follow a script, by a virtual clock: storms end, rare faults heal."""

import heapq
from collections.abc import Callable
from itertools import count, pairwise

import pytest

from runtime.actor.errors import MeshFailure
from runtime.actor.supervision.events import (
    AskOwner,
    ChildFailed,
    ChildStarted,
    Event,
    FailOwner,
    Handled,
    Life,
    Restart,
    Spawned,
    StopChildren,
    Stopped,
    Tick,
)
from runtime.actor.supervision.restarts import RestartPolicy
from runtime.actor.supervision.supervisor import Supervisor

POLICY = RestartPolicy(
    max_restarts=3, max_seconds=10.0, backoff_base=0.1, backoff_cap=1.0, jitter=0.0
)
#: How long the n-th life of a child lasts; None is for good.
Script = Callable[[str, int], float | None]


class Supervised:
    """One owner without a `__supervise__`, so that what reaches it fails it, and its children."""

    def __init__(self, children: int, script: Script, policy: RestartPolicy = POLICY) -> None:
        self.supervisor = Supervisor()
        self.script = script
        self.now = 0.0
        self.running: set[Life] = set()
        self.starts: dict[str, list[float]] = {}
        self.escalations = 0
        self.failed_owner: MeshFailure | None = None
        self.deaths: list[tuple[float, int, Life]] = []
        self.ids = count()
        names = tuple(f"child{i}" for i in range(children))
        self.tell(Spawned("mesh", names, policy))
        self.start(tuple(Life(name) for name in names))

    def start(self, lives: tuple[Life, ...]) -> None:
        for life in lives:
            self.running.add(life)
            self.starts.setdefault(life.child, []).append(self.now)
            lasts = self.script(life.child, life.number)
            if lasts is not None:
                heapq.heappush(self.deaths, (self.now + lasts, next(self.ids), life))
            self.tell(ChildStarted(life))

    def tell(self, event: Event) -> None:
        for action in self.supervisor.handle(event, self.now):
            match action:
                case Restart(lives):
                    self.start(lives)
                case StopChildren(lives):
                    self.running.difference_update(lives)
                    self.tell(Stopped(lives))
                case AskOwner(failure):
                    self.escalations += 1
                    self.tell(Handled(failure.event_id, verdict=False))
                case FailOwner(failure):
                    self.failed_owner = failure
                case _:
                    pass

    def run(self, until: float) -> "Supervised":
        while True:
            due = self.supervisor.deadline()
            dies = self.deaths[0][0] if self.deaths else until
            self.now = min(until, dies, until if due is None else due)
            if self.now == until:
                self.tell(Tick())
                return self
            if self.now == dies:
                _, number, life = heapq.heappop(self.deaths)
                if life in self.running:
                    self.running.remove(life)
                    failure = MeshFailure(f"f{number}", "exit", "exit status 1")
                    self.tell(ChildFailed((life,), failure))
            else:
                self.tell(Tick())


@pytest.mark.parametrize("healthy", [0.0, 0.2])
def test_storm_when_every_life_is_short(healthy: float) -> None:
    """SV-7: one start and three restarts, then the owner is told once."""
    one = Supervised(1, lambda _child, _number: healthy).run(until=15.0)
    starts = one.starts["child0"]
    pauses = [after - before - healthy for before, after in pairwise(starts)]
    assert pauses == pytest.approx([0.1, 0.2, 0.4])
    assert (one.escalations, one.running) == (1, set())
    assert one.failed_owner is not None
    assert one.failed_owner.cause == "exit status 1; restarted 3 times within 10 s already"


def test_storm_when_it_takes_the_owner_down() -> None:
    """SV-4: a healthy sibling is stopped with the owner."""
    script: Script = lambda child, _number: 0.1 if child == "child1" else None  # noqa: E731
    three = Supervised(3, script).run(until=15.0)
    assert (three.escalations, three.running) == (1, set())
    assert three.starts["child0"] == [0.0]
    assert len(three.starts["child1"]) == 4


def test_siblings_when_each_fails_once() -> None:
    """RB-3: in one_for_one nobody uses up the restarts of another."""
    five = Supervised(5, lambda _child, number: 0.1 if number == 0 else None).run(until=3.0)
    assert (len(five.running), five.escalations) == (5, 0)
    assert all(starts == pytest.approx([0.0, 0.2]) for starts in five.starts.values())


def test_siblings_when_they_share_a_budget() -> None:
    """RB-3: in one_for_all it is the group that is restarted three times and not a fourth."""
    policy = RestartPolicy("one_for_all", 3, 10.0, backoff_base=0.1, jitter=0.0)
    script: Script = lambda child, number: 0.1 if child == f"child{number}" else None  # noqa: E731
    five = Supervised(5, script, policy).run(until=15.0)
    assert (five.escalations, five.running) == (1, set())
    assert [len(starts) for starts in five.starts.values()] == [4] * 5


def test_failure_when_the_window_before_it_was_quiet() -> None:
    """RB-2, RB-4: the budget is fresh, and the pause is the first one."""
    script = [0.1, 0.1, 0.1, 11.0]
    one = Supervised(1, lambda _child, n: script[n] if n < len(script) else None).run(until=16.0)
    starts = one.starts["child0"]
    assert (len(starts), len(one.running), one.escalations) == (5, 1, 0)
    assert starts[4] - starts[3] == pytest.approx(11.1)
