"""The supervisor of one owner: events in, actions out, without input, output or a clock.

The invariants, which tests cite:

SV-1  A death is asked about once: at most one AskOwner per event_id, and one at a time.
SV-2  Every failure is settled exactly once: handled, restarted, escalated or withdrawn.
SV-3  Root causes come first: of the failures that wait, none is told before one that it follows.
SV-4  The owner ends once, and after its children: FailOwner or StopOwner comes when none is left,
      and children are stopped in the reverse order of their start.
SV-5  A child that is being stopped cannot fail: its death is its stop.
SV-6  Further evidence of a death, and evidence of an earlier life, changes nothing.
SV-7  Restarts keep to their budget (RB-1 to RB-4 of restarts.py); when it is used up, the owner
      is asked, once, and what depends on the child is stopped.
SV-8  Nothing of a group is started before all that has to stop for it has stopped. In rest_for_one
      children start one after another, and those before the failed one are left alone.
SV-9  An owner that goes down restarts nothing, and stops what is spawned nevertheless.
SV-10 Time does not go back.
SV-11 A child lives and ends with its host: it is not started while that stops or waits for its own
      restart; and a host that is stopped for a restart fails what lives in it and has a policy.
"""

from __future__ import annotations

from binascii import crc32
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from runtime.actor.supervision.children import Child, Group, Round, State
from runtime.actor.supervision.events import (
    Action,
    AskOwner,
    ChildFailed,
    ChildStarted,
    Event,
    FailOwner,
    Handled,
    Life,
    Outcome,
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
from runtime.actor.supervision.restarts import Restarts
from runtime.actor.supervision.root_causes import chained, first_root, root_first

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Sequence

    from runtime.actor.errors import MeshFailure
    from runtime.actor.supervision.restarts import RestartPolicy

#: Deaths whose identity is remembered after they are settled, for late evidence (SV-1).
MEMORY = 4096


@dataclass(slots=True)
class _Fate:
    """What has become of a death."""

    asked: bool = False
    settled: bool = False


class Supervisor:
    """Decide for one owner what becomes of its children's failures.

    Times are seconds of one monotonic clock. Not thread-safe: the owner's process feeds it from
    one place, and carries out the actions in their order.
    """

    def __init__(self) -> None:
        self._groups: dict[str, Group] = {}
        self._children: dict[str, Child] = {}
        self._questions: list[MeshFailure] = []
        self._asked: MeshFailure | None = None
        self._fates: dict[str, _Fate] = {}
        self._end: FailOwner | StopOwner | None = None
        self._ended = False
        self._now = float("-inf")
        self._actions: list[Action] = []

    def handle(self, event: Event, now: float) -> tuple[Action, ...]:
        """Return what is to be done about an event, in order."""
        self._now = max(self._now, now)
        self._actions = []
        self._take(event)
        self._advance()
        return tuple(self._actions)

    def deadline(self) -> float | None:
        """Return when the next Tick is needed, or None: not without another event."""
        return min(
            (
                each.due
                for group in self._groups.values()
                for each in group.rounds.values()
                if each.waiting is None
                and not each.has(State.STOPPING)
                and all(child.has_place for child in each.next(group.strategy))
            ),
            default=None,
        )

    def knows(self, child: str) -> bool:
        """Tell whether a child is still looked after: alive, or to be restarted."""
        return child in self._children

    def is_open(self, event_id: str) -> bool:
        """Tell whether something is still to be done about a failure."""
        fate = self._fates.get(event_id)
        return fate is not None and not fate.settled

    @property
    def going_down(self) -> bool:
        """Whether the owner's end has been decided."""
        return self._end is not None

    def _take(self, event: Event) -> None:
        match event:
            case Spawned():
                self._spawned(event)
            case ChildStarted(life):
                self._started(life)
            case ChildFailed():
                self._failed(event)
            case Stopped(lives):
                self._stopped(self._current(lives))
            case Handled():
                self._handled(event)
            case StopRequested(names):
                self._leave(self._wanted_gone({*names}))
            case OwnerFailed(failure):
                self._go_down(FailOwner(failure))
            case OwnerStopRequested():
                self._go_down(StopOwner())
            case Tick():
                pass

    # Children come and go.

    def _spawned(self, event: Spawned) -> None:
        taken = [name for name in event.children if name in self._children]
        if taken or event.group in self._groups or len({*event.children}) < len(event.children):
            raise ValueError(
                f"{event.group}: a group or a child of that name is supervised already "
                f"({', '.join(taken) or 'the group'}); a restarted child keeps its name, a new "
                "one needs a new name"
            )
        group = Group(event.group, event.policy)
        hosts = event.hosts or ("",) * len(event.children)
        group.children = {
            name: Child(name, group, self._children.get(host))
            for name, host in zip(event.children, hosts, strict=True)
        }
        if group.children:
            self._groups[group.name] = group
            self._children |= group.children
        if self._end is not None:
            self._stop_for_good(list(group.children.values()))

    def _current(self, lives: Iterable[Life]) -> list[Child]:
        """Return the children whose present lives these are (SV-6)."""
        found = [(life, self._children.get(life.child)) for life in lives]
        return [each for life, each in found if each is not None and each.number == life.number]

    def _stop(self, children: Iterable[Child]) -> None:
        running = [each for each in children if each.runs]
        for child in running:
            child.state = State.STOPPING
        if running:
            self._actions.append(StopChildren(tuple(each.life for each in reversed(running))))

    def _stop_for_good(self, children: Sequence[Child]) -> None:
        for child in children:
            child.leaving = True
            if child.state is State.DEAD:
                self._remove(child)
        self._stop(children)

    def _started(self, life: Life) -> None:
        for child in self._current((life,)):
            if child.state is State.STARTING:
                child.state = State.ALIVE

    def _stopped(self, children: Sequence[Child]) -> None:
        following = []
        for child in children:
            if child.state is State.STOPPING and child.round is not None:
                child.state = State.DEAD
            elif child.state is not State.DEAD and child.follows is None:
                self._remove(child)
            elif child.state is not State.DEAD:
                child.state = State.DEAD
                following.append(child)
        for child in following:
            cause, policy = child.follows, child.group.policy
            if cause is not None and policy is not None and not child.gone:
                self._restart_or_give_up(child, policy, cause)
            elif not child.gone:  # its host has left for good just now
                self._remove(child)

    def _wanted_gone(self, wanted: Container[str]) -> list[Child]:
        """Return the children of these names, and those that wait for one of them (SV-11)."""

        def goes(child: Child) -> bool:
            host = child.host if child.state is State.DEAD else None
            return child.name in wanted or (host is not None and host.name in wanted)

        return [child for child in self._children.values() if goes(child)]

    def _leave(self, children: list[Child]) -> None:
        """Take children, in the order of their start, out of their restarts, and stop them."""
        for child in children:
            round_ = child.round
            if round_ is not None:
                del round_.members[child.name]
                if not round_.members:
                    del child.group.rounds[child.group.budget_of(child)]
                    for failure in round_.failures:
                        self._settle(failure, "withdrawn")
        self._stop_for_good(children)

    def _remove(self, child: Child) -> None:
        group, round_ = child.group, child.round
        child.gone = True
        if round_ is not None:
            del round_.members[child.name]
        del self._children[child.name], group.children[child.name]
        group.budgets.pop(child.name, None)
        if not group.children:
            del self._groups[group.name]

    # Failures are restarted or asked about.

    def _failed(self, event: ChildFailed) -> None:
        current = self._current(event.lives)
        self._stopped([child for child in current if child.state is State.STOPPING])
        dead = [child for child in current if child.runs]
        for child in dead:
            child.state = State.DEAD
        for child in dead:
            policy = child.group.policy
            if policy is None:
                self._remove(child)
            elif child.name in self._children:  # else it left with one before it
                self._restart_or_give_up(child, policy, event.failure)
        if dead and event.failure.event_id not in self._fates:  # no policy has it, and it is new
            self._ask(event.failure)

    def _restart_or_give_up(
        self, child: Child, policy: RestartPolicy, failure: MeshFailure
    ) -> None:
        group, key = child.group, child.group.budget_of(child)
        round_ = group.rounds.get(key)
        if round_ is None or round_.waiting is not None:
            chance = crc32(failure.event_id.encode()) / (1 << 32)
            pause = group.budget(child).pause(policy, self._now, chance)
            if pause is None:
                self._give_up(child, policy, failure)
                return
            round_ = group.rounds[key] = Round(failure, self._now, self._now + pause)
        names = {each.name for each in group.dependents(child)} | {*round_.members}
        round_.members = {name: each for name, each in group.children.items() if name in names}
        if failure not in round_.failures:
            round_.failures.append(failure)
        self._fate(failure)
        self._fail_guests(round_.members.values(), failure)
        self._stop(round_.members.values())

    def _fail_guests(self, hosts: Iterable[Child], failure: MeshFailure) -> None:
        """Restart what lives in children that are going to be stopped (SV-11)."""
        stopped = {each.name for each in hosts if each.runs}
        guests = [e for e in self._children.values() if e.host and e.host.name in stopped]
        for guest in guests:
            policy = guest.group.policy
            if policy is not None and guest.runs and not guest.gone:  # not with one before it
                self._restart_or_give_up(guest, policy, failure)

    def _give_up(self, child: Child, policy: RestartPolicy, failure: MeshFailure) -> None:
        group = child.group
        spent = group.budget(child).spent(policy, self._now)
        group.rounds.pop(group.budget_of(child), None)
        self._stop_for_good(group.dependents(child))
        text = f"{failure.cause}; restarted {spent} times within {policy.max_seconds:g} s already"
        self._ask(failure.but(cause=text))

    def _ask(self, failure: MeshFailure) -> None:
        fate = self._fate(failure)
        if not fate.asked:
            fate.asked = True
            self._questions.append(failure)

    def _handled(self, event: Handled) -> None:
        failure = self._asked
        if failure is None or failure.event_id != event.event_id:
            return
        self._asked = None
        if event.verdict is True:
            self._settle(failure, "handled")
        elif event.verdict is False:
            self._go_down(FailOwner(failure))
        else:
            self._settle(failure, "escalated")
            self._go_down(FailOwner(chained(event.verdict, failure)))

    def _fate(self, failure: MeshFailure) -> _Fate:
        fate = self._fates.setdefault(failure.event_id, _Fate())
        while len(self._fates) > MEMORY and self._fates[oldest := next(iter(self._fates))].settled:
            del self._fates[oldest]
        return fate

    def _settle(self, failure: MeshFailure, outcome: Outcome) -> None:
        """Say what became of a failure, when nothing else is still to be done about it (SV-2)."""
        fate = self._fate(failure)
        if not fate.settled and failure.event_id not in {each.event_id for each in self._open()}:
            fate.settled = True
            self._actions.append(Settled(failure, outcome))

    def _open(self) -> list[MeshFailure]:
        """Return the failures that something is still to be done about."""
        rounds = (each for group in self._groups.values() for each in group.rounds.values())
        found = [self._asked] if self._asked is not None else []
        found += self._questions
        return found + [failure for each in rounds for failure in each.failures]

    # The owner goes down.

    def _go_down(self, end: FailOwner | StopOwner) -> None:
        if self._end is not None:
            return
        # Of two texts for one death the question's says more.
        unanswered = root_first({e.event_id: e for e in reversed(self._open())}.values())
        self._asked = None
        self._questions.clear()
        for group in self._groups.values():
            group.rounds.clear()
        if isinstance(end, FailOwner):
            also = [each for each in unanswered if each.event_id != end.failure.event_id]
            unanswered = [end.failure, *also] if end.failure.event_id in self._fates else also
            end = replace(end, also=tuple(also))
        self._end = end
        for failure in unanswered:
            self._settle(failure, "escalated" if isinstance(end, FailOwner) else "withdrawn")
        self._stop_for_good(list(self._children.values()))

    # Whatever has become possible is done.

    def _advance(self) -> None:
        if self._end is not None:
            if not self._children and not self._ended:
                self._ended = True
                self._actions.append(self._end)
            return
        for group in self._groups.values():
            for key, round_ in list(group.rounds.items()):
                self._advance_round(group, key, round_)
        if self._asked is None and self._questions:
            self._asked = first_root(self._questions)
            self._questions.remove(self._asked)
            self._actions.append(AskOwner(self._asked))

    def _advance_round(self, group: Group, key: str, round_: Round) -> None:
        if group.policy is None or round_.has(State.STOPPING):
            return
        if not all(child.has_place for child in round_.next(group.strategy)):
            return
        if round_.waiting is None:
            if self._now < round_.due:
                return
            budget = group.budgets.get(key, Restarts())
            group.budgets[key] = budget.after(group.policy, round_.failed, self._now)
            failures, round_.failures = round_.failures, []
            self._start_next(group, key, round_)
            for failure in failures:
                self._settle(failure, "restarted")
        elif not round_.has(State.STARTING):
            self._start_next(group, key, round_)

    def _start_next(self, group: Group, key: str, round_: Round) -> None:
        starting = round_.next(group.strategy)
        left = list(round_.members) if round_.waiting is None else round_.waiting
        for child in starting:
            child.state = State.STARTING
            child.number += 1
        if starting:
            self._actions.append(Restart(tuple(child.life for child in starting)))
        started = {child.name for child in starting}
        round_.waiting = [name for name in left if name in round_.members and name not in started]
        if not round_.waiting:
            del group.rounds[key]
