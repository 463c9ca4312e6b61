"""A supervisor of real processes that die by a script, for the field cases."""

import itertools
import os
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

from runtime import actor as ra
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
    Tick,
)
from runtime.actor.supervision.restarts import RestartPolicy
from runtime.actor.supervision.supervisor import Supervisor

LONG = 60.0


class Mortal(ra.Actor):
    """Dies when it was told to."""

    def __init__(self, die_after: float | None) -> None:
        if die_after is not None:
            threading.Timer(die_after, os._exit, (7,)).start()


@dataclass
class Plan:
    """How long each life of each child lasts; None is for ever."""

    children: int = 1
    die_after: float | None = None
    die_once_after: float | None = None
    die_at: Sequence[float] | None = None

    def span(self, life: Life) -> float | None:
        """Return how long a life lasts."""
        if self.die_at is not None:
            return self.die_at[life.number] if life.number < len(self.die_at) else None
        if self.die_once_after is not None:
            return self.die_once_after if life.number == 0 else None
        return self.die_after


class Supervised:
    """The supervisor with its children; its clock is the machine's."""

    def __init__(  # noqa: PLR0913 - the field cases' words
        self,
        *,
        max_restarts: int,
        window: float,
        backoff_base: float,
        backoff_factor: float,
        backoff_cap: float,
        jitter: float,
        **plan: Any,  # noqa: ANN401
    ) -> None:
        self._plan = Plan(**plan)
        self._policy = RestartPolicy(
            max_restarts=max_restarts,
            max_seconds=window,
            backoff_base=backoff_base,
            backoff_factor=backoff_factor,
            backoff_cap=backoff_cap,
            jitter=jitter,
        )
        self._supervisor = Supervisor()
        self._changed = threading.Condition(threading.RLock())
        self._numbers = itertools.count()
        self._lives: dict[str, Life] = {}  # by the name of the mesh of processes
        self._meshes: list[ra.ProcMesh] = []
        self._running: set[Life] = set()
        self._starts: list[float] = []
        self._escalations = 0
        self._ended = False

    def __enter__(self) -> Self:
        self._hook: Callable[[ra.MeshFailure], object] = ra.unhandled_fault_hook
        ra.unhandled_fault_hook = self._died
        names = tuple(f"child{number}" for number in range(self._plan.children))
        self._handle(Spawned("children", names, self._policy))
        for name in names:
            self._start(Life(name))
        self._clock = threading.Thread(target=self._tick, name="clock")
        self._clock.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with self._changed:
            self._ended = True
            self._changed.notify_all()
        self._clock.join(LONG)
        ra.unhandled_fault_hook = self._hook
        for mesh in self._meshes:
            mesh.stop().get(LONG)

    def start_times(self) -> list[float]:
        """Return when lives began, in monotonic seconds."""
        with self._changed:
            return list(self._starts)

    def alive(self) -> int:
        """Return how many children run."""
        with self._changed:
            return len(self._running)

    def escalations(self) -> int:
        """Return how often the parent was told."""
        with self._changed:
            return self._escalations

    def wait_given_up(self, timeout: float) -> None:
        """Wait until the parent is told, and as long again as the longest pause."""
        with self._changed:
            assert self._changed.wait_for(lambda: self._escalations > 0, timeout)

    def _start(self, life: Life) -> None:
        """Begin a life: a process with an actor in it."""
        name = f"{life.child}-{next(self._numbers)}"
        with self._changed:
            self._lives[name] = life
            self._running.add(life)
            self._starts.append(time.monotonic())
        mesh = ra.this_host().spawn_procs(name=name)
        self._meshes.append(mesh)
        mesh.spawn(name, Mortal, self._plan.span(life))
        self._handle(ChildStarted(life))

    def _died(self, failure: ra.MeshFailure) -> None:
        with self._changed:
            life = self._lives[failure.mesh_name]
            self._running.discard(life)
        self._handle(ChildFailed((life,), failure))

    def _handle(self, event: Event) -> None:
        restarts: list[Life] = []
        with self._changed:
            events = [event]
            while events:
                for action in self._supervisor.handle(events.pop(0), time.monotonic()):
                    match action:
                        case AskOwner(failure):
                            self._escalations += 1
                            events.append(Handled(failure.event_id, verdict=True))
                        case Restart(lives):
                            restarts += lives
                        case FailOwner():
                            raise AssertionError(action)
                        case _:
                            pass
            self._changed.notify_all()
        for life in restarts:
            self._start(life)

    def _tick(self) -> None:
        while True:
            with self._changed:
                if self._ended:
                    return
                due = self._supervisor.deadline()
                pause = None if due is None else max(0.0, due - time.monotonic())
                self._changed.wait(pause)
                due = self._supervisor.deadline()
                late = due is not None and due <= time.monotonic()
            if late:
                self._handle(Tick())
