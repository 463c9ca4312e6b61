"""Hooks, constructors and exceptions as bad as can be: every failure comes to one end."""
# ruff: noqa: ANN401 - actors and meshes have endpoints of any signature

import contextlib
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from runtime import actor as ra
from runtime import config
from runtime.actor import Actor, endpoint
from tests.runtime.field.scripts import Script

SECONDS = 30.0


def until(condition: Callable[[], bool]) -> None:
    """Wait for a condition that no event announces."""
    end = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < end, "the condition did not come true"
        time.sleep(0.01)


class EndError(BaseException):
    """No Exception."""


class Junk:
    """Is neither true nor false."""

    def __bool__(self) -> bool:
        raise EndError("junk")


class Mortal(Actor):
    """Dies when it is asked to."""

    @endpoint
    def die(self) -> None:
        os._exit(3)

    @endpoint
    def pid(self) -> int:
        return os.getpid()


class Owner(Actor):
    """Owns two, and decides as a function says."""

    def __init__(self, decide: Callable[[Any, ra.MeshFailure], Any]) -> None:
        self.decide = decide
        self.asked = 0
        self.procs = ra.this_host().spawn_procs({"r": 2}, name="owned")
        self.mortals = self.procs.spawn("mortals", Mortal)
        self.pids = list(self.mortals.pid.call().get(SECONDS).values())

    @endpoint
    def provoke(self) -> str:
        return str(self.mortals.slice(r=0).die.call_one().exception(SECONDS))

    @endpoint
    def count(self) -> int:
        return self.asked

    def __supervise__(self, failure: ra.MeshFailure) -> Any:
        self.asked += 1
        return self.decide(self, failure)


def raises(kind: type[BaseException]) -> Callable[..., Any]:
    """Return what raises one of these."""

    def decide(*_: object) -> Any:
        raise kind("mine")

    return decide


async def later() -> bool:
    """Decide later."""
    return True


def kill_the_rest(owner: Owner, _: object) -> bool:
    """Handle a failure by another one."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(owner.pids[1], signal.SIGKILL)
    return True


def fail_again(owner: Owner, _: object) -> bool:
    """Spawn what fails too, a few times."""
    if owner.asked <= 3:
        mesh = ra.this_host().spawn_procs(name="again").spawn("mortal", Mortal)
        mesh.die.call_one().exception(SECONDS)
    return True


@pytest.fixture
def proc(failures: list[ra.MeshFailure]) -> Iterator[ra.ProcMesh]:
    """Give one process."""
    mesh = ra.this_host().spawn_procs()
    yield mesh
    mesh.stop().get(SECONDS)


@pytest.mark.parametrize(
    ("decide", "words"),
    [
        (raises(ValueError), "ValueError: mine"),
        (raises(SystemExit), "SystemExit: mine"),
        (raises(EndError), "EndError: mine"),
        (lambda *_: Junk(), "EndError: junk"),
        (lambda *_: later(), "returned an awaitable"),
        (lambda *_: None, "did not handle the failure of mortals"),
        (lambda *_: os._exit(4), "exited with status 4"),
        (lambda *_: ra.context().actor_instance.abort("enough"), "enough"),
    ],
)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_supervise_when_it_is_bad(
    proc: ra.ProcMesh, failures: list[ra.MeshFailure], decide: Any, words: str
) -> None:
    owner: Any = proc.spawn("owner", Owner, decide)
    owner.provoke.call_one().exception(SECONDS)
    until(lambda: words in str(owner.count.call_one().exception(SECONDS)))
    until(lambda: bool(failures))
    assert [words in failure.report() for failure in failures] == [True]


@pytest.mark.parametrize(("decide", "asked"), [(kill_the_rest, 2), (fail_again, 4)])
def test_supervise_when_it_makes_failures(
    proc: ra.ProcMesh, failures: list[ra.MeshFailure], decide: Any, asked: int
) -> None:
    owner: Any = proc.spawn("owner", Owner, decide)
    assert "exited with status 3" in owner.provoke.call_one().get(SECONDS)
    until(lambda: owner.count.call_one().get(SECONDS) >= asked)
    assert owner.count.call_one().get(SECONDS) == asked
    assert failures == []


class Dirty(Actor):
    """Has a `__cleanup__` of any kind."""

    def __init__(self, clean: Callable[[], object]) -> None:
        self.clean = clean

    @endpoint
    def fine(self) -> bool:
        return True

    def __cleanup__(self, _: Exception | None) -> object:
        return self.clean()


class Odd(Actor):
    """Raises when its `__cleanup__` is looked for."""

    @endpoint
    def fine(self) -> bool:
        return True

    def __getattr__(self, name: str) -> Any:
        raise EndError(name)


@pytest.mark.parametrize(
    "clean", [raises(EndError), raises(KeyboardInterrupt), lambda: os.close(2), Junk]
)
def test_cleanup_when_it_is_bad(
    proc: ra.ProcMesh, failures: list[ra.MeshFailure], clean: Any
) -> None:
    dirty: Any = proc.spawn("dirty", Dirty, clean)
    assert dirty.fine.call_one().get(SECONDS)
    dirty.stop().get(SECONDS)
    odd: Any = proc.spawn("odd", Odd)
    assert odd.fine.call_one().get(SECONDS)
    odd.stop().get(SECONDS)
    assert failures == []


def test_cleanup_when_it_does_not_end(failures: list[ra.MeshFailure]) -> None:
    with config.configured(cleanup_timeout=0.2), ra.this_host().spawn_procs() as mesh:
        dirty: Any = mesh.spawn("dirty", Dirty, lambda: time.sleep(2 * SECONDS))
        assert dirty.fine.call_one().get(SECONDS)
        dirty.stop().get(5.0)
        assert mesh.spawn("other", Dirty, int).fine.call_one().get(SECONDS)
    assert failures == []


class Other:
    """Not what was asked for."""


class Changeling(Actor):
    """Is another object than its class says."""

    def __new__(cls) -> Any:
        return Other()

    @endpoint
    def fine(self) -> bool:
        return True


class Unborn(Actor):
    """Cannot have a thread, since the threads of its process are too large."""

    @endpoint
    def enlarge(self) -> None:
        threading.stack_size(1 << 46)

    @endpoint
    def reduce(self) -> None:
        threading.stack_size(0)


def test_constructor_when_it_gives_another_object(
    proc: ra.ProcMesh, failures: list[ra.MeshFailure]
) -> None:
    with pytest.raises(ra.SupervisionError, match=r"Changeling\(\) gave a Other"):
        proc.spawn("changeling", Changeling).fine.call_one().get(SECONDS)
    until(lambda: bool(failures))
    assert [failure.kind for failure in failures] == ["init"]


def test_spawn_when_no_thread_can_be_started(
    proc: ra.ProcMesh, failures: list[ra.MeshFailure]
) -> None:
    first: Any = proc.spawn("first", Unborn)
    first.enlarge.call_one().get(SECONDS)
    second: Any = proc.spawn("second", Unborn)
    with pytest.raises(ra.SupervisionError, match="can't start new thread"):
        second.initialized.get(SECONDS)
    with pytest.raises(ra.SupervisionError, match="can't start new thread"):
        second.reduce.call_one().get(SECONDS)
    first.reduce.call_one().get(SECONDS)
    proc.spawn("third", Unborn).initialized.get(SECONDS)
    assert [failure.kind for failure in failures] == ["init"]


class Breaking(Actor):
    """Breaks its interpreter."""

    @endpoint
    def breaks(self) -> None:
        import builtins

        builtins.len = builtins.isinstance = None  # type: ignore[assignment]

    @endpoint
    def fails(self) -> None:
        raise ValueError


def test_actor_when_its_interpreter_is_broken(failures: list[ra.MeshFailure]) -> None:
    with ra.this_host().spawn_procs() as mesh:
        breaking: Any = mesh.spawn("breaking", Breaking)
        breaking.breaks.call_one().exception(SECONDS)
        with pytest.raises(ra.SupervisionError, match="exited with status 71"):
            breaking.fails.call_one().get(SECONDS)
    until(lambda: [failure.status for failure in failures] == [71])


STUCK = """
import os, threading
from runtime import actor as ra, config
from runtime.actor import Actor, endpoint
config.configure(stuck_after=0.2, aggregate_window=0, cleanup_timeout=1.0)

class Mortal(Actor):
    @endpoint
    def die(self): os._exit(3)

class Stuck(Actor):
    def __init__(self):
        self.mortal = ra.this_host().spawn_procs().spawn("mortal", Mortal)
    @endpoint
    def provoke(self): self.mortal.die.broadcast()
    def __supervise__(self, failure): self.waits_for_ever()
    def waits_for_ever(self): threading.Event().wait()

class Late(Actor):
    @endpoint
    def fine(self): pass
    def __cleanup__(self, error): self.waits_too()
    def waits_too(self): threading.Event().wait()

class Awaits(Actor):
    def __init__(self):
        self.mortal = ra.this_host().spawn_procs().spawn("mortal", Mortal)
    @endpoint
    async def provoke(self): self.mortal.die.broadcast()
    async def __supervise__(self, failure): await self.awaits_for_ever()
    async def awaits_for_ever(self):
        import asyncio
        await asyncio.Event().wait()

procs = ra.this_host().spawn_procs()
procs.spawn("stuck", Stuck).provoke.call_one().get(30)
procs.spawn("awaits", Awaits).provoke.call_one().get(30)
late = procs.spawn("late", Late)
late.fine.call_one().get(30)
late.stop().get(30)
print("STOPPED 1", flush=True)
threading.Event().wait(30)
"""


def test_hooks_when_they_are_stuck(program: Callable[[str], Script]) -> None:
    script = program(STUCK)
    words = (
        "stuck.__supervise__ has run for",
        "in waits_for_ever",
        "awaits.__supervise__ has run for",
        "in awaits_for_ever",
        "late.__cleanup__ has run for",
        "in waits_too",
        "late.__cleanup__ has run for 1 s, and is given up",
        "STOPPED",
    )
    until(lambda: all(word in script.out for word in words))
