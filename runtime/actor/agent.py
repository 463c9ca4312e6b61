"""The agent of a process: serves the mailbox by which the program reaches the process itself.

It constructs and ends actors, tells owners of deaths, and hears from the core what happens to
other processes. It waits for nobody: what takes time runs on a thread of its own.
"""

from __future__ import annotations

import heapq
import itertools
import os
import time

from runtime import config
from runtime.actor import sending
from runtime.actor.actors import Runner, Spec
from runtime.actor.bygones import Bygones
from runtime.actor.errors import MeshFailure
from runtime.actor.patience import until_gone
from runtime.actor.raised import describe_error, print_exception, say
from runtime.actor.replies import ERROR, FAILED, answer, failure_bytes, failure_from, reply
from runtime.actor.telling_owners import tell_ended, tell_started
from runtime.transport.pickling import dumps, loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from runtime.actor._context import Instance
    from runtime.actor.actor import Actor
    from runtime.actor.local import Local
    from runtime.actor.owning import Child, Owner
    from runtime.core import Message

_LOOK = 1.0  # seconds between two looks at deadlines that others may have moved
_BATCH = 100  # messages that are handled between two looks
_LOST = 0.1  # seconds; less is how busy machines are
_LOOK_AT_END = 0.05  # the same, while a process ends


class Agent:
    """One per process. `fill` completes what an actor knows of itself."""

    def __init__(self, local: Local, fill: Callable[[Instance, Spec], None]) -> None:
        self.local = local
        self.handlers: dict[str, Callable[[Message], None]] = {
            "spawn": self._spawn,
            "stop": self._stop,
            "cancel": self._cancel,
            "ended": self._ended,
            "!ended": self._ended,
            "started": self._started,
            "!started": self._started,
            "!obituary": self._obituary,
            "!revived": self._revived,
            "gone": self._gone_before,
            "ping": self._ping,
            "missing": self._missing,
            "!wake": lambda _: None,
        }
        self._fill = fill
        self.actors: dict[int, Runner] = {}
        self._bygones = Bygones()
        self._timers: list[tuple[float, int, Callable[[], None]]] = []
        self._order = itertools.count()
        self.leaving = False

    def leave(self) -> None:
        """Have `run` return soon. From any thread, or a signal's handler."""
        self.leaving = True
        self.local.node.tell(sending.AGENT, "!wake")

    def run(self) -> None:
        """Serve until `leaving` is set."""
        while not self.leaving:
            self._serve(self._pause())

    def run_until(self, done: Callable[[], bool]) -> None:
        """Serve what is still needed, such as news of the ends of others, until `done` holds."""
        while not done():
            self._serve(_LOOK_AT_END)

    def _serve(self, pause: float) -> None:
        begun = time.monotonic()
        message = self.local.agent.receive(pause)
        for _ in range(_BATCH):  # what has come is older than what is due only now
            if message is None:
                break
            self._handle(message)
            message = self.local.agent.take()
        if message is not None:
            self._handle(message)
        passed = time.monotonic() - begun
        if passed > pause + _LOST:
            self._put_off(passed)
        self._look()

    def _put_off(self, lost: float) -> None:
        """Put timers off by the time that this process may have lost, as one that was stopped does.

        Others had no chance to be heard in it: its own silence is not theirs.
        """
        self._timers = [(at + lost, order, do) for at, order, do in self._timers]

    def after(self, seconds: float, do: Callable[[], None]) -> None:
        """Do something later, on the agent's thread. From that thread."""
        heapq.heappush(self._timers, (time.monotonic() + seconds, next(self._order), do))

    def _handle(self, message: Message) -> None:
        handler = self.handlers.get(message.method)
        try:
            if handler is None:
                raise LookupError(f"no agent knows {message.method!r}")  # noqa: TRY301
            handler(message)
        except Exception as error:  # noqa: BLE001 - one message must not end the agent
            if message.request:
                reply(self.local.node, message, ERROR, describe_error(error))
            else:
                print_exception(error)

    def _pause(self) -> float:
        due = [owner.deadline() for owner in list(self.local.owners.values())]
        times = [each for each in due if each is not None]
        if self._timers:
            times.append(self._timers[0][0])
        return max(0.0, min([*times, time.monotonic() + _LOOK]) - time.monotonic())

    def _look(self) -> None:
        while self._timers and self._timers[0][0] <= time.monotonic():
            _guarded(heapq.heappop(self._timers)[2])
        for owner in list(self.local.owners.values()):
            _guarded(owner.tick)

    def _ping(self, message: Message) -> None:
        answer(self.local.node, message)

    def _missing(self, message: Message) -> None:
        """Answer which mailboxes of this process take no messages any more."""
        from runtime.actor.undelivered import is_gone

        (asked,) = loads(message.data)
        gone = [mailbox for mailbox in asked if is_gone(self.local, mailbox)]
        answer(self.local.node, message, gone)

    # Actors of this process.

    def _spawn(self, message: Message) -> None:
        """Construct an actor on a thread of its own; the answer says that it is there."""
        spec_parts, ranks = loads(message.data)
        spec = Spec(rank=ranks[message.index], **spec_parts)
        buffers = message.buffers()
        node = self.local.node
        if spec.owner[0] not in (node.id, self.local.gateway):
            node.watch(spec.owner[0])

        def construct() -> Actor:
            kind, args, kwargs = loads(memoryview(buffers[0]), buffers[1:])
            actor: Actor = kind(*args, **kwargs)
            if not issubclass(type(actor), kind):
                raise TypeError(f"{kind.__qualname__}() gave a {type(actor).__qualname__}")
            return actor

        def started(failure: MeshFailure | None) -> None:
            if failure is None:
                tell_started(self.local, spec.owner, node.id, spec.actor)
                answer(node, message)
            else:
                reply(node, message, FAILED, failure_bytes(failure))

        runner = Runner(
            self.local,
            spec,
            construct,
            started=started,
            ended=self._actor_ended,
            fill=lambda instance: self._fill(instance, spec),
            serve_async=_serve_async,
        )
        with self.local.lock:
            there = self.actors.get(spec.actor)
            if there is None or there.gone:
                self.local.ended.discard(spec.actor)
                self.actors[spec.actor] = runner
                there = None
        if there is not None:  # an owner that took this life of the process for the last one
            started(None)
            return
        try:
            runner.start()
        except (RuntimeError, MemoryError) as error:  # no thread can be started
            failure = runner.failure_of(error, "init")
            self.actors.pop(spec.actor, None)
            node.close_mailbox(spec.actor, failure_bytes(failure))
            tell_ended(self.local, spec.owner, spec.actor, failure)
            started(failure)

    def _actor_ended(self, runner: Runner, failure: MeshFailure | None) -> None:
        """On the actor's thread: end what it owns, then it, then tell its owner."""
        actor = runner.spec.actor
        owner = self.local.owners.get(actor)
        if owner is not None:
            owner.stop_all(failure, config.get("stop_timeout"), until_gone())
            owner.leave_to(self._bygones)
            self.local.owners.pop(actor, None)

        def give_up() -> None:
            seconds = config.get("cleanup_timeout")
            say(f"{runner.watch.path}.__cleanup__ has run for {seconds:g} s, and is given up\n")
            self._gone(runner, failure)

        runner.clean_up(failure, give_up)
        self._gone(runner, failure)

    def _gone(self, runner: Runner, failure: MeshFailure | None) -> None:
        """Tell the owner that an actor has ended, once. From any thread."""
        with self.local.lock:
            if runner.gone:
                return
            runner.gone = True
        actor = runner.spec.actor
        tell_ended(self.local, runner.spec.owner, actor, failure)
        with self.local.lock:
            if self.actors.get(actor) is runner:
                del self.actors[actor]
        self.local.node.tell(sending.AGENT, "!wake")

    def _stop(self, message: Message) -> None:
        actor, reason = loads(message.data)
        runner = self.actors.get(actor)
        if runner is not None:
            runner.stop(reason)

    def _cancel(self, message: Message) -> None:
        request, actors = loads(message.data)
        for actor in actors:
            runner = self.actors.get(actor)
            if runner is not None:
                runner.give_up(message.source_node, request)

    # What this process owns elsewhere.

    def _ended(self, message: Message) -> None:
        """Have the owner decide: an actor has ended, or failed."""
        owner_id, node, actor, failure = loads(message.data)
        owner = self.local.owners.get(owner_id)
        if owner is not None:
            owner.ended(owner.on_node(node, actor), failure)

    def _started(self, message: Message) -> None:
        """Have the owner know that an actor, or a process, is up."""
        owner_id, node, actor = loads(message.data)
        owner = self.local.owners.get(owner_id)
        if owner is not None:
            owner.started(owner.on_node(node, actor))

    def _obituary(self, message: Message) -> None:
        """Have owners decide: a process is dead, and all that was owned there."""
        node = message.source_node
        failure = failure_from(message.data)
        for owner in list(self.local.owners.values()):
            owner.ended(owner.on_node(node), failure)
        for runner in list(self.actors.values()):
            if runner.spec.owner[0] == node:
                runner.stop("the process of its owner is dead")

    def _revived(self, message: Message) -> None:
        """Tell a process that has been started again which actors are not."""
        node = message.source_node
        owners = list(self.local.owners.values())
        for names in (self._bygones.of(node), *(owner.bygones(node) for owner in owners)):
            if names:
                sending.tell(self.local.node, [node], "gone", dumps((names,))[0])

    def _gone_before(self, message: Message) -> None:
        """Refuse what comes for actors that ended in an earlier life of this process."""
        (names,) = loads(message.data)
        for actor, name in names.items():
            if actor not in self.actors:
                self.local.ended.add(actor)
                self.local.node.close_mailbox(actor, failure_bytes(_ended_before(self.local, name)))


def _ended_before(local: Local, name: str) -> MeshFailure:
    return MeshFailure(
        event_id=os.urandom(16).hex(),
        kind="stopped",
        cause="the actor had ended, and its process was started again without it",
        mesh_name=name,
        actor_name=name,
        host=local.host,
        pid=os.getpid(),
    )


def _guarded(do: Callable[[], None]) -> None:
    try:
        do()
    except Exception as error:  # noqa: BLE001 - what is due next is due all the same
        print_exception(error)


def _serve_async(runner: Runner) -> None:
    from runtime.actor.async_actors import serve  # asyncio is for those who use it

    serve(runner)


def stop_actors(local: Local, children: Sequence[Child], reason: str) -> None:
    """Ask the processes of actors to end them."""
    for child in children:
        if local.node.obituary_of(child.node) is None:
            data, _ = dumps((child.actor, reason))
            sending.tell(local.node, [child.node], "stop", data)


def owner_of(local: Local, actor: int, make: Callable[[], Owner]) -> Owner:
    """Return the owner that an actor of this process is, from its first mesh on."""
    with local.lock:
        owner = local.owners.get(actor)
        if owner is None:
            owner = local.owners[actor] = make()
        return owner


def pickled_class(kind: type, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
    """Return the buffers that `spawn` sends: class and arguments, to be read by the actor."""
    data, buffers = dumps((kind, args, kwargs))
    return [data, *buffers]
