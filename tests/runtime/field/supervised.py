"""Real processes that die by a script under a live restart policy, for the field cases."""

import os
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from runtime import actor as ra
from tests.runtime.field.machine import Machine

LONG = 60.0


@dataclass(frozen=True)
class Plan:
    """How long each life of each child lasts; None is for ever."""

    children: int = 1
    die_after: float | None = None
    die_once_after: float | None = None
    die_at: Sequence[float] | None = None

    def span(self, number: int) -> float | None:
        """Return how long the life of this number lasts."""
        if self.die_at is not None:
            return self.die_at[number] if number < len(self.die_at) else None
        if self.die_once_after is not None:
            return self.die_once_after if number == 0 else None
        return self.die_after


class Mortal(ra.Actor):
    """Writes down when a life of its begins, and dies when the plan says so."""

    def __init__(self, folder: str, plan: Plan) -> None:
        child = ra.context().actor_instance.rank.rank
        with Path(folder, f"child{child}").open("a") as book:
            book.write(f"{time.monotonic()} {os.getpid()}\n")
        span = plan.span(len(_lives(folder, child)) - 1)
        if span is not None:
            threading.Timer(span, os._exit, (7,)).start()


def _lives(folder: str, child: int) -> list[tuple[float, int]]:
    """Return when the lives of a child began, and their processes."""
    book = Path(folder, f"child{child}")
    lines = book.read_text().splitlines() if book.exists() else []
    return [(float(line.split()[0]), int(line.split()[1])) for line in lines]


class Supervised:
    """A mesh of processes with a restart policy; its owner is this program."""

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
        self._policy = ra.RestartPolicy(
            max_restarts=max_restarts,
            max_seconds=window,
            backoff_base=backoff_base,
            backoff_factor=backoff_factor,
            backoff_cap=backoff_cap,
            jitter=jitter,
        )
        self._changed = threading.Condition()
        self._told: list[ra.MeshFailure] = []

    def __enter__(self) -> Self:
        self._folder = tempfile.TemporaryDirectory(prefix="field_")
        self._hook: Callable[[ra.MeshFailure], object] = ra.unhandled_fault_hook
        ra.unhandled_fault_hook = self._given_up
        self._procs = ra.this_host().spawn_procs(
            {"child": self._plan.children}, name="children", restart=self._policy
        )
        self._mortals = self._procs.spawn("mortal", Mortal, self._folder.name, self._plan)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._procs.stop().get(LONG)
        ra.unhandled_fault_hook = self._hook
        self._folder.cleanup()

    def start_times(self) -> list[float]:
        """Return when lives began, in monotonic seconds."""
        return sorted(began for lives in self._books() for began, _ in lives)

    def alive(self) -> int:
        """Return how many children run."""
        return len(Machine().alive([lives[-1][1] for lives in self._books() if lives]))

    def escalations(self) -> int:
        """Return how often the parent was told."""
        with self._changed:
            return len(self._told)

    def wait_given_up(self, timeout: float) -> None:
        """Wait until the parent is told."""
        with self._changed:
            assert self._changed.wait_for(lambda: bool(self._told), timeout)

    def _books(self) -> list[list[tuple[float, int]]]:
        return [_lives(self._folder.name, child) for child in range(self._plan.children)]

    def _given_up(self, failure: ra.MeshFailure) -> None:
        with self._changed:
            self._told.append(failure)
            self._changed.notify_all()
