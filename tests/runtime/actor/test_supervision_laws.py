"""The supervisor's invariants against random histories of a simulated owner and its children."""

from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    precondition,
    rule,
    run_state_machine_as_test,
)

from runtime.actor.errors import MeshFailure
from runtime.actor.supervision.events import (
    Action,
    AskOwner,
    ChildFailed,
    ChildStarted,
    Event,
    FailOwner,
    Handled,
    Life,
    OwnerFailed,
    OwnerStopRequested,
    Restart,
    Settled,
    Spawned,
    StopChildren,
    StopOwner,
    Stopped,
    StopRequested,
    Tick,
)
from runtime.actor.supervision.restarts import STRATEGIES, RestartPolicy
from runtime.actor.supervision.root_causes import origins
from runtime.actor.supervision.supervisor import Supervisor

POLICIES: st.SearchStrategy[RestartPolicy | None] = st.none() | st.builds(
    RestartPolicy,
    strategy=st.sampled_from(STRATEGIES),
    max_restarts=st.integers(0, 3),
    max_seconds=st.sampled_from([2.0, 8.0]),
    backoff_base=st.just(0.25),
    jitter=st.just(0.0),
)


@dataclass
class Member:
    """A child as the simulated owner sees it; `running` is the life that has a process."""

    name: str
    group: str
    policy: RestartPolicy | None
    number: int = 0
    running: bool = True
    stopping: bool = False
    leaving: bool = False  # the owner wanted it stopped
    host: str = ""  # the member that it lives in
    restarts: list[float] = field(default_factory=list)

    @property
    def life(self) -> Life:
        return Life(self.name, self.number)


class Owner(RuleBasedStateMachine):
    """Carries out what the supervisor decides, at random times, and checks every decision."""

    def __init__(self) -> None:
        super().__init__()
        self.supervisor = Supervisor()
        self.now = 0.0
        self.members: dict[str, Member] = {}  # in the order of their start
        self.group_restarts: dict[str, list[float]] = {}
        self.failures: dict[str, MeshFailure] = {}
        self.governed: set[str] = set()  # failures that a policy has
        self.asked: dict[str, MeshFailure] = {}
        self.question: MeshFailure | None = None
        self.settled: dict[str, str] = {}
        self.down = False
        self.end: Action | None = None

    # What happens.

    def tell(self, event: Event) -> None:
        for action in self.supervisor.handle(event, self.now):
            getattr(self, f"do_{type(action).__name__}")(action)
        self.check()

    def running(self, **wanted: object) -> list[Member]:
        found = [each for each in self.members.values() if each.running]
        return [e for e in found if all(getattr(e, k) == v for k, v in wanted.items())]

    @initialize(size=st.integers(2, 4), policy=POLICIES)
    def begin(self, size: int, policy: RestartPolicy | None) -> None:
        self.add([""] * size, policy)

    @rule(size=st.integers(1, 4), policy=POLICIES)
    def spawn(self, size: int, policy: RestartPolicy | None) -> None:
        self.add([""] * size, policy)

    @precondition(lambda self: self.running(host=""))
    @rule(data=st.data(), policy=POLICIES)
    def spawn_within(self, data: st.DataObject, policy: RestartPolicy | None) -> None:
        """Let children live in others, which may be about to end."""
        hosts = st.lists(st.sampled_from(self.running(host="")), min_size=1, max_size=3)
        self.add([each.name for each in data.draw(hosts)], policy)

    def within(self, hosts: list[Member]) -> list[Member]:
        """Return members with what lives in them."""
        names = {each.name for each in hosts}
        return hosts + [each for each in self.running() if each.host in names]

    def add(self, hosts: list[str], policy: RestartPolicy | None) -> None:
        group = f"g{len(self.group_restarts)}"
        self.group_restarts[group] = []
        names = tuple(f"{group}/{i}" for i in range(len(hosts)))
        self.members |= {
            name: Member(name, group, policy, host=host)
            for name, host in zip(names, hosts, strict=True)
        }
        self.tell(Spawned(group, names, policy, tuple(hosts)))

    @precondition(lambda self: self.running())
    @rule(data=st.data())
    def start(self, data: st.DataObject) -> None:
        self.tell(ChildStarted(data.draw(st.sampled_from(self.running())).life))

    @precondition(lambda self: self.running())
    @rule(data=st.data(), count=st.integers(1, 3), chained=st.booleans())
    def fail(self, data: st.DataObject, count: int, chained: bool) -> None:  # noqa: FBT001
        """Let some children die of one death, which may follow from another."""
        dead = data.draw(
            st.lists(st.sampled_from(self.running()), max_size=count, min_size=1, unique_by=id)
        )
        dead = list({each.name: each for each in self.within(dead)}.values())
        origin = None
        if chained and self.failures:
            origin = data.draw(st.sampled_from(list(self.failures.values())))
        failure = MeshFailure(f"f{len(self.failures)}", "exit", "exit status 1", origin=origin)
        counts = [each for each in dead if not each.stopping]
        if counts:
            self.failures[failure.event_id] = failure
        if any(each.policy is not None for each in counts):
            self.governed.add(failure.event_id)
        for each in dead:
            each.running = each.stopping = False
        self.tell(ChildFailed(tuple(each.life for each in dead), failure))

    @precondition(lambda self: bool(self.members) and bool(self.failures))
    @rule(data=st.data(), old=st.booleans())
    def tell_again(self, data: st.DataObject, old: bool) -> None:  # noqa: FBT001
        """SV-6: tell once more of a child that is dead, or of a life that it no longer has."""
        member = data.draw(st.sampled_from(list(self.members.values())))
        number = member.number - 1 if old else member.number
        if number < 0 or (not old and member.running):
            return
        failure = MeshFailure(f"late{self.now}", "heartbeat", "silent")
        known = data.draw(st.sampled_from([failure, *self.failures.values()]))
        for event in (
            ChildFailed((Life(member.name, number),), known),
            Stopped((Life(member.name, number),)),
            ChildStarted(Life(member.name, number)),
        ):
            assert self.supervisor.handle(event, self.now) == ()

    @precondition(lambda self: self.running(stopping=True))
    @rule(data=st.data())
    def end_of_a_stop(self, data: st.DataObject) -> None:
        member = data.draw(st.sampled_from(self.running(stopping=True)))
        self.finish(member)

    def finish(self, member: Member) -> None:
        ended = self.within([member])
        for each in ended:
            each.running = each.stopping = False
        self.tell(Stopped(tuple(each.life for each in ended)))
        if self.down or not self.supervisor.knows(member.name):
            return
        for guest in ended[1:]:  # it comes back, and they with it
            if guest.policy is not None and not guest.leaving and self.may_restart(guest):
                assert self.supervisor.knows(guest.name), "SV-11"

    def may_restart(self, member: Member) -> bool:
        """Tell whether the budget of a member was never used up."""
        assert member.policy is not None
        group = [each for each in self.members.values() if each.group == member.group]
        times = [*self.group_restarts[member.group], *(t for each in group for t in each.restarts)]
        return len(times) < member.policy.max_restarts

    @precondition(lambda self: self.members)
    @rule(data=st.data())
    def want_stopped(self, data: st.DataObject) -> None:
        chosen = data.draw(st.lists(st.sampled_from(list(self.members)), min_size=1, max_size=3))
        for name in chosen:
            self.members[name].leaving = True
        self.tell(StopRequested(tuple(chosen)))

    @precondition(lambda self: self.question)
    @rule(answer=st.sampled_from([True, True, True, False, "raises"]))
    def answer(self, answer: Any) -> None:  # noqa: ANN401
        assert self.question is not None
        verdict: bool | MeshFailure = answer
        if answer == "raises":
            verdict = MeshFailure(f"owner{self.now}", "exception", "raised in __supervise__")
        self.down = self.down or answer is not True
        question, self.question = self.question, None
        self.tell(Handled(question.event_id, verdict))
        if answer == "raises" and isinstance(self.end, FailOwner):
            assert question.event_id in origins(self.end.failure)

    @rule(seconds=st.sampled_from([0.25, 0.5, 1.0, 3.0, 20.0]))
    def wait(self, seconds: float) -> None:
        self.now += seconds
        self.tell(Tick())

    @precondition(lambda self: len(self.failures) > 3)
    @rule(really=st.integers(0, 9), fails=st.booleans())
    def end_owner(self, really: int, fails: bool) -> None:  # noqa: FBT001
        if really == 0:
            self.down, self.question = True, None
            own = MeshFailure(f"own{self.now}", "exception", "raised in an endpoint")
            self.tell(OwnerFailed(own) if fails else OwnerStopRequested())

    # What is decided.

    def do_AskOwner(self, action: AskOwner) -> None:  # noqa: N802
        event_id = action.failure.event_id
        assert not self.down
        assert self.question is None
        assert event_id not in self.asked, "SV-1"
        assert event_id in self.failures
        waiting = self.failures.keys() - self.asked.keys() - self.settled.keys() - self.governed
        assert not origins(action.failure) & waiting, "SV-3"
        self.asked[event_id] = self.question = action.failure

    def do_StopChildren(self, action: StopChildren) -> None:  # noqa: N802
        names = [life.child for life in action.lives]
        assert names == [name for name in reversed(self.members) if name in names], "SV-4"
        for life in action.lives:
            member = self.members[life.child]
            assert member.running
            assert (member.life, member.stopping) == (life, False)
            member.stopping = True

    def do_Restart(self, action: Restart) -> None:  # noqa: N802
        names = [life.child for life in action.lives]
        assert names == [name for name in self.members if name in names]
        assert not self.down, "SV-9"
        first = self.members[names[0]]
        policy = first.policy
        assert policy is not None
        together = [each for each in self.members.values() if each.group == first.group]
        self.check_order(policy, together, names)
        for life in action.lives:
            member = self.members[life.child]
            assert not member.running
            assert not member.leaving
            host = self.members.get(member.host)
            if host is not None and self.supervisor.knows(host.name):
                assert host.running, "SV-11"
                assert not host.stopping, "SV-11"
            assert life.number == member.number + 1
            member.number, member.running = life.number, True
        if policy.strategy == "one_for_one":
            for name in names:
                self.count(policy, self.members[name].restarts)
        elif policy.strategy == "one_for_all":
            self.count(policy, self.group_restarts[first.group])
        else:  # each of them starts alone, so at most as often as the group
            self.count(policy, first.restarts)

    def check_order(self, policy: RestartPolicy, group: list[Member], names: list[str]) -> None:
        """SV-8: nothing that had to stop is still there."""
        there = [each.name for each in group if each.running and not each.leaving]
        if policy.strategy == "one_for_one":
            assert len(names) == 1
        elif policy.strategy == "one_for_all":
            assert there == []
        else:
            assert len(names) == 1
            order = [each.name for each in group]
            assert all(order.index(name) < order.index(names[0]) for name in there)

    def count(self, policy: RestartPolicy, times: list[float]) -> None:
        """SV-7: no more in a window than the policy allows."""
        times.append(self.now)
        assert sum(self.now - time < policy.max_seconds for time in times) <= policy.max_restarts

    def do_Settled(self, action: Settled) -> None:  # noqa: N802
        event_id = action.failure.event_id
        assert event_id in self.failures
        assert event_id not in self.settled, "SV-2"
        if action.outcome == "escalated":
            assert self.down
        if action.outcome == "handled":
            assert event_id in self.asked
        self.settled[event_id] = action.outcome

    def do_FailOwner(self, action: FailOwner) -> None:  # noqa: N802
        self.check_end(action)

    def do_StopOwner(self, action: StopOwner) -> None:  # noqa: N802
        self.check_end(action)

    def check_end(self, action: Action) -> None:
        assert self.end is None, "SV-4"
        assert self.down
        assert self.running() == [], "SV-4"
        assert self.settled.keys() == self.failures.keys(), "SV-2"
        self.end = action

    def check(self) -> None:
        assert self.supervisor.going_down == self.down
        for member in self.running(stopping=False):
            host = self.members.get(member.host)
            if member.policy is not None and host is not None:
                assert host.running or not self.supervisor.knows(host.name), "SV-11"
        if self.down:
            assert all(each.stopping for each in self.running())
            assert (self.end is not None) == (not self.running()) or self.end is not None

    def teardown(self) -> None:
        """SV-2: when everybody has done what was asked, no failure is left without an end."""
        for _ in range(1000):
            if self.question is not None:
                question, self.question = self.question, None
                self.tell(Handled(question.event_id, verdict=True))
            elif self.running(stopping=True):
                self.finish(self.running(stopping=True)[0])
            elif (due := self.supervisor.deadline()) is not None:
                self.now = max(self.now, due)
                self.tell(Tick())
            else:
                numbers = [each.number for each in self.members.values()]
                for member in self.running():
                    self.tell(ChildStarted(member.life))
                if numbers == [each.number for each in self.members.values()]:
                    break  # nothing that waited for a start was started
        assert self.settled.keys() == self.failures.keys()
        assert not self.down or self.end is not None


# Hypothesis explains a failure by tracing, which takes longer than the test may.
_QUICK = settings(
    max_examples=100,
    stateful_step_count=40,
    deadline=None,
    phases=(Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink),
)


def test_laws_when_histories_are_random() -> None:
    run_state_machine_as_test(Owner, settings=_QUICK)


@pytest.mark.soak
@pytest.mark.timeout(300)
def test_laws_when_there_are_many_histories() -> None:
    more = settings(_QUICK, max_examples=2000)
    run_state_machine_as_test(Owner, settings=more)
