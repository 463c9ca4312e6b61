"""Connections to other hosts: opened without waiting, told to whoever asked for them."""

from __future__ import annotations

import itertools
import threading

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    from runtime import core
    from runtime.actor.agent import Agent
    from runtime.actor.hosts.addresses import Address
    from runtime.core import Message

    class Told(Protocol):
        """Told on the agent's thread: who answered, or 0, whether to try again, and why."""

        def __call__(self, gateway: int, /, *, again: bool, why: str) -> None:
            """Take the answer."""


class Dialer:
    """One per gateway."""

    def __init__(self, agent: Agent) -> None:
        self._node = agent.local.node
        self._waiting: dict[str, Told] = {}
        self._labels = itertools.count(1)
        agent.handlers |= {"!dialed": self._dialed, "!undialed": self._undialed}

    def dial(  # noqa: PLR0913 - what one attempt is
        self,
        address: Address,
        credentials: core.Credentials,
        told: Told,
        *,
        expected: int = 0,
        attempt: int = 0,
        at_most: float = 5.0,
    ) -> None:
        """Try once to reach a host; returns at once. From any thread.

        `attempt` counts the tries, since a name may have several addresses.
        """
        label = str(next(self._labels))
        self._waiting[label] = told

        def begin() -> None:
            from runtime.actor.hosts import addresses

            try:
                found = address.candidates()
                sock = addresses.connecting(found[attempt % len(found)])
            except OSError as error:
                failed("again", f"cannot connect: {error.strerror or error}")
                return
            except Exception as error:  # noqa: BLE001 - whoever asked waits: a path may be no text
                failed("refused", f"cannot connect: {error}")
                return
            try:
                self._node.dial(sock.detach(), credentials, expected, label, at_most)
            except Exception as error:  # noqa: BLE001 - whoever asked waits
                failed("refused", str(error))

        def failed(kind: str, reason: str) -> None:
            told = f"{label}\n{kind}\n{reason}".encode(errors="backslashreplace")
            self._node.tell(0, "!undialed", told)

        # A name is looked up by a call that waits.
        try:
            threading.Thread(target=begin, name="dial", daemon=True).start()
        except RuntimeError as error:  # no thread can be started
            failed("again", f"cannot connect: {error}")

    def _dialed(self, message: Message) -> None:
        told = self._waiting.pop(message.data.decode(), None)
        if told is not None:
            told(message.source_node, again=False, why="")

    def _undialed(self, message: Message) -> None:
        label, kind, reason = message.data.decode(errors="replace").split("\n", 2)
        told = self._waiting.pop(label, None)
        if told is not None:
            told(0, again=kind == "again", why=reason)
