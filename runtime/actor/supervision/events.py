"""What a supervisor is told and what it decides: its events and its actions, as values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from runtime.actor.errors import MeshFailure
    from runtime.actor.supervision.restarts import RestartPolicy

#: How a failure ends: the owner handled it, a policy restarted what failed, the owner fails with
#: it, or it no longer matters, since the child or the owner was to be stopped anyway.
Outcome = Literal["handled", "restarted", "escalated", "withdrawn"]


@dataclass(frozen=True, slots=True)
class Life:
    """One life of a child: the first is number 0, each restart begins the next."""

    child: str
    number: int = 0


@dataclass(frozen=True, slots=True)
class Spawned:
    """The owner has spawned children, named in the order of their start.

    A group is what one policy looks after, such as the processes of a mesh. Without a policy
    every failure is the owner's to decide. The names of groups and of children are new ones.
    `hosts` names for each child the one that it lives in, as an actor does in a process; "" for
    none that is this owner's. Without any it may be left out.
    """

    group: str
    children: tuple[str, ...]
    policy: RestartPolicy | None = None
    hosts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ChildStarted:
    """A child is up and takes messages."""

    life: Life


@dataclass(frozen=True, slots=True)
class ChildFailed:
    """A death with its evidence; `lives` are all children of this owner that died of it."""

    lives: tuple[Life, ...]
    failure: MeshFailure


@dataclass(frozen=True, slots=True)
class Stopped:
    """Children have ended as they were asked to, or by their own decision."""

    lives: tuple[Life, ...]


@dataclass(frozen=True, slots=True)
class Handled:
    """The owner has answered AskOwner; the verdict of `__supervise__` is one of three.

    True: handled. False: the owner fails with it. A failure: what `__supervise__` raised, as the
    owner's own failure.
    """

    event_id: str
    verdict: bool | MeshFailure


@dataclass(frozen=True, slots=True)
class StopRequested:
    """The owner wants these children stopped for good."""

    children: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class OwnerFailed:
    """The owner itself has failed, by an exception of its own; its children go first."""

    failure: MeshFailure


@dataclass(frozen=True, slots=True)
class OwnerStopRequested:
    """The owner is to end without a failure."""


@dataclass(frozen=True, slots=True)
class Tick:
    """Time has passed; due at the latest when `Supervisor.deadline()` has come."""


Event = (
    Spawned
    | ChildStarted
    | ChildFailed
    | Stopped
    | Handled
    | StopRequested
    | OwnerFailed
    | OwnerStopRequested
    | Tick
)


@dataclass(frozen=True, slots=True)
class AskOwner:
    """Call the owner's `__supervise__` with this failure, and answer with Handled."""

    failure: MeshFailure


@dataclass(frozen=True, slots=True)
class StopChildren:
    """Stop these, in this order, and tell with Stopped when they have ended, killed if need be."""

    lives: tuple[Life, ...]


@dataclass(frozen=True, slots=True)
class Restart:
    """Start these lives, in this order, and tell of each with ChildStarted or ChildFailed."""

    lives: tuple[Life, ...]


@dataclass(frozen=True, slots=True)
class Settled:
    """A failure has come to its end; for logs and metrics."""

    failure: MeshFailure
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class FailOwner:
    """End the owner as failed: no child is left. `also` are failures that nobody answered."""

    failure: MeshFailure
    also: tuple[MeshFailure, ...] = ()


@dataclass(frozen=True, slots=True)
class StopOwner:
    """End the owner as stopped: no child is left."""


Action = AskOwner | StopChildren | Restart | Settled | FailOwner | StopOwner
