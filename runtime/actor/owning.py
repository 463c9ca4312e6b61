"""What an actor owns: the meshes it spawned, and what its supervisor has decided about them."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass

from runtime.actor.bygones import Bygones
from runtime.actor.latch import Latch
from runtime.actor.nodes import gateway_of
from runtime.actor.supervision.events import (
    AskOwner,
    ChildFailed,
    ChildStarted,
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
from runtime.actor.supervision.supervisor import Supervisor
from runtime.telemetry import state

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from runtime.actor.errors import MeshFailure
    from runtime.actor.shapes.shape import Point
    from runtime.actor.supervision.events import Event
    from runtime.actor.supervision.restarts import RestartPolicy


@dataclass(frozen=True)
class Child:
    """A process (actor 0) or an actor that is owned: where it is, and as what it is known."""

    name: str
    node: int
    actor: int
    group: str
    mesh_name: str
    point: Point


class Group:
    """A mesh that is owned."""

    def __init__(
        self,
        name: str,
        mesh: object,
        children: Sequence[Child],
        start: Callable[[Sequence[Child]], None],
        policy: RestartPolicy | None,
    ) -> None:
        self.name = name
        self.mesh = mesh
        self.start = start  # begins the next life of children
        self.restarts = policy is not None
        self.left = {child.name for child in children}
        self.gone = Latch()


class Owner:
    """The supervisor of one actor with the children it decides about.

    `stop` ends children, `ask` asks the actor about a failure, `fail` ends the actor with one.
    Any thread may call; actions are carried out in the order of the decisions.
    """

    def __init__(
        self,
        *,
        stop: Callable[[Sequence[Child], str], None],
        ask: Callable[[MeshFailure], None],
        fail: Callable[[MeshFailure], None],
    ) -> None:
        self._stop = stop
        self._ask = ask
        self._fail = fail
        self._supervisor = Supervisor()
        self._children: dict[str, Child] = {}
        self._lives: dict[str, int] = {}  # the number of each child's present life
        self._processes: dict[int, str] = {}  # the names of children that are one, by node
        self._hosts: dict[str, str] = {}  # the process that a child lives in, if it is a child too
        self._bygones = Bygones()
        self._groups: dict[str, Group] = {}
        self._meshes: dict[str, object] = {}  # of failures that are not settled, by event
        self._reason = ""
        self.refuses = ""  # why nothing can be spawned any more
        self._lock = threading.RLock()
        self._fewer = threading.Condition(self._lock)

    def spawned(
        self,
        name: str,
        mesh: object,
        children: Sequence[Child],
        start: Callable[[Sequence[Child]], None],
        policy: RestartPolicy | None = None,
    ) -> None:
        """Take a mesh that the actor spawns, and start it; a policy may start parts of it again."""
        with self._lock:
            hosts = tuple(
                self._processes.get(child.node, "") if child.actor else "" for child in children
            )
            self._groups[name] = Group(name, mesh, children, start, policy)
            self._children |= {child.name: child for child in children}
            self._lives |= {child.name: 0 for child in children}
            self._hosts |= {c.name: host for c, host in zip(children, hosts, strict=True) if host}
            self._processes |= {child.node: child.name for child in children if not child.actor}
            self._handle(Spawned(name, tuple(child.name for child in children), policy, hosts))
        start(children)

    def started(self, children: Sequence[Child]) -> None:
        """Take note that children are up."""
        with self._lock:
            for child in children:
                self._handle(ChildStarted(self._life(child)))

    def on_node(self, node: int, actor: int | None = None) -> list[Child]:
        """Return the children that live in a process, or the one that is this actor.

        The node of a gateway stands for its whole host.
        """
        with self._lock:
            return [
                child
                for child in self._children.values()
                if node in (child.node, gateway_of(child.node)) and actor in (None, child.actor)
            ]

    def bygones(self, node: int) -> dict[int, str]:
        """Return the actors that have ended in a process for good: the names of their meshes."""
        with self._lock:
            return self._bygones.of(node)

    def leave_to(self, heir: Bygones) -> None:
        """Have somebody else remember those, as the owner ends."""
        with self._lock:
            heir.take(self._bygones)

    def ended(self, children: Sequence[Child], failure: MeshFailure | None) -> None:
        """Take the end of children: by themselves, or as they were asked to."""
        if not children:
            return
        with self._lock:
            lives = tuple(map(self._life, children))
            if failure is None or failure.kind == "stopped":
                self._handle(Stopped(lives))
            else:
                known = placed(failure, children)
                state.failed(
                    known.event_id, known.kind, str(known).partition("\n")[0], known.report()
                )
                self._meshes[known.event_id] = self._groups[told_of(children).group].mesh
                self._handle(ChildFailed(lives, known))
                if not self._supervisor.is_open(known.event_id):
                    self._meshes.pop(known.event_id, None)
            self._forget_the_gone()

    def handled(self, event_id: str, verdict: bool | MeshFailure) -> None:  # noqa: FBT001 - a verdict
        """Take the actor's verdict about a failure that it was asked about."""
        with self._lock:
            self._handle(Handled(event_id, verdict))
            self._forget_the_gone()

    def stop_group(self, name: str, reason: str) -> Latch:
        """End a mesh; the latch opens when it is gone."""
        with self._lock:
            self._reason = reason
            group = self._groups.get(name)
            if group is None:
                gone = Latch()
                gone.open()
                return gone
            self._handle(StopRequested(tuple(group.left)))
            self._forget_the_gone()  # those that waited for a restart
            return group.gone

    def stop_all(self, failure: MeshFailure | None, actors: float, processes: float) -> bool:
        """End everything, as the actor ends; return whether it was done in time.

        Actors have `actors` seconds: nobody can end one in the midst of an endpoint. Processes
        have `processes`, after which they are killed.
        """
        begun = time.monotonic()
        with self._lock:
            self._reason = "its owner has ended"
            self._handle(OwnerStopRequested() if failure is None else OwnerFailed(failure))
            self._forget_the_gone()
            self._fewer.wait_for(lambda: not self._children, actors)
            left = max(0.0, begun + processes - time.monotonic())
            self._fewer.wait_for(lambda: all(e.actor for e in self._children.values()), left)
            return not self._children

    @property
    def goes_down(self) -> bool:
        """Whether it fails, or ends: as soon as its children have ended."""
        with self._lock:
            return self._supervisor.going_down

    @property
    def owns(self) -> bool:
        """Whether anything is left that it owns."""
        return bool(self._children)

    def tick(self) -> None:
        """Tell the supervisor the time."""
        with self._lock:
            deadline = self._supervisor.deadline()
            if deadline is not None and deadline <= time.monotonic():
                self._handle(Tick())
                self._forget_the_gone()

    def deadline(self) -> float | None:
        """Return when a tick is due."""
        with self._lock:
            return self._supervisor.deadline()

    def seen_by_owner(self, failure: MeshFailure) -> MeshFailure:
        """Return a failure with the owner's own mesh object."""
        return failure.of(self._meshes.get(failure.event_id))

    def _life(self, child: Child) -> Life:
        return Life(child.name, self._lives.get(child.name, 0))

    def _forget_the_gone(self) -> None:
        """Forget children that the supervisor no longer looks after."""
        for child in list(self._children.values()):
            if not self._supervisor.knows(child.name):
                self._forget(child)
        self._fewer.notify_all()

    def _forget(self, child: Child) -> None:
        del self._children[child.name], self._lives[child.name]
        host = self._hosts.pop(child.name, None)
        if not child.actor:
            del self._processes[child.node]
            self._bygones.forget(child.node)
        elif host is None or self._restarts(host):
            self._bygones.add(child.node, child.actor, child.mesh_name)
        group = self._groups.get(child.group)
        if group is not None:
            group.left.discard(child.name)
            if not group.left:
                del self._groups[child.group]
                group.gone.open()

    def _restarts(self, process: str) -> bool:
        child = self._children.get(process)
        return child is not None and self._groups[child.group].restarts

    def _handle(self, event: Event) -> None:
        for action in self._supervisor.handle(event, time.monotonic()):
            match action:
                case AskOwner(failure):
                    self._ask(failure)
                case StopChildren(lives):
                    children = [self._children.get(life.child) for life in lives]
                    self._stop([each for each in children if each is not None], self._reason)
                case Restart(lives):
                    self._restart(lives)
                case Settled(failure):
                    # An owner that goes down may be at the question still, and ends with it.
                    if not self._supervisor.going_down:
                        self._meshes.pop(failure.event_id, None)
                case FailOwner(failure):
                    self._fail(failure)
                case StopOwner():
                    pass

    def _restart(self, lives: Sequence[Life]) -> None:
        """Begin the next lives of children, group by group."""
        state.restarts += len(lives)
        by_group: dict[str, list[Child]] = {}
        for life in lives:
            child = self._children[life.child]
            self._lives[child.name] = life.number
            by_group.setdefault(child.group, []).append(child)
        for name, children in by_group.items():
            self._groups[name].start(children)


def told_of(children: Collection[Child]) -> Child:
    """Return the one of children that end together as which people know them: an actor, if any."""
    return max(children, key=lambda child: child.actor != 0)


def placed(failure: MeshFailure, children: Collection[Child]) -> MeshFailure:
    """Return the failure of a process as one of the mesh that people know: of actors, if any.

    That of several processes has no rank.
    """
    best = told_of(children)
    actor = best.mesh_name if best.actor else failure.actor_name
    if len({child.node for child in children}) > 1:
        return failure.but(mesh_name=best.mesh_name, actor_name=actor)
    return failure.but(
        mesh_name=best.mesh_name,
        actor_name=actor,
        rank=best.point.rank,
        point=dict(best.point),
    )
