"""Actors and calls, in the words of the field cases."""

import asyncio
import functools
import os
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from typing import Any

from runtime import actor as ra
from runtime.actor.actor_mesh import ActorMesh
from runtime.actor.endpoints import EndpointProperty
from runtime.actor.shapes.shape import Shape
from tests.runtime.field.errors import translated

endpoint = ra.endpoint
LONG = 120.0


class Actor(ra.Actor):
    """An actor whose owner's hook has the field cases' name.

    The cases let calls of a class without a constructor, which has no state, run beside each other.
    """

    def __init_subclass__(cls) -> None:
        if "__init__" not in vars(cls):
            for name, found in list(vars(cls).items()):
                if isinstance(found, EndpointProperty) and not found.is_async:
                    setattr(cls, name, _beside(found.method))

    def ref(self) -> "Handle":
        """Return a handle of this actor."""
        me = ra.context().actor_instance
        return Handle(ActorMesh(me.name, type(self), me.actor, (me.node,), Shape.unity()), None)

    def on_child_failure(self, failure: ra.MeshFailure) -> bool:
        """Decide about a failure; this one does not handle it."""
        del failure
        return False

    def __supervise__(self, failure: ra.MeshFailure) -> bool:
        return self.on_child_failure(failure)


def _beside(method: Callable[..., Any]) -> Any:  # noqa: ANN401 - an endpoint
    """Return an endpoint that runs a plain method on a thread of its own."""

    @functools.wraps(method)
    async def run(self: object, *args: Any) -> Any:  # noqa: ANN401
        return await asyncio.to_thread(method, self, *args)

    return ra.concurrent_endpoint(run)


class Probe(ra.Actor):
    """Answers for its process, whatever the other actors there do."""

    @ra.endpoint
    def pid(self) -> int:
        """Return the process."""
        return os.getpid()

    @ra.endpoint
    def environment(self) -> dict[str, str]:
        """Return the environment of the process."""
        return dict(os.environ)

    @ra.endpoint
    def ping(self) -> bool:
        """Answer."""
        return True


class Chatter(Actor):
    """Prints."""

    @ra.endpoint
    def print_lines(self, count: int) -> None:
        """Print numbered lines."""
        for number in range(count):
            print("line", number)  # noqa: T201 - what it is for


@contextmanager
def in_their_words() -> Generator[None]:
    """Raise what the runtime raises as what the field cases expect."""
    try:
        yield
    except Exception as error:
        other = translated(error)
        if other is error:
            raise
        raise other from error


class Started:
    """A call under way; `timeout` counts from its start, and gives the call up."""

    def __init__(self, future: ra.Future[Any], timeout: float | None) -> None:
        self._future = future
        self._end = None if timeout is None else time.monotonic() + timeout

    def result(self, timeout: float | None = None) -> Any:  # noqa: ANN401 - the endpoint's
        """Wait for the result."""
        left = None if self._end is None else max(0.0, self._end - time.monotonic())
        waits = [each for each in (timeout, left) if each is not None]
        try:
            with in_their_words():
                return self._future.get(min(waits) if waits else LONG)
        except TimeoutError:
            if left is not None and (timeout is None or left <= timeout):
                self._future.cancel()
            raise

    def cancel(self) -> None:
        """Give the call up."""
        self._future.cancel()

    def __await__(self) -> Generator[Any, None, Any]:
        return self._awaited().__await__()

    async def _awaited(self) -> Any:  # noqa: ANN401
        with in_their_words():
            return await self._future


class Handle:
    """One actor."""

    def __init__(self, mesh: ActorMesh[Any], probe: ActorMesh[Probe] | None) -> None:
        self._mesh = mesh
        self._probe = probe
        self._pid: int | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        return Handle, (self._mesh, self._probe)

    @property
    def pid(self) -> int:
        """The process of the actor, which may be dead by now."""
        if self._pid is None:
            assert self._probe is not None, "an actor's own handle is not asked for its process"
            self._pid = int(self._probe.pid.call_one().get(LONG))
        return self._pid

    def start(self, name: str, *args: Any, timeout: float | None = None) -> Started:  # noqa: ANN401
        """Call an endpoint, and do not wait."""
        with in_their_words():
            return Started(self._endpoint(name).call_one(*args), timeout)

    def call(self, name: str, *args: Any, timeout: float = LONG) -> Any:  # noqa: ANN401
        """Call an endpoint."""
        return self.start(name, *args, timeout=timeout).result()

    def post(self, name: str, *args: Any) -> None:  # noqa: ANN401
        """Send a message that is not answered."""
        with in_their_words():
            self._endpoint(name).broadcast(*args)

    def _endpoint(self, name: str) -> Any:  # noqa: ANN401 - an Endpoint
        try:
            return getattr(self._mesh, name)
        except AttributeError:
            self._mesh.initialized.get(LONG)  # an actor that is dead has no endpoints at all
            raise


class Group:
    """The actors of one spawn, by rank."""

    def __init__(
        self, mesh: ActorMesh[Any], parts: Sequence[Handle], pids: Sequence[int] | None = None
    ) -> None:
        self._mesh = mesh
        self._parts = parts
        self._pids = pids

    def __reduce__(self) -> tuple[Any, ...]:
        return Group, (self._mesh, self._parts, self._pids)

    def __getitem__(self, rank: int) -> Handle:
        return self._parts[rank]

    def __len__(self) -> int:
        return len(self._parts)

    @property
    def pids(self) -> list[int]:
        """The processes of the actors."""
        return [part.pid for part in self._parts]

    def call_all(self, name: str, *args: Any, timeout: float = LONG) -> list[Any]:  # noqa: ANN401
        """Call every actor; return the results by rank."""
        with in_their_words():
            return list(getattr(self._mesh, name).call(*args).get(timeout).values())
