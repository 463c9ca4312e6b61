"""The running actor as the owner of what it spawns."""

from __future__ import annotations

from runtime.actor import _context, sending
from runtime.actor.agent import owner_of, stop_actors
from runtime.actor.local import local
from runtime.actor.nodes import gateway_of
from runtime.transport.pickling import dumps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from runtime.actor.errors import MeshFailure
    from runtime.actor.owning import Child, Owner

_root: list[Callable[[], Owner]] = []


def current_owner() -> Owner:
    """Return the owner that the running actor is; outside of actors, the program's client.

    RuntimeError when the program has failed already.
    """
    instance = _context.context().actor_instance
    if instance.mailbox is None:
        owner = owner_of(local(), instance.actor, _root[0])
        if owner.refuses:
            raise RuntimeError(owner.refuses)
        return owner
    actor = instance.actor

    def ask(failure: MeshFailure) -> None:
        local().node.tell(actor, "!supervise", dumps((failure.of(None),))[0])

    def fail(failure: MeshFailure) -> None:
        local().node.tell(actor, "!fail", dumps((failure.of(None),))[0])

    return owner_of(local(), actor, lambda: new_owner(ask, fail))


def new_owner(ask: Callable[[MeshFailure], None], fail: Callable[[MeshFailure], None]) -> Owner:
    """Return an owner of nothing; most actors never are one, and their process imports less."""
    from runtime.actor.owning import Owner

    return Owner(stop=stop_children, ask=ask, fail=fail)


def provide_root(make: Callable[[], Owner]) -> None:
    """Say how the client's owner is made."""
    _root[:] = [make]


def stop_children(children: Sequence[Child], reason: str) -> None:
    """Ask for the end of processes and actors, wherever they are."""
    here = local()
    stop_actors(here, [child for child in children if child.actor], reason)
    by_gateway: dict[int, list[int]] = {}
    for child in children:
        if not child.actor and here.node.obituary_of(child.node) is None:
            by_gateway.setdefault(gateway_of(child.node), []).append(child.node)
    for gateway, nodes in by_gateway.items():
        data, _ = dumps((tuple(nodes), reason))
        sending.tell(here.node, [gateway], "stop_procs", data)
