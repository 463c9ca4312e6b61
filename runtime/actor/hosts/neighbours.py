"""The other hosts of the program, as a gateway knows them: where they are, and how they end."""

from __future__ import annotations

import os

from runtime.actor.errors import MeshFailure
from runtime.actor.hosts.dialing import Dialer
from runtime.actor.nodes import gateway_of
from runtime.actor.replies import failure_bytes, failure_from

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from runtime.actor.agent import Agent
    from runtime.actor.gateway import Gateway
    from runtime.core import Message

_STRANGERS = 1024  # gateways that may have ended before they are known: most never will be


class Neighbour:
    """Another host: its gateway, where it is reached, and what it is called.

    `among_hosts` is where other hosts reach it, if that is another address.
    """

    __slots__ = ("address", "among_hosts", "gateway", "name")

    def __init__(self, gateway: int, address: str, name: str, among_hosts: str = "") -> None:
        self.gateway = gateway
        self.address = address
        self.name = name
        self.among_hosts = among_hosts or address

    def __str__(self) -> str:
        return f"{self.name} at {self.address}" if self.name else f"at {self.address}"


class Neighbours:
    """One per gateway that has to do with other hosts. Runs on the agent's thread.

    What happens to a process of this host stays the gateway's; what happens to another host is
    told here. `lost` is told of every neighbour that has ended, with the failure.
    """

    def __init__(self, agent: Agent, gateway: Gateway) -> None:
        self.known: dict[int, Neighbour] = {}
        self.leaving: dict[int, str] = {}  # hosts that were let go, and why
        self.lost: Callable[[Neighbour, MeshFailure], None] = lambda _host, _failure: None
        self.find_way: Callable[[int], None] = self._give_up
        self.dialer = Dialer(agent)
        self._local = agent.local
        self._node = agent.local.node
        self._gateway = gateway
        self._early: dict[int, tuple[str, str]] = {}  # how gateways ended that are not known yet
        self._of_host = dict(agent.handlers)
        agent.handlers |= {
            "!lost": self._lost,
            "!silent": self._silent,
            "!unrouted": self._unrouted,
            "!obituary": self._obituary,
        }

    def learn(self, host: Neighbour) -> None:
        """Take the client's word on where another host is: also when it has been lost meanwhile."""
        if self._node.obituary_of(host.gateway) is not None:
            return
        self.known.setdefault(host.gateway, host)
        early = self._early.pop(host.gateway, None)
        if early is not None:
            self.end(host.gateway, *early)

    def arrived(self, gateway: int) -> None:
        """Take note that a gateway, which may not be known yet, has a connection again."""
        self._early.pop(gateway, None)

    def _abroad(self, node: int) -> bool:
        return gateway_of(node) != self._node.id

    def _lost(self, message: Message) -> None:
        if not self._abroad(message.source_node):
            return self._of_host["!lost"](message)
        why = message.data.decode(errors="replace")
        return self.end(message.source_node, "connection", f"is out of reach: {why}")

    def _silent(self, message: Message) -> None:
        if not self._abroad(message.source_node):
            return self._of_host["!silent"](message)
        seconds = self._local.settings["heartbeat_timeout"]
        what = f"gave no sign of life for {seconds:g} s"
        return self.end(message.source_node, "heartbeat", what)

    def end(self, gateway: int, kind: str, what: str) -> None:
        """Give up a host: everything that waits for it fails. One not known yet is remembered."""
        host = self.known.pop(gateway, None)
        if host is None:
            self._remember(gateway, kind, what)
            return
        reason = self.leaving.pop(gateway, "")
        failure = MeshFailure(
            event_id=os.urandom(16).hex(),
            kind="stopped" if reason else kind,
            cause=f"host {host} {reason or what}",
            host=host.name,
        )
        self._node.bury_host(gateway, failure_bytes(failure))
        self.lost(host, failure)

    def _remember(self, gateway: int, kind: str, what: str) -> None:
        if self._node.obituary_of(gateway) is None:
            self._early[gateway] = kind, what
        if len(self._early) > _STRANGERS:
            del self._early[next(iter(self._early))]

    def _unrouted(self, message: Message) -> None:
        if not self._abroad(message.source_node):
            return self._of_host["!unrouted"](message)
        return self.find_way(message.source_node)

    def _give_up(self, gateway: int) -> None:
        """Nobody has told of that host."""
        self._node.bury_host(gateway, b"")

    def _obituary(self, message: Message) -> None:
        self._of_host["!obituary"](message)
        self._gateway.orphan(message.source_node)
        host = self.known.pop(message.source_node, None)
        if host is not None:  # the client has told of it
            self.leaving.pop(host.gateway, None)
            self.lost(host, failure_from(message.data))
