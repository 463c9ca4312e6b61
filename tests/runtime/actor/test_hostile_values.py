"""Calls with values, exceptions and cancellations as bad as can be: all are answered."""
# ruff: noqa: ANN401 - actors and meshes have endpoints of any signature

import asyncio
import contextlib
from collections.abc import Iterator
from typing import Any

import pytest

from runtime import actor as ra
from runtime.actor import Actor, concurrent_endpoint, endpoint

SECONDS = 30.0


class Unpicklable:
    """Raises what it is told to when it is pickled."""

    def __init__(self, error: BaseException) -> None:
        self.error = error

    def __reduce__(self) -> Any:
        raise self.error


class Unreadable:
    """Ends whoever unpickles it."""

    def __reduce__(self) -> Any:
        return _exit, ()


class Veiled:
    """Raises when its class is asked for."""

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        raise ValueError("veiled")


class MuteError(Exception):
    """Has no text, in the worst way."""

    def __str__(self) -> str:
        raise SystemExit(3)


class LockedError(Exception):
    """Cannot be pickled, in the worst way."""

    def __reduce__(self) -> Any:
        raise SystemExit(4)


def _exit() -> None:
    raise SystemExit(5)


class Hostile(Actor):
    """Gives back bad values."""

    @endpoint
    def echo(self, value: Any) -> Any:
        """Give the value back."""
        return value

    @endpoint
    def unpicklable(self, kind: type[BaseException]) -> Any:
        """Return what raises when it is pickled."""
        return Unpicklable(kind("no"))

    @endpoint
    def make(self, kind: type) -> Any:
        """Return one of these."""
        return kind()

    @endpoint
    def fail(self, kind: type[BaseException]) -> None:
        """Raise one of these."""
        raise kind


class Sleeper(Actor):
    """Sleeps beside itself."""

    @concurrent_endpoint
    async def sleep(self, seconds: float) -> float:
        """Sleep."""
        await asyncio.sleep(seconds)
        return seconds

    @concurrent_endpoint
    async def go_on(self) -> None:
        """Sleep, whoever cancels it."""
        while True:
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.sleep(3600.0)


class Patient(Actor):
    """Sleeps, one call after the other."""

    @endpoint
    async def sleep(self, seconds: float) -> float:
        """Sleep."""
        await asyncio.sleep(seconds)
        return seconds


@pytest.fixture
def proc(failures: list[ra.MeshFailure]) -> Iterator[ra.ProcMesh]:
    """Give one process."""
    mesh = ra.this_host().spawn_procs()
    yield mesh
    mesh.stop().get(SECONDS)


@pytest.fixture
def hostile(proc: ra.ProcMesh) -> Any:
    """Give an actor that gives back bad values."""
    return proc.spawn("hostile", Hostile)


@pytest.mark.parametrize("kind", [SystemExit, KeyboardInterrupt, GeneratorExit])
def test_result_when_its_pickling_ends_the_actor(hostile: Any, kind: type[BaseException]) -> None:
    with pytest.raises(ra.SupervisionError, match=kind.__name__):
        hostile.unpicklable.call_one(kind).get(SECONDS)


def test_argument_when_reading_it_ends_the_actor(hostile: Any) -> None:
    with pytest.raises(ra.SupervisionError, match="SystemExit: 5"):
        hostile.echo.call_one(Unreadable()).get(SECONDS)


def test_result_when_reading_it_raises_no_exception(hostile: Any) -> None:
    future = hostile.make.call_one(Unreadable)
    for _ in range(2):
        with pytest.raises(SystemExit, match="5"):
            future.get(SECONDS)
    assert isinstance(future.exception(SECONDS), SystemExit)


def test_value_when_it_cannot_be_looked_at(hostile: Any) -> None:
    with pytest.raises(ra.SerializationError, match=r"type .*Veiled"):
        hostile.echo.call_one(Veiled())
    with pytest.raises(ra.SerializationError, match=r"type .*Veiled"):
        hostile.make.call_one(Veiled).get(SECONDS)
    assert hostile.echo.call_one(1).get(SECONDS) == 1


def test_value_when_what_it_raises_has_no_text(hostile: Any) -> None:
    with pytest.raises(ra.SerializationError, match="NoTextError"):
        hostile.echo.call_one(Unpicklable(NoTextError()))


class NoTextError(Exception):
    """Has no text."""

    def __str__(self) -> str:
        raise ValueError("no text")


@pytest.mark.parametrize("kind", [MuteError, LockedError])
def test_error_when_describing_it_would_end_the_actor(
    hostile: Any, kind: type[BaseException]
) -> None:
    with pytest.raises(ra.ActorError, match=kind.__name__):
        hostile.fail.call_one(kind).get(SECONDS)
    assert hostile.echo.call_one(1).get(SECONDS) == 1


@pytest.mark.parametrize("kind", [Sleeper, Patient])
def test_cancel_when_it_races_with_the_beginning(
    proc: ra.ProcMesh, failures: list[ra.MeshFailure], kind: type[Actor]
) -> None:
    sleeper: Any = proc.spawn("sleeper", kind)
    sleeper.initialized.get(SECONDS)
    for _ in range(300):
        future = sleeper.sleep.call_one(20.0)
        future.cancel()
        with pytest.raises(ra.CallCancelledError):
            future.get(SECONDS)
    assert sleeper.sleep.call_one(0.0).get(SECONDS) == 0.0
    assert not failures


def test_stop_when_a_broadcast_runs_beside(
    proc: ra.ProcMesh, failures: list[ra.MeshFailure]
) -> None:
    sleeper: Any = proc.spawn("sleeper", Sleeper)
    sleeper.sleep.broadcast(60.0)
    assert sleeper.sleep.call_one(0.0).get(SECONDS) == 0.0
    sleeper.stop().get(SECONDS)
    assert not failures


def test_stop_when_an_endpoint_does_not_take_its_cancellation(proc: ra.ProcMesh) -> None:
    sleeper: Any = proc.spawn("sleeper", Sleeper)
    stubborn = sleeper.go_on.call_one()
    assert sleeper.sleep.call_one(0.0).get(SECONDS) == 0.0
    sleeper.stop().get(SECONDS)
    with pytest.raises(ra.CallCancelledError):
        stubborn.get(SECONDS)
