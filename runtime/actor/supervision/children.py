"""What a supervisor knows of the children of its owner: their states, groups and restarts."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING

from runtime.actor.supervision.events import Life
from runtime.actor.supervision.restarts import Restarts

if TYPE_CHECKING:
    from runtime.actor.errors import MeshFailure
    from runtime.actor.supervision.restarts import RestartPolicy


class State(Enum):
    """Where a child is in its present life."""

    STARTING = "starting"
    ALIVE = "alive"
    STOPPING = "stopping"
    DEAD = "dead"  # and waits for its restart


@dataclass(slots=True, eq=False)
class Child:
    """One child and its present life; one that is leaving is stopped and not started again.

    `host` is the child that it lives in, `gone` whether it is looked after no more.
    """

    name: str
    group: Group
    host: Child | None = None
    state: State = State.STARTING
    number: int = 0
    leaving: bool = False
    gone: bool = False

    @property
    def life(self) -> Life:
        """Return what events and actions call the present life."""
        return Life(self.name, self.number)

    @property
    def round(self) -> Round | None:
        """Return the restart that the child takes part in."""
        found = self.group.rounds.get(self.group.budget_of(self))
        return found if found is not None and self.name in found.members else None

    @property
    def runs(self) -> bool:
        """Whether there is a life that nobody has asked to end."""
        return self.state in {State.STARTING, State.ALIVE}

    @property
    def has_place(self) -> bool:
        """Whether it can start where it lives (SV-11); a host that is gone stays so."""
        return self.host is None or self.host.gone or self.host.runs

    @property
    def follows(self) -> MeshFailure | None:
        """Return why its host is restarted, and the child with it (SV-11)."""
        host = self.host
        round_ = None if host is None or host.gone or host.runs else host.round
        return None if round_ is None or self.leaving or not self.group.policy else round_.cause


@dataclass(slots=True, eq=False)
class Round:
    """A restart under way: its members stop, the pause passes, then they start.

    `cause` was its first failure, `failures` are those that nothing has been done about yet.
    `failed` and `due` are when it was decided and when the pause is over. `waiting` names the
    members that are still to be started, once the first ones are; before that it is None.
    """

    cause: MeshFailure
    failed: float
    due: float
    members: dict[str, Child] = field(default_factory=dict)
    failures: list[MeshFailure] = field(default_factory=list)
    waiting: list[str] | None = None

    def next(self, strategy: str) -> list[Child]:
        """Return the members that start together as the next ones."""
        names = list(self.members) if self.waiting is None else self.waiting
        found = [self.members[name] for name in names if name in self.members]
        # In rest_for_one a child may need what was started before it.
        return found[:1] if strategy == "rest_for_one" else found

    def has(self, state: State) -> bool:
        """Tell whether a member is in this state."""
        return any(child.state is state for child in self.members.values())


@dataclass(slots=True, eq=False)
class Group:
    """Children that one policy looks after, in the order of their start.

    Budgets and rounds have the names that `budget_of` gives: one for each child in one_for_one,
    else one for all.
    """

    name: str
    policy: RestartPolicy | None
    children: dict[str, Child] = field(default_factory=dict)
    budgets: dict[str, Restarts] = field(default_factory=dict)
    rounds: dict[str, Round] = field(default_factory=dict)

    @property
    def strategy(self) -> str:
        """Return the policy's strategy; without a policy children have nothing to do together."""
        return "one_for_one" if self.policy is None else self.policy.strategy

    def budget_of(self, child: Child) -> str:
        """Return the name of the budget, and of the round, that counts for this child."""
        return child.name if self.strategy == "one_for_one" else ""

    def budget(self, child: Child) -> Restarts:
        """Return the restarts that count for this child."""
        return self.budgets.get(self.budget_of(child), Restarts())

    def dependents(self, child: Child) -> list[Child]:
        """Return the child and those that cannot go on without it, in the order of their start."""
        if self.strategy == "one_for_one":
            return [child]
        children = [each for each in self.children.values() if not each.leaving]
        return children if self.strategy == "one_for_all" else children[children.index(child) :]
