"""An actor where it lives: its thread, its messages, its end."""

from __future__ import annotations

import os
import threading
from collections import OrderedDict

from runtime import core
from runtime.actor import _context, undelivered
from runtime.actor.actor import Actor, offer_of
from runtime.actor.answers import ActorStopped, Answer
from runtime.actor.errors import CallCancelledError, MeshFailure, placed
from runtime.actor.leaving import leave_broken, leave_fork
from runtime.actor.patience import Patience
from runtime.actor.raised import describe_error, print_exception, told
from runtime.actor.replies import ERROR, failure_bytes
from runtime.actor.shapes.shape import Extent, Point
from runtime.telemetry import Watch, state
from runtime.transport.pickling import loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from runtime.actor._context import Context, Instance
    from runtime.actor.local import Local
    from runtime.actor.owning import Owner
    from runtime.core import Message

_REMEMBERED = 1024  # calls that were given up before they were begun
_NO_LOOP = "__supervise__ returned an awaitable, but the actor's endpoints are plain functions"


class Spec:
    """What an actor is made from.

    `owner` is the node and the actor that spawned its mesh, `procs` the name and the nodes of the
    processes that it was spawned on.
    """

    def __init__(  # noqa: PLR0913 - the facts of an actor; dataclasses cost a process its start
        self,
        *,
        actor: int,
        mesh_name: str,
        procs: tuple[str, tuple[int, ...]],
        rank: int,
        labels: tuple[str, ...],
        sizes: tuple[int, ...],
        owner: tuple[int, int],
        creator: str,
    ) -> None:
        self.actor = actor
        self.mesh_name = mesh_name
        self.procs = procs
        self.rank = rank
        self.labels = labels
        self.sizes = sizes
        self.owner = owner
        self.creator = creator

    @property
    def point(self) -> Point:
        """The place in the mesh."""
        return Point(self.rank, Extent(self.labels, self.sizes))


class Runner:
    """One actor: constructs it, gives it its messages one at a time, and ends it.

    Everything of the user's runs on the actor's own thread. `started` is told None, or the
    failure of the construction; `ended` is told once, with the failure or None.
    """

    def __init__(  # noqa: PLR0913 - what it is made from, and whom it tells
        self,
        local: Local,
        spec: Spec,
        construct: Callable[[], Actor],
        *,
        started: Callable[[MeshFailure | None], None],
        ended: Callable[[Runner, MeshFailure | None], None],
        fill: Callable[[Instance], None],
        serve_async: Callable[[Runner], None],
    ) -> None:
        self.local = local
        self.spec = spec
        self.place = (spec.rank, dict(spec.point))
        self.path = spec.mesh_name + placed(self.place[1])
        self.mailbox = core.open_mailbox(local.node, spec.actor)
        self.cancelled: OrderedDict[tuple[int, int], None] = OrderedDict()
        place = ",".join(f"{label}={index}" for label, index in spec.point.items())
        self.watch = Watch(
            spec.mesh_name, f"{spec.mesh_name}{{{place}}}" if place else spec.mesh_name
        )
        self._construct = construct
        self._started = started
        self._ended = ended
        self._fill = fill
        self._serve_async = serve_async
        self._reason: str = ""
        self.fatal: MeshFailure | None = None
        self.gone = False  # its owner knows that it has ended
        self._user: Any = None
        # Actors whose endpoints are coroutines put their event loop's here.
        self.finish_async: Callable[[Any], object] = lambda _: None
        self.close_async: Callable[[], object] = lambda: None
        self.interrupt: Callable[[], object] = lambda: None
        self._thread = threading.Thread(
            target=self._live_and_end, name=self.watch.path, daemon=True
        )

    def start(self) -> None:
        """Begin on a thread of its own."""
        self._thread.start()

    def join(self, timeout: float) -> bool:
        """Wait for the end; return whether it came."""
        if self._thread is not threading.current_thread():
            self._thread.join(timeout)
        return not self._thread.is_alive()

    @property
    def thread_id(self) -> int | None:
        """The thread, for stacks."""
        return self._thread.ident

    def give_up(self, caller: int, request: int) -> None:
        """Cancel a call: before it is begun, or where it awaits."""
        self.cancelled[caller, request] = None
        while len(self.cancelled) > _REMEMBERED:
            self.cancelled.popitem(last=False)

    # The life of the actor, on its thread.

    def _live_and_end(self) -> None:
        try:
            self._run()
        except BaseException as error:  # noqa: BLE001 - the runtime itself is broken here
            leave_broken(error)

    def _run(self) -> None:
        spec = self.spec
        self.instance = _context.Instance(
            node=self.local.node.id,
            actor=spec.actor,
            name=spec.mesh_name,
            class_name="",
            rank=spec.point,
            creator=spec.creator,
            proc=self.local.name,
            mailbox=self.mailbox,
        )
        self.instance.ends = self._end
        self._fill(self.instance)
        # Of what no message is for: the constructor, and the end.
        _context.enter(_context.Context(self.instance, (spec.rank, spec.labels, spec.sizes)))
        failure: MeshFailure | None = None
        span = self.watch.begin_hook("__init__")
        try:
            self._user = self._construct()
            self.instance.class_name = type(self._user).__qualname__
            if offer_of(type(self._user)).takes_back:
                self.instance.returns = undelivered.Returns(self)
        except BaseException as error:  # noqa: BLE001 - whatever a constructor raises
            failure = self.failure_of(error, "init")
        self.watch.end_hook(span)
        self._started(failure)
        self._finish(failure or self._live())

    def _live(self) -> MeshFailure | None:
        try:
            if offer_of(type(self._user)).is_async:
                self._serve_async(self)
            else:
                while (message := self.mailbox.receive(None)) is not None:
                    self.handle(message)
        except ActorStopped:
            return self.fatal
        except BaseException as error:  # noqa: BLE001 - it fails the actor, whatever it is
            return self.fatal or self.failure_of(error, "exception")
        return self.fatal

    def _finish(self, failure: MeshFailure | None) -> None:
        words = failure or self.stopped()
        self.local.ended.add(self.spec.actor)
        self.local.node.close_mailbox(self.spec.actor, failure_bytes(words))
        self._ended(self, failure)
        self.close_async()

    def clean_up(self, failure: MeshFailure | None, give_up: Callable[[], None]) -> None:
        """Run the actor's `__cleanup__`, if it has one and was constructed.

        When that takes longer than `cleanup_timeout`, `give_up` is called, on a thread of its own.
        """
        error = RuntimeError(failure.cause) if failure is not None else None
        span = self.watch.begin_hook("__cleanup__")
        try:
            hook = getattr(self._user, "__cleanup__", None)
            if hook is not None:
                with Patience(give_up):
                    done = hook(error)
                    if hasattr(done, "__await__"):
                        self.finish_async(done)
        except BaseException as error:  # noqa: BLE001 - the actor ends all the same
            print_exception(error)
        self.watch.end_hook(span)

    @property
    def has_cleanup(self) -> bool:
        """Whether the actor was constructed and has something to do at its end."""
        return hasattr(self._user, "__cleanup__")

    def fail_with(self, error: BaseException) -> None:
        """End the actor by an exception that nobody else is told of."""
        self.fatal = self.fatal or self.failure_of(error, "exception")
        self.tell("!stop")

    # Messages.

    def handle(self, message: Message) -> None:
        """Run the endpoint that a message is for, and answer."""
        if message.method.startswith("!"):
            self.control(message)
            return
        if self.is_cancelled(message):
            return
        call = self.unpack(message)
        if call is None:
            return
        method, args, kwargs, context, reply = call
        token = _context.enter(context)
        span, failed = self.watch.begin(message), True
        try:
            result = method(*args, **kwargs)
            leave_fork(None)
            reply.result(result)
            failed = False
        except Exception as error:  # noqa: BLE001 - the endpoint's own, or its result's pickling
            leave_fork(error)
            reply.error(error)
        except BaseException as error:
            leave_fork(error)
            reply.fatal(error)
            raise
        finally:
            self.watch.end(span, failed=failed)
            _context.leave(token)

    def is_cancelled(self, message: Message) -> bool:
        """Answer a call that was given up before it was begun."""
        if not self.cancelled or not message.request:
            return False
        if self.cancelled.pop((message.source_node, message.request), 0) == 0:
            return False
        error = describe_error(CallCancelledError("the call was given up before it was begun"))
        self.reply(message, ERROR, error)
        return True

    def unpack(
        self, message: Message
    ) -> tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any], Context, Answer] | None:
        """Return what to call with what; a message that cannot be read is answered, and None."""
        answer = Answer(self, message)
        try:
            buffers = message.buffers() if message.buffer_count else ()
            args, kwargs, place, port = loads(message.data, buffers)
            method, explicit, waits = self._method(message.method)
        except core.SenderDiedError:  # whoever has to do with it is told of its death
            return None
        except Exception as error:  # noqa: BLE001 - unpickling runs the user's code
            answer.unreadable(error)
            return None
        except BaseException as error:  # nobody waits for ever
            answer.fatal(error)
            raise
        here = None if place is None else (message.index, *place)
        context = _context.Context(self.instance, here, message.chain, waits=waits)
        if port is not None:
            answer.port = port.with_rank(message.index)
        if explicit:
            args = (answer.take_port(), *args)
        return method, args, kwargs, context, answer

    def _method(self, name: str) -> tuple[Callable[..., Any], bool, bool]:
        found = offer_of(type(self._user)).endpoints.get(name)
        if found is not None:
            method = found.method.__get__(self._user)
            return method, found.explicit_response_port, not found.concurrent
        prefix, _, plain = name.rpartition(":")
        method = getattr(self._user, plain, None)
        if prefix not in ("as", "port") or not callable(method):
            raise AttributeError(f"{type(self._user).__qualname__} has no endpoint {name!r}")
        return method, prefix == "port", True

    def control(self, message: Message) -> None:
        """Do what the runtime asks of the actor, between two messages of others."""
        if message.method == "!stop":
            raise ActorStopped
        if message.method == "!fail":
            self.fatal = self.fatal or self._brought_down(loads(message.data)[0])
            raise ActorStopped
        if message.method == "!undelivered":
            undelivered.take_back(self._user, message.data)
        if message.method == "!supervise":
            failure, owner = self._asked(message)
            span = self.watch.begin_hook("__supervise__")
            try:
                found = self._user.__supervise__(failure)
                if hasattr(found, "__await__"):
                    raise TypeError(_NO_LOOP)  # noqa: TRY301
                verdict: bool | MeshFailure = bool(found)
            except BaseException as error:  # noqa: BLE001 - it is the owner's failure
                verdict = self.failure_of(error, "exception")
            self.watch.end_hook(span)
            owner.handled(failure.event_id, verdict)

    async def supervise(self, message: Message, task: object) -> None:
        """Ask the actor about a failure, in a task; its `__supervise__` may be a coroutine."""
        failure, owner = self._asked(message)
        span = self.watch.begin_hook("__supervise__", task)
        try:
            found = self._user.__supervise__(failure)
            verdict: bool | MeshFailure = bool(
                await found if hasattr(found, "__await__") else found
            )
        except BaseException as error:  # noqa: BLE001 - it is the owner's failure
            verdict = self.failure_of(error, "exception")
        self.watch.end_hook(span)
        owner.handled(failure.event_id, verdict)

    def _asked(self, message: Message) -> tuple[MeshFailure, Owner]:
        owner = self.local.owners[self.spec.actor]
        return owner.seen_by_owner(loads(message.data)[0]), owner

    def _brought_down(self, failure: MeshFailure) -> MeshFailure:
        """Return the failure of this actor that a child's is, unless it is its own already."""
        spec = self.spec
        if (failure.actor_name, failure.rank) == (spec.mesh_name, spec.rank) and (
            failure.pid == os.getpid()
        ):
            return failure
        words = f"it did not handle the failure of {failure.actor_name or failure.mesh_name}"
        return self._facts("child", words, "").but(origin=failure)

    # Ends.

    def _end(self, reason: str, error: BaseException | None) -> None:
        """End the actor after what it does now: `context().actor_instance.stop` and `abort`."""
        self._reason = reason
        if error is not None:
            self.fatal = self.failure_of(error, "exception")
        self.tell("!stop")

    def stop(self, reason: str) -> None:
        """End the actor after the message that it handles."""
        self._reason = self._reason or reason
        self.tell("!stop")

    def tell(self, method: str, data: bytes = b"") -> None:
        """Put a control message before all others."""
        self.local.node.tell(self.spec.actor, method, data)

    def stopped(self) -> MeshFailure:
        """Return what callers of a stopped actor are told."""
        reason = self._reason or "it was stopped"
        return self._facts("stopped", f"the actor has ended: {reason}", "")

    def failure_of(self, error: BaseException, kind: str, /) -> MeshFailure:
        """Return an exception of the actor as its failure."""
        text, formatted = told(error)
        return self._facts(kind, text, formatted)

    def _facts(self, kind: str, cause: str, formatted: str) -> MeshFailure:
        spec = self.spec
        return MeshFailure(
            event_id=os.urandom(16).hex(),
            kind=kind,
            cause=cause,
            mesh_name=spec.mesh_name,
            actor_name=spec.mesh_name,
            rank=spec.rank,
            point=dict(spec.point),
            host=self.local.host,
            pid=os.getpid(),
            traceback=formatted,
        )

    def reply(self, message: Message, status: int, data: bytes, buffers: Any = (), /) -> None:  # noqa: ANN401
        """Answer the caller of a message, if anybody waits."""
        if message.request:
            if state.on:
                state.replied(len(data) + sum(memoryview(each).nbytes for each in buffers))
            message.reply(status, data, list(buffers))
