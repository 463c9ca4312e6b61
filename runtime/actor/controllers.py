"""Controllers: actors of which a program has one under each name, whoever asks first.

They live in the client's process, and the client owns them. Its agent takes the requests one at a
time, so two that ask at once get the same one, wherever they are.
"""

from __future__ import annotations

import threading

from runtime.actor import _context, arity, sending
from runtime.actor.actor import check_class
from runtime.actor.agent import pickled_class
from runtime.actor.errors import SerializationError, SupervisionError
from runtime.actor.future import Future
from runtime.actor.local import local
from runtime.actor.raised import describe_error
from runtime.actor.replies import ERROR, FAILED, OK, failure_bytes, problem_of, reply, value_of
from runtime.transport.pickling import PicklingError, dumps, loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeVar

    from runtime.actor.actor import Actor
    from runtime.actor.actor_mesh import ActorMesh
    from runtime.actor.agent import Agent
    from runtime.core import Call, Message

    A = TypeVar("A", bound=Actor)


def get_or_spawn_controller(
    name: str,
    Class: type[A],  # noqa: N803 - as in Monarch
    *args: Any,  # noqa: ANN401
    **kwargs: Any,  # noqa: ANN401
) -> Future[ActorMesh[A]]:
    """Return the program's actor of this name; the first who asks has it constructed.

    It lives in the client's process and ends with the program, or by a failure, after which the
    next who asks gets a new one. A constructor that fails is a failure of the client's, and
    SupervisionError for all who asked; who asks with another class, which is none that the one
    that is there inherits from, gets TypeError.
    """
    check_class(Class)
    arity.check_constructor(Class, args, kwargs)
    try:
        carried = pickled_class(Class, args, kwargs)
    except PicklingError as error:
        raise SerializationError(f"controller {name}: {error}") from error
    here = local()
    data, _ = dumps((name,))
    call = sending.ask(here.node, [here.root], "controller", data, carried)

    def settle(call: Call) -> ActorMesh[A]:
        problem = call.problem()
        if problem is not None:
            raise problem_of(problem, f"controller {name}")
        mesh: ActorMesh[A] = value_of(call.take()[0])
        return mesh._as(Class)  # noqa: SLF001 - of the same package

    return Future(call, settle, lambda: None)


class Controllers:
    """Those of the program; the client has them."""

    def __init__(self, agent: Agent) -> None:
        self._agent = agent
        self._entries: dict[str, _Entry] = {}
        agent.handlers["controller"] = self._asked

    def _asked(self, message: Message) -> None:
        """Answer with the one that is there, or have one made. On the agent's thread."""
        name = loads(message.data)[0]
        entry = self._entries.get(name)
        if entry is None or entry.is_over(self._agent):
            entry = self._entries[name] = _Entry(name, message.buffers())
        entry.ask(message)


class _Entry:
    """One controller, from the first who asks for it on."""

    def __init__(self, name: str, carried: list[Any]) -> None:
        self._name = name
        self._carried = carried
        self._asking: list[Message] | None = []  # None from when there is an answer
        self._answer: tuple[int, bytes, list[Any]] = FAILED, b"", []
        self._actor = 0
        self._lock = threading.Lock()
        threading.Thread(target=self._make, name=f"controller {name}", daemon=True).start()

    def is_over(self, agent: Agent) -> bool:
        """Tell whether it could not be made, or has ended."""
        return self._asking is None and self._actor not in agent.actors

    def ask(self, message: Message) -> None:
        """Answer when it is there."""
        with self._lock:
            if self._asking is not None:
                self._asking.append(message)
                return
        self._tell(message)

    def _make(self) -> None:
        """Construct it: rebuilding its class and its arguments runs the program's own code."""
        try:
            kind, args, kwargs = loads(memoryview(self._carried[0]), self._carried[1:])
            procs = _context.context().actor_instance.proc
            mesh = procs.spawn(self._name, kind, *args, **kwargs)
            mesh.initialized.get()
            self._answer = OK, *dumps((mesh,))
            self._actor = mesh._actor_id  # noqa: SLF001 - of the same package
        except SupervisionError as error:
            self._answer = FAILED, failure_bytes(error.failure), []
        except BaseException as error:  # noqa: BLE001 - whoever asked is told, also of sys.exit
            self._answer = ERROR, describe_error(error), []
        with self._lock:
            asking, self._asking = self._asking or [], None
        for message in asking:
            self._tell(message)

    def _tell(self, message: Message) -> None:
        reply(local().node, message, *self._answer)
