"""The client: the program that drives everything, and the gateway of its own host."""

from __future__ import annotations

import atexit
import os
import signal
import sys
import threading

from runtime.actor import _context, faults, local, observed, ownership
from runtime.actor.agent import Agent, owner_of
from runtime.actor.controllers import Controllers
from runtime.actor.gateway import Gateway
from runtime.actor.identity import context_of_process, fill
from runtime.actor.latch import Latch
from runtime.actor.replies import failure_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from runtime.actor._context import Context
    from runtime.actor.future import Future
    from runtime.actor.owning import Owner

#: The actor that the client is to others.
ROOT = 1
_lock = threading.Lock()
_clients: list[Client] = []
_ended: list[int] = []  # the gateways of this process's earlier programs


class Client:
    """The one of this process."""

    def __init__(self) -> None:
        self.local = local.Local(local.new_id() << 32, "client")
        self.agent = Agent(self.local, fill)
        self.gateway = Gateway(self.agent)
        Controllers(self.agent)
        self.context = context_of_process(self.local, ROOT)
        self._thread = threading.Thread(target=self.agent.run, name="agent", daemon=True)
        self._closed = False
        self._observed = observed.ObservedProgram(self.gateway, "client")

    def start(self) -> None:
        """Take part in the program."""
        self.local.node.start()
        self._thread.start()
        self._observed.start()

    def close(self) -> None:
        """End every process of the program, and this part of it."""
        if self._closed or self.local.process != os.getpid():
            return
        self._closed = True
        try:
            self._observed.close()
            self.gateway.close()
            self._observed.closed()
        finally:  # a second Ctrl-C comes here too: the zygote ends what is left
            self.agent.leaving = True
            self.local.node.tell(0, "!wake")
            self._thread.join(5.0)
            self.local.node.stop()


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
        atexit.register(client.close)
        return client.local


def _root_context() -> Context:
    local.local()
    return _clients[0].context


def shutdown_context(host_timeout: float | None = None) -> Future[None]:
    """End every process of the program; afterwards this process can begin another one."""
    del host_timeout
    done = Latch()
    found = local.present()
    if found is None or not _clients:
        done.open()
        return done.future()
    client = _clients.pop()

    def close() -> None:
        client.close()
        _ended.append(client.local.node.id)
        local.forget()
        done.open()

    threading.Thread(target=close, name="shutdown", daemon=True).start()
    return done.future()


def _shut_down() -> faults.MeshFailure:
    """Return what calls to the processes of an earlier program of this process are told."""
    words = "its program was ended by shutdown_context"
    return faults.MeshFailure(event_id=os.urandom(16).hex(), kind="stopped", cause=words)


def _root_owner() -> Owner:
    here = local.local()

    def ask(failure: object) -> None:
        threading.Thread(target=decide, args=(failure,), name="fault", daemon=True).start()

    def decide(failure: faults.MeshFailure) -> None:
        owner = owner_of(here, ROOT, _root_owner)
        seen = owner.seen_by_owner(failure)
        owner.handled(failure.event_id, faults.decided(seen))

    return ownership.new_owner(ask, _end_program)


def _end_program(failure: faults.MeshFailure) -> None:
    """Say why the root fails, wake the main thread, and have the program exit with 1."""
    sys.stderr.write(f"the program ends by a failure that nothing handled:\n{failure.report()}\n")
    sys.stderr.flush()
    atexit.register(_leave_as_failed)
    signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)


def _leave_as_failed() -> None:
    """Have the other exit handlers run, and exit with 1: a handler cannot set the status."""
    atexit.unregister(_leave_as_failed)
    atexit._run_exitfuncs()  # noqa: SLF001 - as multiprocessing does
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(1)


local.provide(_make)
_context.provide_root(_root_context)
ownership.provide_root(_root_owner)
