"""Who is running: the actor of the current thread or task, and the message it handles."""

from __future__ import annotations

from contextvars import ContextVar
from importlib import import_module

from runtime.actor.shapes.shape import Extent, Point

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from runtime.core import Mailbox

Chain = tuple[tuple[int, int, int, str], ...]
NOWHERE = Extent((), ())
#: What an instance has of its own while it is at a breakpoint.
STANDS = "stands"


class Instance:
    """One actor in its process: what `context().actor_instance` is.

    `rank` is the place in the mesh that was spawned, `creator` the name of the actor that did.
    """

    def __init__(  # noqa: PLR0913 - the facts of an actor
        self,
        *,
        node: int,
        actor: int,
        name: str,
        class_name: str,
        rank: Point,
        creator: str,
        proc: str,
        mailbox: Mailbox | None,
    ) -> None:
        self.node = node
        self.actor = actor
        self.name = name
        self.class_name = class_name
        self.rank = rank
        self.creator = creator
        self._proc = proc
        self.mailbox = mailbox
        self.system = False
        self.returns: Any = None  # follows messages, for an actor that wants to know of lost ones
        self.own: dict[str, Any] = {}  # what the runtime keeps with an actor
        self.ends: Callable[[str, BaseException | None], None] | None = None

    @property
    def actor_id(self) -> str:
        """The identity of the actor, unique in the program."""
        return f"{self._proc}.{self.name}[{self.node:x}.{self.actor:x}]"

    @property
    def proc_id(self) -> str:
        """The identity of its process, unique in the program."""
        return f"{self._proc}<{self.node:016x}>"

    @property
    def path(self) -> str:
        """The name of the actor with its place, for people."""
        place = ", ".join(f"{label}={index}" for label, index in self.rank.items())
        return f"{self.name}{{{place}}}" if place else self.name

    @property
    def proc(self) -> Any:  # noqa: ANN401 - a ProcMesh, which is above this module
        """The process of the actor, as a mesh of one."""
        return self.own["proc"]()

    @property
    def proc_mesh(self) -> Any:  # noqa: ANN401
        """The mesh of processes that the actor's mesh was spawned on."""
        return self.own["proc_mesh"]()

    def abort(self, reason: str = "") -> None:
        """Fail this actor with a reason; its owner is told."""
        self._end(reason or "the actor aborted itself", failed=True)

    kill = abort

    def stop(self, reason: str = "") -> None:
        """End this actor after the current message, without a failure."""
        self._end(reason or "the actor stopped itself", failed=False)

    def set_system(self) -> None:
        """Mark this actor as one of the runtime's own, which lists for people leave out."""
        self.system = True

    def _end(self, reason: str, *, failed: bool) -> None:
        if self.ends is None:
            raise RuntimeError(f"{self.path} is the program's client: it ends with its process")
        self.ends(reason, RuntimeError(reason) if failed else None)

    def __repr__(self) -> str:
        return f"Instance({self.actor_id})"


class Context:
    """What `context()` returns: the running actor, and where the message found it."""

    __slots__ = ("_place", "actor_instance", "chain", "request", "waits")

    def __init__(
        self,
        instance: Instance,
        place: tuple[int, tuple[str, ...], tuple[int, ...]] | None = None,
        chain: Chain = (),
        *,
        waits: bool = True,
    ) -> None:
        self.actor_instance = instance
        self.chain = chain
        self.waits = waits  # the actor takes no message while this one waits
        self._place = place

    @property
    def message_rank(self) -> Point:
        """The place of this actor in the slice of the mesh that the message was sent to."""
        if self._place is None:
            return Point(0, NOWHERE)
        rank, labels, sizes = self._place
        return Point(rank, Extent(labels, sizes))


_running: ContextVar[Context] = ContextVar("runtime.actor.context")
_root: list[Callable[[], Context]] = []


def context() -> Context:
    """Return the context of the running actor; outside of actors, of the program's client.

    The first call outside of an actor makes this process the client of a program.
    """
    found = _running.get(None)
    if found is not None:
        return found
    if not _root:
        become_client()
    return _root[0]()


def become_client() -> None:
    """Import what makes a process that nobody has started as a worker the client of a program."""
    # By name: the client is above this module.
    import_module("runtime.actor.client")


def current() -> Context | None:
    """Return the context of the running actor, or None outside of actors."""
    return _running.get(None)


enter = _running.set
leave = _running.reset


def provide_root(make: Callable[[], Context]) -> None:
    """Say how the context of a process without actors is made; the client does."""
    _root[:] = [make]


def current_rank() -> Point:
    """Return the place of this actor in the slice that the current message was sent to.

    In its constructor and its `__cleanup__` it is the place in the mesh that was spawned.
    """
    return context().message_rank


def current_size() -> dict[str, int]:
    """Return the sizes of the mesh that `current_rank` is a place in."""
    return dict(context().message_rank.extent)


def current_actor_name() -> str:
    """Return the identity of the running actor."""
    return context().actor_instance.actor_id
