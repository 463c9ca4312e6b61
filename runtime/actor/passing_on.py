"""Actors that begin in processes of this host for an owner elsewhere, which it ordered before.

The agent waits for nobody: where shared memory has no room for what they are made of, a thread of
their own waits for it.
"""

from __future__ import annotations

import os
import threading
from dataclasses import dataclass

from runtime import config, core
from runtime.actor import sending
from runtime.actor.errors import MeshFailure
from runtime.actor.telling_owners import tell_ended_in
from runtime.transport.pickling import dumps, loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from runtime.actor.local import Local
    from runtime.core import Message


def pass_on(local: Local, message: Message) -> None:
    """Have actors begin; their owner is told when there is no room within `send_timeout`."""
    nodes, spec, ranks = loads(message.data)
    data, _ = dumps((spec, ranks))
    beginning = _Beginning(local, nodes, spec, data, message.buffers())
    try:
        beginning.send(0.0)
    except core.FullError:
        threading.Thread(target=beginning.wait, name="begin", daemon=True).start()


@dataclass(frozen=True)
class _Beginning:
    local: Local
    nodes: Sequence[int]
    spec: Mapping[str, Any]
    data: bytes
    carried: Sequence[Any]

    def send(self, patience: float) -> None:
        sending.tell(self.local.node, self.nodes, "spawn", self.data, self.carried, patience)

    def wait(self) -> None:
        timeout = config.get("send_timeout")
        try:
            self.send(timeout)
        except core.FullError as error:
            failure = MeshFailure(
                event_id=os.urandom(16).hex(),
                kind="init",
                cause=f"the actor was not begun: {sending.refusal(error, timeout)}",
                mesh_name=self.spec["mesh_name"],
                host=self.local.host,
            )
            owner, actor = self.spec["owner"], self.spec["actor"]
            for node in self.nodes:
                tell_ended_in(self.local, owner, node, actor, failure)
