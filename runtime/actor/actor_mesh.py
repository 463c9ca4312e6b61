"""A mesh of actors: a reference to the instances of a class, one in each process."""

from __future__ import annotations

from runtime.actor import arity, sending
from runtime.actor.actor import offer_of
from runtime.actor.endpoints import Endpoint, EndpointProperty
from runtime.actor.generic import Generic
from runtime.actor.shapes.mesh_trait import MeshTrait

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, TypeVar

    from runtime.actor.future import Future
    from runtime.actor.shapes.shape import Shape

    A = TypeVar("A")
else:
    A = object


class ActorMesh(MeshTrait, Generic[A]):
    """The actors of a mesh. Their endpoints are its attributes.

    It can be pickled and passed to other actors; they get a reference that owns nothing.
    """

    def __init__(
        self, name: str, kind: type, actor: int, nodes: Sequence[int], shape: Shape
    ) -> None:
        self.__name = name
        self.__kind = kind
        self.__actor = actor
        self.__nodes = nodes
        self.__shape = shape
        self.__recipients: sending.Recipients | None = None
        self.__started: Future[None] | None = None
        self.__stop: Callable[[str], Future[None]] | None = None

    @property
    def _shape(self) -> Shape:
        return self.__shape

    def _with_shape(self, shape: Shape) -> ActorMesh[A]:
        part: ActorMesh[A] = ActorMesh(self.__name, self.__kind, self.__actor, self.__nodes, shape)
        part.__started = self.__started
        return part

    def _as(self, kind: type) -> ActorMesh[A]:
        """Return the mesh with this class, if it is the actors' own as the asker knows it.

        TypeError when it is neither that nor one that the actors' own is made from.
        """
        own = self.__kind
        if kind.__qualname__ not in {each.__qualname__ for each in own.__mro__}:
            raise TypeError(
                f"{self.__name} is a {own.__qualname__}, and was asked for as a "
                f"{kind.__qualname__}; ask for what it is, or give yours another name"
            )
        if (own.__module__, own.__qualname__) != (kind.__module__, kind.__qualname__):
            return self
        return ActorMesh(self.__name, kind, self.__actor, self.__nodes, self.__shape)

    def _owned(self, started: Future[None], stop: Callable[[str], Future[None]]) -> None:
        """Make this the mesh of its owner, which knows when it is there and can stop it."""
        self.__started, self.__stop = started, stop

    @property
    def _actor_id(self) -> int:
        return self.__actor

    def _to(self) -> sending.Recipients:
        found = self.__recipients
        if found is None:
            nodes = [self.__nodes[rank] for rank in self.__shape.ndslice.ranks()]
            actors = [self.__actor] * len(nodes)
            found = sending.Recipients(self.__name, nodes, actors, self.__shape.extent)
            self.__recipients = found
        return found

    @property
    def initialized(self) -> Future[None]:
        """A future that is there when every actor of the mesh that was spawned is constructed."""
        if self.__started is None:
            raise RuntimeError(
                f"{self.__name} is a reference to another actor's mesh; its owner knows whether "
                "it is initialized"
            )
        return self.__started

    def stop(self, reason: str = "") -> Future[None]:
        """End the actors, each after the message that it handles. Only the owner may.

        Stopping what is stopped does nothing. The future is there when all have ended.
        """
        if self.__stop is None:
            raise RuntimeError(
                f"{self.__name} cannot be stopped from here: this is a reference or a slice; "
                "the actor that spawned the mesh stops it"
            )
        return self.__stop(reason or "its owner stopped it")

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - endpoints of any signature
        if name.startswith("_"):
            raise AttributeError(name)
        found = offer_of(self.__kind).endpoints.get(name)
        if found is None:
            plain = getattr(self.__kind, name, None)
            if plain is None or not callable(plain):
                raise AttributeError(f"{self.__kind.__qualname__} has no endpoint {name!r}")
            return NotAnEndpoint(self, name, plain)
        bound = MeshEndpoint(self, name, found)
        self.__dict__[name] = bound
        return bound

    def __reduce__(self) -> tuple[Any, ...]:
        parts = (self.__name, self.__kind, self.__actor, tuple(self.__nodes), self.__shape)
        return ActorMesh, parts

    def __repr__(self) -> str:
        return _shown(*self._parts())

    def _parts(self) -> tuple[str, type, Shape]:
        return self.__name, self.__kind, self.__shape


def _shown(name: str, kind: type, shape: Shape) -> str:
    return f"ActorMesh({name}: {kind.__qualname__}, {shape})"


class MeshEndpoint(Endpoint[object]):
    """An endpoint of the actors of a mesh."""

    def __init__(self, mesh: ActorMesh[Any], name: str, property_: EndpointProperty) -> None:
        # Not the mesh itself, which keeps this endpoint: nothing of them goes in a circle.
        self._to = mesh._to()  # noqa: SLF001 - a part of the mesh
        self._of = mesh._parts()  # noqa: SLF001
        self._name = name
        self._method = property_.method
        self._implicit = 2 if property_.explicit_response_port else 1

    @property
    def name(self) -> str:
        """The name of the method."""
        return self._name

    def _targets(self) -> sending.Recipients:
        return self._to

    def _check(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        arity.check(self._method, self._implicit, args, kwargs)

    def __call__(self, *_: object, **__: object) -> None:
        """Refuse: an endpoint is called by one of its adverbs."""
        raise TypeError(
            f"endpoint {self._name} is not called itself; use .call, .call_one, .choose, "
            ".stream or .broadcast"
        )

    def __repr__(self) -> str:
        return f"Endpoint({_shown(*self._of)}.{self._name})"


class NotAnEndpoint:
    """A method of an actor that was not marked as an endpoint."""

    def __init__(self, mesh: ActorMesh[Any], name: str, method: Callable[..., Any]) -> None:
        self._mesh = mesh
        self._name = name
        self._method = method

    def __call__(self, *_: object, **__: object) -> None:
        """Refuse: it would run here, and the actor is elsewhere."""
        raise RuntimeError(
            f"{self._name} is no endpoint; mark it with @endpoint, or use "
            f"as_endpoint(mesh.{self._name})"
        )


def as_endpoint(
    not_an_endpoint: Any,  # noqa: ANN401 - as it looks to a type checker, a method
    *,
    propagate: object = None,
    explicit_response_port: bool = False,
) -> Endpoint[Any]:
    """Return an endpoint for a method of a spawned actor that was not marked as one."""
    if isinstance(not_an_endpoint, MeshEndpoint):
        return not_an_endpoint
    if not isinstance(not_an_endpoint, NotAnEndpoint):
        raise TypeError(f"as_endpoint needs a method of an actor mesh, not {not_an_endpoint!r}")
    found = EndpointProperty(
        not_an_endpoint._method,  # noqa: SLF001 - its other half
        propagate=propagate,
        explicit_response_port=explicit_response_port,
    )
    name = not_an_endpoint._name  # noqa: SLF001
    prefix = "port:" if explicit_response_port else "as:"
    return MeshEndpoint(not_an_endpoint._mesh, prefix + name, found)  # noqa: SLF001
