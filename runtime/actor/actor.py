"""The base class of actors, and what a class of actors offers."""

from __future__ import annotations

from runtime.actor import arity
from runtime.actor.endpoints import EndpointProperty
from runtime.actor.shapes.mesh_trait import MeshTrait

TYPE_CHECKING = False
if TYPE_CHECKING:
    import logging
    from collections.abc import Awaitable

    from runtime.actor.errors import MeshFailure
    from runtime.actor.undelivered import UndeliverableMessage

_RESERVED = frozenset(
    [name for name in vars(MeshTrait) if not name.startswith("_")] + ["stop", "initialized"]
)
#: What an actor may define, and what each is told.
_HOOKS = {
    "__supervise__": "failure",
    "__cleanup__": "exc",
    "_handle_undeliverable_message": "message",
}


class Actor:
    """A class whose endpoints are called from other processes; subclass it.

    Each process of the mesh that it is spawned on has one instance, whose `__init__` runs there.
    Messages are handled one at a time, in the order in which they come. `__cleanup__(exc)` runs at
    its end, with what it failed by or None; `__supervise__(failure)` decides about the failure of
    something it has spawned: true is handled, false fails this actor too.
    `_handle_undeliverable_message(message)` is told of each broadcast and each value for a port of
    its own that did not arrive, between two messages; what it returns false for is said on
    standard error.
    """

    @property
    def logger(self) -> logging.Logger:
        """A logger named after the class."""
        import logging

        kind = type(self)
        return logging.getLogger(f"{kind.__module__}.{kind.__qualname__}")

    def __supervise__(self, failure: MeshFailure) -> bool | None:
        """Decide about a failure; this one escalates it."""
        return False

    def _handle_undeliverable_message(
        self,
        message: UndeliverableMessage,  # noqa: ARG002 - what others look at
    ) -> bool | Awaitable[bool] | None:
        """Take back a message; actors that do not have their own are not asked."""
        return False


class Offer:
    """What a class of actors offers: its endpoints, and whether they are coroutines."""

    def __init__(self, kind: type) -> None:
        self.endpoints: dict[str, EndpointProperty] = {}
        for name in dir(kind):
            found = getattr(kind, name, None)
            if isinstance(found, EndpointProperty):
                self.endpoints[name] = found
        self.takes_back = _own(kind) is not Actor._handle_undeliverable_message  # noqa: SLF001
        self.is_async = any(each.is_async for each in self.endpoints.values())


def _own(kind: type) -> object:
    """Return what is asked about messages that did not arrive."""
    return getattr(kind, "_handle_undeliverable_message", Actor._handle_undeliverable_message)  # noqa: SLF001


_offers: dict[type, Offer] = {}


def offer_of(kind: type) -> Offer:
    """Return what a class offers."""
    found = _offers.get(kind)
    if found is None:
        found = _offers[kind] = Offer(kind)
    return found


def check_class(kind: object) -> None:
    """Raise TypeError or ValueError when a class cannot be spawned."""
    if not isinstance(kind, type) or not issubclass(kind, Actor):
        raise TypeError(
            f"{kind!r} cannot be spawned: it is not a subclass of Actor; "
            "write spawn(name, Class, ...), with the constructor's arguments at the end"
        )
    offer = offer_of(kind)
    taken = sorted(_RESERVED & offer.endpoints.keys())
    if taken:
        raise ValueError(
            f"endpoints {taken} of {kind.__qualname__} have names that every mesh uses; rename them"
        )
    plain = sorted(name for name, each in offer.endpoints.items() if not each.is_async)
    if offer.is_async and plain:
        raise ValueError(
            f"{kind.__qualname__} mixes both async and sync endpoints ({', '.join(plain)} are "
            "plain functions); make all of them `async def`, or none"
        )
    for name, found in offer.endpoints.items():
        _check_takes_self(kind, name, found)
    for hook in _HOOKS:
        method = getattr(kind, hook, None)
        _check_takes_one(kind, hook, method)
        if _is_async(method) and not offer.is_async:
            raise ValueError(
                f"{hook} of {kind.__qualname__} is async and its endpoints are not; make it a "
                "plain function"
            )


def _check_takes_self(kind: type, name: str, found: EndpointProperty) -> None:
    """Raise TypeError for an endpoint that has no place for the actor, or for its port."""
    count = 1 + found.explicit_response_port
    if not arity.takes(found.method, count):
        needed = "self and the port" if found.explicit_response_port else "self"
        raise TypeError(
            f"endpoint {name} of {kind.__qualname__} takes no {needed}, so no call can reach it; "
            f"write `def {name}({'self, port' if count > 1 else 'self'}, ...)`"
        )


def _check_takes_one(kind: type, hook: str, method: object) -> None:
    """Raise TypeError for a hook that cannot be told what has happened."""
    told = _HOOKS[hook]
    # A static method is found as the plain function that it is, without a place for the actor.
    held = next((vars(each)[hook] for each in kind.__mro__ if hook in vars(each)), None)
    if held is method and not arity.takes(method, 2, needed=2):
        raise TypeError(
            f"{hook} of {kind.__qualname__} cannot be called with what has happened; "
            f"write `def {hook}(self, {told})`"
        )


def _is_async(method: object) -> bool:
    code = getattr(method, "__code__", None)
    return code is not None and bool(code.co_flags & 0x80)
