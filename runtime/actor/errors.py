"""What goes wrong between actors: failures as facts, and one tree of exceptions."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

_FACTS = (
    "event_id",
    "kind",
    "cause",
    "mesh_name",
    "actor_name",
    "rank",
    "point",
    "host",
    "pid",
    "status",
    "signal",
    "traceback",
    "output_tail",
    "origin",
)
_UNSAID: tuple[object, ...] = (None, "", (), {})


class MeshFailure:
    """The death of a process or an actor of a mesh, told once, with its evidence.

    `kind` is the evidence: exit, signal, heartbeat, connection, exception, init, stopped, or child:
    an owner that did not handle the failure of what it had spawned.
    `rank` and `point` say where in the mesh `mesh_name`; `cause` says in one line what happened,
    `traceback` and `output_tail` (last lines of the process's output) show it. `origin` is the
    failure that this one follows from, when an owner went down for a child: the root cause is
    at the end of that chain. Every waiter of one death sees the same `event_id`. It does not
    change; equal are those with equal facts, whoever's `mesh` object they have.
    """

    # A plain class: `dataclasses` would cost every process a third of its start.
    __slots__ = (*_FACTS, "mesh")

    def __init__(  # noqa: PLR0913 - the facts
        self,
        event_id: str,
        kind: str,
        cause: str,
        *,
        mesh_name: str = "",
        actor_name: str = "",
        rank: int | None = None,
        point: Mapping[str, int] | None = None,
        host: str = "",
        pid: int | None = None,
        status: int | None = None,
        signal: int | None = None,
        traceback: str = "",
        output_tail: tuple[str, ...] = (),
        origin: MeshFailure | None = None,
        mesh: object = None,
    ) -> None:
        self.event_id = event_id
        self.kind = kind
        self.cause = cause
        self.mesh_name = mesh_name
        self.actor_name = actor_name
        self.rank = rank
        self.point = point or {}
        self.host = host
        self.pid = pid
        self.status = status
        self.signal = signal
        self.traceback = traceback
        self.output_tail = output_tail
        self.origin = origin
        self.mesh = mesh

    def but(self, **changes: Any) -> MeshFailure:  # noqa: ANN401 - facts
        """Return the same failure with some other facts."""
        return MeshFailure(**{name: getattr(self, name) for name in self.__slots__} | changes)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, MeshFailure):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in _FACTS)

    def __hash__(self) -> int:
        return hash((self.event_id, self.kind, self.cause))

    def __repr__(self) -> str:
        facts = ((name, getattr(self, name)) for name in _FACTS)
        told = ", ".join(f"{name}={value!r}" for name, value in facts if value not in _UNSAID)
        return f"MeshFailure({told})"

    @property
    def root(self) -> MeshFailure:
        """Return the failure that started the chain."""
        failure = self
        while failure.origin is not None:
            failure = failure.origin
        return failure

    def of(self, mesh: object) -> MeshFailure:
        """Return the same failure with the mesh object of whoever looks at it."""
        return self.but(mesh=mesh)

    def report(self) -> str:
        """Return everything that is known, root cause first."""
        parts = []
        failure: MeshFailure | None = self
        while failure is not None:
            parts.append(failure._paragraph())  # noqa: SLF001 - its own class
            failure = failure.origin
        return "\nwhich brought down\n".join(reversed(parts))

    def _paragraph(self) -> str:
        text = self._where()
        text += f": {self.cause}" if text else self.cause
        if self.traceback:
            text += "\n" + _indented(self.traceback.rstrip().splitlines())
        if self.output_tail:
            text += "\n  its last output:\n" + _indented(self.output_tail)
        return text

    def _where(self) -> str:
        name = (self.actor_name or self.mesh_name) + placed(self.point)
        if not self.point and self.rank is not None:
            name += f"[{self.rank}]"
        process = f" (pid {self.pid} on {self.host})" if self.pid is not None else ""
        return f"{name}{process}"

    def __str__(self) -> str:
        return self.report()


def placed(point: Mapping[str, int]) -> str:
    """Return a place as it follows the name of a mesh."""
    place = ", ".join(f"{label}={index}" for label, index in point.items())
    return f"{{{place}}}" if place else ""


def _indented(lines: object) -> str:
    return "\n".join(f"    {line}" for line in lines)  # type: ignore[attr-defined]


class ActorError(Exception):
    """An endpoint raised: the actor lives on, the caller gets this.

    `exception` is the original where it can be rebuilt here, else a RemoteError with its type
    and text; it is also the `__cause__`. `exception_formatted` is the remote traceback. `endpoint`
    is the call; `rank` and `point` say which actor of the mesh that was spawned has raised.
    """

    def __init__(  # noqa: PLR0913 - the facts
        self,
        exception: BaseException,
        message: str,
        formatted: str = "",
        *,
        endpoint: str = "",
        rank: int | None = None,
        point: Mapping[str, int] | None = None,
    ) -> None:
        super().__init__(message)
        self.exception = exception
        self.message = message
        self.exception_formatted = formatted
        self.endpoint = endpoint
        self.rank = rank
        self.point = point or {}
        self.__cause__ = exception

    def __reduce__(self) -> tuple[object, ...]:
        parts = self.exception, self.message, self.exception_formatted
        facts = {"endpoint": self.endpoint, "rank": self.rank, "point": self.point}
        return ActorError, parts, facts


class RemoteError(Exception):
    """Stands for a remote exception that could not be pickled or rebuilt."""

    def __init__(self, type_name: str, text: str) -> None:
        super().__init__(f"{type_name}: {text}" if text else type_name)
        self.type_name = type_name
        self.text = text

    def __reduce__(self) -> tuple[object, ...]:
        return (RemoteError, (self.type_name, self.text))


class SupervisionError(RuntimeError):
    """A call can have no answer, since an actor that it went to is dead.

    `failure` is what happened, the same object of facts for every waiter; `endpoint` the call.
    """

    def __init__(self, failure: MeshFailure, endpoint: str = "") -> None:
        call = f"call of {endpoint} has no answer: " if endpoint else ""
        super().__init__(call + str(failure))
        self.failure = failure
        self.endpoint = endpoint

    @property
    def event_id(self) -> str:
        """The identity of the death, equal for all who are told of it."""
        return self.failure.event_id

    def __reduce__(self) -> tuple[object, ...]:
        return (SupervisionError, (self.failure, self.endpoint))


class SerializationError(TypeError):
    """An argument or a result cannot be pickled; the text names the value and why."""


class MessageTooLargeError(ValueError):
    """A message is larger than `max_frame` allows."""

    def __init__(self, size: int, limit: int) -> None:
        super().__init__(
            f"a message of {size} bytes is over the limit of {limit}; send less at a time, "
            "or raise max_frame (runtime.config)"
        )
        self.size = size
        self.limit = limit

    def __reduce__(self) -> tuple[object, ...]:
        return (MessageTooLargeError, (self.size, self.limit))


class MailboxFullError(RuntimeError):
    """The receiving actor did not keep up, and its mailbox stayed full for `send_timeout`."""

    def __init__(self, capacity: int, waited: float, size: int) -> None:
        super().__init__(
            f"the mailbox of the receiving actor has been full for {waited:g} s: it holds "
            f"{capacity} messages of one sender, or {size >> 20} MiB of them; wait for replies "
            "before sending more, or raise mailbox_capacity or send_timeout (runtime.config)"
        )
        self.capacity = capacity
        self.waited = waited
        self.size = size

    def __reduce__(self) -> tuple[object, ...]:
        return (MailboxFullError, (self.capacity, self.waited, self.size))


class DeadlockError(RuntimeError):
    """A blocking call came back to an actor that waits for its answer.

    `chain`: the actors in the order of the calls, first and last the same.
    """

    def __init__(self, chain: tuple[str, ...]) -> None:
        super().__init__(
            "these calls wait for each other: " + " -> ".join(chain) + "; make one of them "
            "not wait (await in a concurrent_endpoint, or broadcast)"
        )
        self.chain = chain

    def __reduce__(self) -> tuple[object, ...]:
        return (DeadlockError, (self.chain,))


class CallCancelledError(RuntimeError):
    """A call was given up by its caller."""
