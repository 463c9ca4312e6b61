"""This process in the program: its node in the core, its actors, and what it owns."""

from __future__ import annotations

import os
import threading

from runtime import config, core
from runtime.actor._context import become_client
from runtime.actor.forks import membership
from runtime.actor.nodes import gateway_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from runtime.actor.owning import Owner

_KEYS = (
    "max_frame",
    "shared_memory_threshold",
    "shared_memory_limit",
    "mailbox_capacity",
    "heartbeat_interval",
    "heartbeat_timeout",
    "eof_grace",
    "cast_fanout",
)
#: What two ends of a connection must not see differently: the client's hold in its whole program.
_AGREED = (
    "max_frame",
    "mailbox_capacity",
    "heartbeat_interval",
    "heartbeat_timeout",
    "cast_fanout",
)

_MAILBOX = 64 << 20  # bytes of one sender that wait at one actor


class Local:
    """The one of this process. `name` is how people know it: "client", or mesh and place.

    `root` is the node of the program's client; the client's own is none other. `agreed` has the
    settings in which a host follows the program that it works for.
    """

    def __init__(
        self,
        node_id: int,
        name: str,
        root: int | None = None,
        agreed: Mapping[str, Any] | None = None,
    ) -> None:
        self.name = name
        self.root = node_id if root is None else root
        self.host = os.uname().nodename
        self.process = os.getpid()
        self.settings = {key: config.get(key) for key in _KEYS} | dict(agreed or {})
        self.settings["mailbox_bytes"] = _MAILBOX
        self.node = core.make_node(node_id, self.settings)
        self.agent = core.open_mailbox(self.node, 0)
        self.owners: dict[int, Owner] = {}
        self.hosts: set[int] = set()  # gateways that were asked for processes
        self.ended: set[int] = set()  # actors of this process that take no messages any more
        self.lock = threading.RLock()

    @property
    def agreed(self) -> dict[str, Any]:
        """The settings that hold in the whole program, as this process has them."""
        return {key: self.settings[key] for key in _AGREED}

    @property
    def gateway(self) -> int:
        """The node that owns the processes of this host."""
        return gateway_of(self.node.id)


_present: list[Local] = []
_making: list[Callable[[], Local]] = []
_renewing: list[Callable[[], None]] = []


def local() -> Local:
    """Return the one of this process; the first call makes the process a program's client.

    RuntimeError in a fork of a process that has one: its threads and connections are not there.
    """
    if not _present:
        if not _making:
            become_client()
        return _making[0]()
    found = _present[0]
    if found.process != os.getpid():
        raise RuntimeError(
            f"process {os.getpid()} is a fork of {found.process}, and has none of its "
            "connections; start processes with spawn_procs, or fork before the first mesh"
        )
    return found


def present() -> Local | None:
    """Return the one of this process if there is one."""
    return _present[0] if _present and _present[0].process == os.getpid() else None


def is_new() -> bool:
    """Tell whether neither this process nor the one that it is a fork of had one."""
    return not _present


def renew() -> None:
    """Have code of no actor begin another program if this process's ends, or has failed."""
    for each in _renewing:
        each()


def install(one: Local) -> None:
    """Make it the one of this process."""
    membership.takes_part = True
    _present[:] = [one]


def forget() -> None:
    """Make the process no part of a program any more."""
    membership.takes_part = False
    _present.clear()


def provide(make: Callable[[], Local]) -> None:
    """Say how a process without one gets it; the client does."""
    _making[:] = [make]


def provide_renewal(renew: Callable[[], None]) -> None:
    """Say what is done with a program that is over; the client does."""
    _renewing[:] = [renew]
