"""The client: the program that drives everything, and the gateway of its own host."""

from __future__ import annotations

import atexit
import os
import threading
import time
from contextlib import suppress

from runtime import config
from runtime.actor import _context, faults, last_words, local, ownership, sending, unseen
from runtime.actor.agent import Agent, owner_of
from runtime.actor.controllers import Controllers
from runtime.actor.gateway import Gateway
from runtime.actor.hosts.neighbours import Neighbours
from runtime.actor.identity import context_of_process, fill
from runtime.actor.latch import Latch
from runtime.actor.nodes import new_gateway
from runtime.actor.observing.program import ObservedProgram
from runtime.actor.patience import until_gone
from runtime.actor.replies import failure_bytes
from runtime.actor.workspaces.serving import Workspaces
from runtime.transport.pickling import dumps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from runtime.actor._context import Context
    from runtime.actor.errors import MeshFailure
    from runtime.actor.future import Future
    from runtime.actor.hosts.neighbours import Neighbour
    from runtime.actor.owning import Owner
    from runtime.core import Message

#: The actor that the client is to others.
ROOT = 1
_TOO_LATE = "this program took it at its first mesh; set it before, or after shutdown_context()"
_lock = threading.Lock()
_clients: list[Client] = []
_deciding: list[threading.Thread] = []  # in the program's hook, about one failure each
_ended: list[int] = []  # the gateways of this process's earlier programs


class Client:
    """The one of this process."""

    def __init__(self) -> None:
        self.local = local.Local(new_gateway(), "client")
        self.local.node.set_root(self.local.node.id)
        self.agent = Agent(self.local, fill)
        self.gateway = Gateway(self.agent)
        Controllers(self.agent)
        self.neighbours = Neighbours(self.agent, self.gateway)
        self.neighbours.lost = self._host_lost
        self.agent.handlers["!let_go"] = self._give_up
        self._workspaces = Workspaces(self.agent)
        self.context = context_of_process(self.local, ROOT)
        self._thread = threading.Thread(target=self.agent.run, name="agent", daemon=True)
        self.closed = False  # from when its end has begun
        self.end: Latch | None = None  # of one that ends before its process
        self.failure: MeshFailure | None = None  # by which the program ends
        self._observed = ObservedProgram(self.gateway, "client")
        self._changed = threading.Condition()

    def start(self) -> None:
        """Take part in the program."""
        self.local.node.start()
        self._thread.start()
        self._observed.start()
        config.hold(("metrics_address", "trace_file"), _TOO_LATE)

    def close(self) -> None:
        """End every process of the program, and this part of it."""
        if self.closed or self.local.process != os.getpid():
            return
        self.closed = True
        try:
            self.let_decide()
            unseen.tell_settled()
            self._observed.close()
            self.let_go(list(self.neighbours.known), "was let go: the program has ended")
            own, begun = list(self.agent.actors.values()), time.monotonic()
            last_words.end(own)
            self.gateway.close()
            last_words.wait(own, begun)
            self._workspaces.close()
            self.let_decide()
            self._observed.closed()
        finally:  # a second Ctrl-C comes here too: the zygote ends what is left
            self.agent.leaving = True
            self.local.node.tell(0, "!wake")
            self._thread.join(5.0)
            self.local.node.stop()

    def let_decide(self) -> None:
        """Give the agent time for what it was told, and the program's hook for what it says."""
        if self.closed and self.agent.leaving:
            return
        end = time.monotonic() + config.get("cleanup_timeout")
        heard = threading.Event()
        self.agent.handlers["!heard"] = lambda _: heard.set()
        self.local.node.tell(sending.AGENT, "!heard")
        heard.wait(end - time.monotonic())
        for each in tuple(_deciding):  # the agent adds to them
            if each is not threading.current_thread():
                each.join(max(0.0, end - time.monotonic()))
        if faults.ending.failed:  # what the program owns ends first
            faults.ending.told.wait(max(0.0, end - time.monotonic()))

    # Other hosts.

    def spread_neighbours(self) -> None:
        """Tell every host where the others are. From any thread."""
        known = list(self.neighbours.known.values())
        data, _ = dumps(([(each.gateway, each.among_hosts, each.name) for each in known],))
        self._tell_each([each.gateway for each in known], "neighbours", data)

    def _tell_each(self, gateways: Sequence[int], method: str, data: bytes) -> None:
        """Tell hosts by themselves what changes the ways between them: none can pass it on."""
        for gateway in gateways:
            sending.tell(self.local.node, [gateway], method, data)

    def let_go(self, gateways: Sequence[int], reason: str, *, shut_down: bool = False) -> None:
        """Let hosts go, and wait until what ran there has ended. Not on the agent's thread."""
        known = [each for each in gateways if each in self.neighbours.known]
        if not known:
            return
        self.neighbours.leaving |= dict.fromkeys(known, reason)
        data, _ = dumps((shut_down,))
        self._tell_each(known, "detach", data)
        with self._changed:
            gone = self._changed.wait_for(
                lambda: not set(known) & self.neighbours.known.keys(), until_gone()
            )
        for each in () if gone else known:
            self.local.node.tell(0, "!let_go", about=each)

    def _give_up(self, message: Message) -> None:
        self.neighbours.end(message.source_node, "connection", "did not end its processes in time")

    def _host_lost(self, host: Neighbour, _failure: MeshFailure) -> None:
        self.local.hosts.discard(host.gateway)
        with self._changed:
            self._changed.notify_all()


def _make() -> local.Local:
    with _lock:
        found = local.present()
        if found is not None:
            return found
        client = Client()
        _clients[:] = [client]
        local.install(client.local)
        client.start()
        for gateway in _ended:
            client.local.node.bury_host(gateway, failure_bytes(_shut_down()))
        atexit.register(_close_at_exit, client)
        with suppress(RuntimeError):  # the interpreter ends already
            threading._register_atexit(_decide_at_exit, client)  # type: ignore[attr-defined]  # noqa: SLF001 - as concurrent.futures does
        return client.local


def _decide_at_exit(client: Client) -> None:
    """Have what is known decided when the main thread ends: before any exit handler has run."""
    if client.local.process == os.getpid():
        faults.ending.begun = True
        client.let_decide()
        faults.ending.begun = False
        if faults.ending.failed:
            faults.ending.leave()


def _close_at_exit(client: Client) -> None:
    """End the program; what fails only now is too late for exit handlers to run once."""
    faults.ending.begun = True
    try:
        client.close()
    finally:
        if faults.ending.failed and client.local.process == os.getpid():
            faults.ending.leave()


def present_client() -> Client:
    """Return the client that this process is; RuntimeError if it is another part of a program."""
    if _context.current() is None:
        local.renew()
    here = local.local()
    if not _clients or _clients[0].local is not here:
        raise RuntimeError(f"only the client can do this, and this process is {here.name}")
    return _clients[0]


def _root_context() -> Context:
    local.local()
    return _clients[0].context


def shutdown_context(host_timeout: float | None = None) -> Future[None]:
    """End every process of the program; afterwards this process can begin another one.

    The future raises what kept the end from being a clean one: TimeoutError when the kernel does
    not let processes end.
    """
    del host_timeout
    client = _present()
    if client is None:
        done = Latch()
        done.open()
        return done.future()
    return _end(client).future()


def _present() -> Client | None:
    """Return the client that this process is, if it is one."""
    here = local.present()
    return next((each for each in _clients if each.local is here), None)


def _end(client: Client) -> Latch:
    """Have a program end, once; the latch opens when another one can begin."""
    with _lock:
        if client.end is not None:
            return client.end
        done = client.end = Latch()

    def close() -> None:
        problem: Exception | None = None
        try:
            client.close()
        except Exception as error:  # noqa: BLE001 - whoever holds the future is told
            problem = error
        _ended.append(client.local.node.id)
        config.hold((), "")
        local.forget()
        done.open(problem)

    threading.Thread(target=close, name="shutdown", daemon=True).start()
    return done


def _renew() -> None:
    """Wait for a program of this process that ends, so that another one begins.

    One that has failed in a process that lives on, as a notebook's does, is ended here.
    """
    client = _present()
    if client is None:
        return
    if client.failure is not None and not faults.ending.ends:
        _end(client)
    if client.end is not None:
        client.end.wait(None)


def _shut_down() -> faults.MeshFailure:
    """Return what calls to the processes of an earlier program of this process are told."""
    words = "its program was ended by shutdown_context"
    return faults.MeshFailure(event_id=os.urandom(16).hex(), kind="stopped", cause=words)


def _root_owner() -> Owner:
    here = local.local()

    def ask(failure: object) -> None:
        _deciding[:] = [each for each in _deciding if each.is_alive()]
        thread = threading.Thread(target=decide, args=(failure,), daemon=True)
        thread.start()  # before others see it: a thread cannot be joined before its start
        _deciding.append(thread)

    def decide(failure: faults.MeshFailure) -> None:
        owner = owner_of(here, ROOT, _root_owner)
        seen = owner.seen_by_owner(failure)
        verdict = faults.decided(seen)
        if not verdict:
            _failed(owner, seen)
        owner.handled(failure.event_id, verdict)
        faults.ending.failed = faults.ending.failed or owner.goes_down

    return ownership.new_owner(ask, _end_program)


def _failed(owner: Owner, failure: faults.MeshFailure) -> None:
    """Have nothing spawned any more in a program that ends by a failure."""
    client = _present()
    if client is not None and client.failure is None:
        client.failure = failure
        first = failure.report().partition("\n")[0]
        owner.refuses = (
            f"this program has ended by a failure that nothing handled: {first}; "
            "in a process that lives on, this_host() begins another"
        )


def _end_program(failure: faults.MeshFailure) -> None:
    """Say why the root fails, wake the main thread, and have the program exit with 1."""
    faults.say(f"the program ends by a failure that nothing handled:\n{failure.report()}\n")
    faults.ending.fail()


local.provide(_make)
local.provide_renewal(_renew)
_context.provide_root(_root_context)
ownership.provide_root(_root_owner)
