"""Hosts that run already become part of this program."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass

from runtime import config
from runtime.actor import client, sending
from runtime.actor.errors import SupervisionError
from runtime.actor.host_mesh import HostMesh
from runtime.actor.hosts import addresses
from runtime.actor.hosts.credentials import credentials
from runtime.actor.hosts.neighbours import Neighbour
from runtime.actor.latch import Latch
from runtime.actor.raised import say
from runtime.actor.replies import problem_of
from runtime.actor.shapes.shape import Extent, Shape
from runtime.transport.pickling import dumps, loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

    from runtime import core
    from runtime.actor.client import Client
    from runtime.actor.future import Future
    from runtime.actor.hosts.addresses import Address
    from runtime.actor.hosts.credentials import Pem

_PAUSE = 0.1  # seconds between two tries to reach a host
_LAST = 10.0  # seconds that the last of them may take
_QUIET = 3.0  # seconds after which it is told that a host cannot be reached yet


class AttachError(ConnectionError):
    """Hosts could not be attached; the text says which, and why."""


def attach_to_workers(
    *,
    private_key: Pem | tuple[Pem, Pem] | None = None,
    ca: Pem | None = None,
    workers: Sequence[str | Future[str]],
    name: str | None = None,
) -> HostMesh:
    """Make running hosts part of this program: a mesh with the dimension "hosts", in this order.

    Returns at once; `initialized` is there when every host has answered, and raises AttachError
    when one has not within `spawn_timeout`. What needs the hosts waits for that. An address is
    `client@hosts` when hosts reach each other elsewhere than the client reaches them. `ca` and
    `private_key` are those of `credentials`; ValueError when they secure nothing.
    """
    if isinstance(workers, str | bytes):
        raise TypeError(f"workers is {workers!r}, a text; give a list of addresses, [{workers!r}]")
    texts = [worker if isinstance(worker, str) else worker.get() for worker in workers]
    if not texts:
        raise ValueError("attach_to_workers needs the address of one host or more")
    found = [addresses.parsed(text) for text in texts]
    every = [address for pair in found for address in pair]
    addresses.refuse_clear(every)
    secured = credentials(private_key, ca, every)
    attachment = Attachment(client.present_client(), found, secured)
    shape = Shape.of(Extent(("hosts",), (len(found),)))
    mesh = HostMesh(name or "hosts", attachment, shape)
    mesh._attached(attachment.initialized, attachment.end)  # noqa: SLF001 - of the same package
    return mesh


def attach(addr: str) -> NoReturn:
    """Refuse Monarch's way for a client that hosts cannot reach: here they never have to.

    NotImplementedError, which says what to write instead.
    """
    raise NotImplementedError(
        f"attach({addr!r}) is not needed, so leave it out: hosts do not connect to a client, which "
        "may be behind any firewall. Where the hosts are, forward a port to each (ssh -L, kubectl "
        "port-forward), and name both addresses in attach_to_workers: "
        "'tcp://127.0.0.1:PORT@tcp://HOST:26600' has the client's and, behind the @, the hosts' own"
    )


@dataclass
class _Try:
    """The way to one host."""

    address: Address
    among_hosts: Address
    gateway: int = 0
    count: int = 0
    problem: str = ""
    is_told: bool = False  # that it could not be reached for a while


class Attachment(Sequence[int]):
    """Hosts that are being attached; as a sequence their gateways, for which it waits."""

    def __init__(
        self, of: Client, found: Sequence[tuple[Address, Address]], credentials: core.Credentials
    ) -> None:
        self._client = of
        self._node = of.local.node
        self._tries = [_Try(*pair) for pair in found]
        self._credentials = credentials
        self._latch = Latch()
        self._ended: dict[int, Latch] = {}
        self._count = len(found)
        threading.Thread(target=self._attach, name="attach", daemon=True).start()

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, index: int) -> int:  # type: ignore[override]
        self.initialized.get()
        return self._tries[index].gateway

    @property
    def initialized(self) -> Future[None]:
        """A future that is there when every host has answered."""
        return self._latch.future()

    def end(self, reason: str, *, shut_down: bool) -> Future[None]:
        """Let the hosts go: they kill what runs there, and exit if they are shut down."""
        gone = Latch()
        reached = [each.gateway for each in self._tries if each.gateway]

        def let_go() -> None:
            try:
                self._client.let_go(reached, reason, shut_down=shut_down)
            except Exception as error:  # noqa: BLE001 - whoever holds the future is told
                gone.open(error)
            else:
                gone.open()

        threading.Thread(target=let_go, name="detach", daemon=True).start()
        return gone.future()

    def _attach(self) -> None:
        try:
            deadline = time.monotonic() + config.get("spawn_timeout")
            left = self._tries
            while left:
                self._reach(left, deadline)
                left = [each for each in left if not self._introduce(each, deadline)]
            gateways = [each.gateway for each in self._tries]
            self._client.local.hosts.update(gateways)
            self._client.spread_neighbours()
        except Exception as error:  # noqa: BLE001 - whoever needs the hosts is told
            reached = [each.gateway for each in self._tries if each.gateway]
            if not self._client.closed:  # which lets go of all
                self._client.let_go(reached, "was let go: not all hosts could be attached")
            self._latch.open(error)
        else:
            self._latch.open()

    def _reach(self, tries: Sequence[_Try], deadline: float) -> None:
        """Connect to hosts."""
        done = threading.Semaphore(0)
        for each in tries:
            self._dial(each, deadline, done)
        for _ in tries:
            while not done.acquire(timeout=_PAUSE):
                self._check(deadline + _LAST)
        problems = [f"{each.address}: {each.problem}" for each in self._tries if each.problem]
        gateways = [each.gateway for each in self._tries]
        if not problems and len(set(gateways)) < len(gateways):
            problems = ["two of the addresses are one host"]
        if problems:
            raise AttachError("hosts cannot be attached: " + "; ".join(problems))

    def _check(self, end: float) -> None:
        """Raise AttachError when nobody will tell any more what has become of a host."""
        if self._client.closed:
            raise AttachError("hosts cannot be attached: the program has ended")
        if time.monotonic() > end:
            late = ", ".join(str(each.address) for each in self._tries if not each.gateway)
            raise AttachError(f"hosts cannot be attached: no word in time from {late}")

    def _dial(self, each: _Try, deadline: float, done: threading.Semaphore) -> None:
        def told(gateway: int, /, *, again: bool, why: str) -> None:
            each.gateway, each.problem = gateway, why
            each.count += 1
            if again and not gateway and time.monotonic() < deadline:
                self._tell_of_delay(each, deadline)
                self._client.agent.after(_PAUSE, lambda: self._dial(each, deadline, done))
                return
            if gateway and self._latch.settled:  # too late: it serves others
                self._node.disconnect(gateway)
            elif gateway:
                host = Neighbour(gateway, str(each.address), "", str(each.among_hosts))
                self._client.neighbours.known[gateway] = host
            done.release()

        self._client.neighbours.dialer.dial(
            each.address, self._credentials, told, attempt=each.count
        )

    def _tell_of_delay(self, each: _Try, deadline: float) -> None:
        """Say once why a host is not there yet; it may be started a while after its clients."""
        patience = config.get("spawn_timeout")
        left = deadline - time.monotonic()
        if not each.is_told and patience - left > _QUIET:
            each.is_told = True
            say(
                f"[runtime] host {each.address} is not there yet: {each.problem}; "
                f"it has {left:.0f} s more (spawn_timeout is {patience:g} s)\n"
            )

    def _introduce(self, each: _Try, deadline: float) -> bool:
        """Have a host work for this program; False when it went before it said yes or no.

        One that is just done with its last client does so, and one that comes back with what
        has to be the same in the whole program.
        """
        me, agreed = f"{os.uname().nodename} (pid {os.getpid()})", self._client.local.agreed
        data, _ = dumps((me, config.export(), agreed))
        timeout = max(0.0, deadline - time.monotonic())
        call = sending.ask(self._node, [each.gateway], "attach", data, patience=timeout)
        if not call.wait(timeout):
            raise AttachError(f"the host at {each.address} has not answered in time")
        problem = call.problem()
        if problem is None:
            host = self._client.neighbours.known.get(each.gateway)
            if host is not None:  # else it is lost again, as whoever needs it is told
                host.name = loads(call.take()[0].data)[0]
            return True
        error = problem_of(problem, "")
        went = isinstance(error, SupervisionError) and error.failure.kind == "connection"
        if went and time.monotonic() < deadline:
            return False
        raise AttachError(f"the host at {each.address} cannot be attached: {error}")
