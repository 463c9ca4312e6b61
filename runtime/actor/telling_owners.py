"""What owners are told of what they own: that it is up, that it has ended."""

from __future__ import annotations

from runtime.actor import sending
from runtime.transport.pickling import dumps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from runtime.actor.errors import MeshFailure
    from runtime.actor.local import Local


def tell_started(local: Local, owner: tuple[int, int], node: int, actor: int) -> None:
    """Tell an owner that an actor of its own is constructed; actor 0 is the process itself."""
    _tell(local, owner[0], "started", (owner[1], node, actor))


def tell_ended(
    local: Local, owner: tuple[int, int], actor: int, failure: MeshFailure | None
) -> None:
    """Tell an owner that an actor of this process has ended, or failed."""
    tell_ended_in(local, owner, local.node.id, actor, failure)


def tell_ended_in(
    local: Local, owner: tuple[int, int], node: int, actor: int, failure: MeshFailure | None
) -> None:
    """Tell an owner that an actor in that process has ended, or failed."""
    _tell(local, owner[0], "ended", (owner[1], node, actor, failure))


def _tell(local: Local, node: int, method: str, facts: tuple[Any, ...]) -> None:
    data, _ = dumps(facts)
    if node == local.node.id:
        local.node.tell(sending.AGENT, f"!{method}", data)
    elif local.node.obituary_of(node) is None:
        sending.tell(local.node, [node], method, data)
