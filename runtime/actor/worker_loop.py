"""A machine as a host of other machines' programs: one client after the other.

For each client the process takes a new identity, so nothing of one client's program is mistaken
for the next one's. When a client is lost, or lets the host go, everything that it started is
killed before the next one is served.
"""

from __future__ import annotations

import gc
import logging
import os
import signal
import socket
import threading

from runtime import config
from runtime.actor import _context, local
from runtime.actor.agent import Agent
from runtime.actor.errors import MeshFailure
from runtime.actor.gateway import Gateway
from runtime.actor.hosts import addresses
from runtime.actor.hosts.credentials import credentials
from runtime.actor.hosts.neighbours import Neighbour, Neighbours
from runtime.actor.identity import context_of_process, fill
from runtime.actor.latch import Latch
from runtime.actor.nodes import new_gateway
from runtime.actor.observing.program import ObservedProgram
from runtime.actor.raised import say
from runtime.actor.replies import FAILED, answer, failure_bytes, reply
from runtime.actor.workspaces.serving import Workspaces
from runtime.transport.pickling import loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from runtime.actor.future import Future
    from runtime.actor.hosts.credentials import Pem
    from runtime.core import Message

_log = logging.getLogger(__name__)
_NOBODY = 1  # the actor that code of no actor is
_PATIENCE = 10.0  # seconds that a peer may take to say what it wants
_GREETING = 5.0  # seconds that a peer may take to prove itself
_DIAL = 3.0  # seconds until another host is reached through the client


def run_worker_loop_forever(
    *, private_key: Pem | tuple[Pem, Pem] | None = None, ca: Pem | None = None, address: str
) -> None:
    """Serve this machine as a host until a client shuts it down: the last thing that a script does.

    `address` is where it listens, `dial@bind` when clients reach it by another address. `ca` and
    `private_key` are those of `credentials`. ValueError for what secures nothing, OSError for an
    address that cannot be had, RuntimeError when this process already is part of a program.
    """
    run_worker_loop_until_shutdown(private_key=private_key, ca=ca, address=address)


def run_worker_loop_until_shutdown(
    *, private_key: Pem | tuple[Pem, Pem] | None = None, ca: Pem | None = None, address: str
) -> None:
    """Serve this machine as a host until a client shuts it down; then return."""
    host = _Host(address, private_key, ca)
    with _EndedBySignals(host):
        host.serve()


def start_worker_loop_forever(
    *, private_key: Pem | tuple[Pem, Pem] | None = None, ca: Pem | None = None, address: str
) -> Future[None]:
    """Serve this machine as a host, on a thread; the future is there when it was shut down.

    It listens when this returns.
    """
    host = _Host(address, private_key, ca)
    done = Latch()

    def serve() -> None:
        try:
            host.serve()
        except Exception as error:  # noqa: BLE001 - whoever holds the future is told
            done.open(error)
        else:
            done.open()

    threading.Thread(target=serve, name="host", daemon=True).start()
    return done.future()


class _Host:
    """The machine: its listener, from the first client to the last."""

    def __init__(
        self, address: str, private_key: Pem | tuple[Pem, Pem] | None, ca: Pem | None
    ) -> None:
        dial, bind = addresses.parsed(address)
        addresses.refuse_clear((dial, bind))
        self.credentials = credentials(private_key, ca, [bind])
        if local.present() is not None:
            raise RuntimeError("this process is part of a program; a host is a process of its own")
        self.listener = addresses.listener(bind)
        self.bind = addresses.bound(bind, self.listener)
        self.agreed: dict[str, Any] = {}
        self.ending = False
        self.address = str(addresses.bound(dial, self.listener) if dial == bind else dial)
        self.name = socket.gethostname()
        say(f"[runtime] host {self.name} listens at {self.bind}\n")
        self._session = _Session(self)

    def serve(self) -> None:
        """Serve clients until one shuts the host down, or it is told to end."""
        try:
            while not self._session.run() and not self.ending:
                self._session = _Session(self)
                gc.collect()  # the last one's sockets, which are in cycles of references
        finally:
            local.forget()
            self.listener.close()
            if self.bind.path:
                os.unlink(self.bind.path)  # noqa: PTH108

    def end(self) -> None:
        """End what is served now, and serve no more. From any thread, or a signal's handler."""
        self.ending = True
        self._session.agent.leave()


class _Session:
    """The host in the program of one client, or waiting for it. On the agent's thread."""

    def __init__(self, host: _Host) -> None:
        self._host = host
        self._client = 0
        self._shut_down = False
        self._let_go = False
        self.local = local.Local(new_gateway(), host.name, agreed=host.agreed)
        local.install(self.local)
        _context.provide_root(lambda: context_of_process(self.local, _NOBODY))
        self._node = self.local.node
        self.agent = Agent(self.local, fill)
        self.gateway = Gateway(self.agent)
        self._workspaces = Workspaces(self.agent)
        self._observed: ObservedProgram | None = None
        self.neighbours = Neighbours(self.agent, self.gateway)
        self.neighbours.lost = self._lost
        self.neighbours.find_way = self._find_way
        self.agent.handlers |= {
            "attach": self._attach,
            "neighbours": self._learn,
            "detach": self._detach,
            "!arrived": self._arrived,
            "!refused": self._refused,
        }
        self._node.start()
        self._node.welcome(os.dup(host.listener.fileno()), host.credentials, _GREETING)

    def run(self) -> bool:
        """Serve until the client is gone; return whether it shut the host down."""
        try:
            if not self._host.ending:
                self.agent.run()
        finally:
            self._close()
        return self._shut_down

    def _close(self) -> None:
        if self._observed is not None:
            self._observed.close()
        try:
            self.gateway.close()
        finally:
            self._workspaces.close()
            if self._observed is not None:
                self._observed.closed(heir=self._client if self._let_go else None)
            self._node.stop()

    def _arrived(self, message: Message) -> None:
        """Somebody has proved itself; who may be a client has a while to say so.

        Who comes while there is one may be another host of its program, of which the client has
        yet to tell: hosts that lose each other give each other up for good.
        """
        peer = message.source_node
        self.neighbours.arrived(peer)

        def look() -> None:
            if self._client == 0:
                self._node.disconnect(peer)

        self.agent.after(_PATIENCE, look)

    def _refused(self, message: Message) -> None:
        address, _, reason = message.data.decode(errors="replace").partition("\n")
        _log.warning("refused a connection from %s: %s", address, reason)

    def _attach(self, message: Message) -> None:
        """Become a host of the caller's program, unless this is one already."""
        peer = message.source_node
        if self._client not in (0, peer):
            failure = MeshFailure(
                event_id=os.urandom(16).hex(),
                kind="init",
                cause=f"the host works for another client, {self.neighbours.known[self._client]}",
                host=self._host.name,
            )
            reply(self._node, message, FAILED, failure_bytes(failure))
            return
        name, settings, agreed = loads(message.data)
        config.adopt(settings)
        if agreed != self.local.agreed:
            # A node cannot change these; the client finds the next session, which begins with them.
            self._host.agreed = agreed
            self.agent.leaving = True
            return
        self._client = peer
        self._node.set_root(peer)
        if self._observed is None:
            self._observed = ObservedProgram(self.gateway, "host", peer)
            self._observed.start()
        self.neighbours.known[peer] = Neighbour(peer, "the client's end", name)
        answer(self._node, message, self._host.name)

    def _learn(self, message: Message) -> None:
        """Take the client's word on where the other hosts are."""
        if message.source_node == self._client:
            for row in loads(message.data)[0]:
                if row[0] != self._node.id:
                    self.neighbours.learn(Neighbour(*row))

    def _detach(self, message: Message) -> None:
        if message.source_node != self._client:
            self._node.disconnect(message.source_node)
            return
        self._shut_down = loads(message.data)[0]
        self._let_go = True
        self.agent.leaving = True

    def _lost(self, host: Neighbour, _failure: MeshFailure) -> None:
        if host.gateway == self._client:
            _log.warning("the client is lost: %s; its processes are killed", _failure.cause)
            self.agent.leaving = True

    def _find_way(self, gateway: int) -> None:
        """Connect to another host; when that fails the client passes messages on."""
        host = self.neighbours.known.get(gateway)
        if host is None or not host.address:
            self._node.route_through(gateway, self._client)
            return

        def told(reached: int, /, *, again: bool, why: str) -> None:
            del again
            if not reached:
                _log.info("messages for host %s go through the client: %s", host, why)
                self._node.route_through(gateway, self._client)

        dial = addresses.parsed(host.address)[0]
        self.neighbours.dialer.dial(
            dial, self._host.credentials, told, expected=gateway, at_most=_DIAL
        )


class _EndedBySignals:
    """While it lasts, SIGTERM and Ctrl-C end the process only after all that the host has started.

    The handler raises nothing: Python drops what it raises in a finalizer.
    """

    def __init__(self, host: _Host) -> None:
        self._host = host
        self._before: dict[int, Callable[..., Any] | int | None] = {}
        self._came = 0

    def __enter__(self) -> None:
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGTERM, signal.SIGINT):
                if signal.getsignal(number) is not signal.SIG_IGN:  # as nohup and `&` have it
                    self._before[number] = signal.signal(number, self._end)

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
        if self._came:
            os.kill(os.getpid(), self._came)

    def _end(self, number: int, _frame: object) -> None:
        self._came = number
        self._host.end()
