"""Endpoints: the methods of an actor that others call, and the ways to call them."""

from __future__ import annotations

import functools
from abc import ABC, abstractmethod
from time import monotonic_ns

from runtime.actor import sending
from runtime.actor.generic import Generic
from runtime.actor.replies import problem_of
from runtime.actor.shapes.shape import Shape
from runtime.actor.shapes.value_mesh import ValueMesh
from runtime.actor.unseen import CallFuture
from runtime.telemetry import state

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any, TypeVar, overload

    from runtime.actor.channel import Port
    from runtime.actor.future import Future
    from runtime.core import Call

    R = TypeVar("R")
else:
    R = object


class EndpointProperty:
    """What `@endpoint` makes of a method: on an actor the method, on a mesh an Endpoint."""

    def __init__(
        self,
        method: Callable[..., Any],
        *,
        propagate: object = None,
        explicit_response_port: bool = False,
        concurrent: bool = False,
        instrument: bool = True,
    ) -> None:
        if not callable(method):
            raise TypeError(f"endpoint of {method!r}: a method is needed")
        if concurrent and not _is_async(method):
            raise TypeError(
                f"concurrent_endpoint {method.__qualname__} is a plain function: only an "
                "`async def` can run beside others"
            )
        self.method = method
        self.propagate = propagate
        self.explicit_response_port = explicit_response_port
        self.concurrent = concurrent
        self.instrument = instrument
        self.is_async = _is_async(method)
        self.__name__ = getattr(method, "__name__", "")
        self.__doc__ = method.__doc__
        self.__wrapped__ = method

    def __get__(self, instance: object, owner: type | None = None) -> Any:  # noqa: ANN401
        return self if instance is None else self.method.__get__(instance, owner)

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name


def _is_async(method: Callable[..., Any]) -> bool:
    code = getattr(method, "__code__", None)
    return code is not None and bool(code.co_flags & 0x80)


if TYPE_CHECKING:

    @overload
    def endpoint(method: Callable[..., Any], /) -> Any: ...  # noqa: ANN401

    @overload
    def endpoint(
        *, propagate: object = ..., explicit_response_port: bool = ..., instrument: bool = ...
    ) -> Callable[[Callable[..., Any]], Any]: ...


def endpoint(
    method: Callable[..., Any] | None = None,
    *,
    propagate: object = None,
    explicit_response_port: bool = False,
    instrument: bool = True,
) -> Any:
    """Mark a method of an actor as one that others can call.

    With `explicit_response_port` its first argument is a Port, to which it replies itself, as often
    as it likes. `propagate` says what shapes results have, for distributed tensors.
    """
    make = functools.partial(
        EndpointProperty,
        propagate=propagate,
        explicit_response_port=explicit_response_port,
        instrument=instrument,
    )
    return make if method is None else make(method)


if TYPE_CHECKING:

    @overload
    def concurrent_endpoint(method: Callable[..., Any], /) -> Any: ...  # noqa: ANN401

    @overload
    def concurrent_endpoint(
        *, propagate: object = ..., explicit_response_port: bool = ..., instrument: bool = ...
    ) -> Callable[[Callable[..., Any]], Any]: ...


def concurrent_endpoint(
    method: Callable[..., Any] | None = None,
    *,
    propagate: object = None,
    explicit_response_port: bool = False,
    instrument: bool = True,
) -> Any:
    """Mark an `async def` as an endpoint that runs beside others: the actor takes more messages.

    They begin in the order of their messages; those that run when the actor ends are cancelled.
    """
    make = functools.partial(
        EndpointProperty,
        propagate=propagate,
        explicit_response_port=explicit_response_port,
        concurrent=True,
        instrument=instrument,
    )
    return make if method is None else make(method)


class Endpoint(ABC, Generic[R]):
    """An endpoint of the actors of a mesh, with the ways to call it."""

    @abstractmethod
    def _targets(self) -> sending.Recipients:
        """Return the actors of the mesh."""

    @property
    @abstractmethod
    def name(self) -> str:
        """The name of the method."""

    @abstractmethod
    def _check(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Raise TypeError when the method does not take these arguments."""

    def call(self, *args: Any, **kwargs: Any) -> Future[ValueMesh[R]]:  # noqa: ANN401
        """Call every actor; the result has the value of each at its point."""
        to = self._targets()
        shape = to.shape
        return self._future(to, args, kwargs, lambda values: ValueMesh(Shape.of(shape), values))

    def call_one(self, *args: Any, **kwargs: Any) -> Future[R]:  # noqa: ANN401
        """Call the one actor of the mesh; ValueError when it has another number."""
        to = self._targets()
        if to.count != 1:
            raise ValueError(
                f"call_one of {self.name} needs exactly 1 actor, and the mesh has {to.count}; "
                "slice it, or use call"
            )
        return self._future(to, args, kwargs, _first)

    def choose(self, *args: Any, **kwargs: Any) -> Future[R]:  # noqa: ANN401
        """Call one actor, chosen at random."""
        to = _one_of(self._targets())
        return self._future(to, args, kwargs, _first)

    def stream(self, *args: Any, **kwargs: Any) -> Iterator[Future[R]]:  # noqa: ANN401
        """Call every actor; yields a future for each, which come true in their order."""
        from runtime.actor.streams import Arrivals

        to = self._targets()
        began = monotonic_ns() if state.on else 0
        call = self._send(to, args, kwargs)
        arrivals = Arrivals(call, to.count)
        if began:
            state.call_begun(arrivals, f"{to.name}.{self.name}", began, call.id, to.count)
        return arrivals.futures(f"{to.name}.{self.name}")

    def broadcast(self, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401
        """Send to every actor and wait for no reply. An exception there fails that actor.

        Blocks while a mailbox is full: MailboxFullError after `send_timeout`. TypeError for
        arguments that the endpoint does not take, SerializationError and MessageTooLargeError for
        those that cannot be sent, SupervisionError when an actor is known to be dead.
        """
        self._check(args, kwargs)
        sending.cast(self._targets(), self.name, args, kwargs)

    def _send(self, to: sending.Recipients, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Call:
        self._check(args, kwargs)
        return sending.call(to, self.name, args, kwargs)

    def _future(
        self,
        to: sending.Recipients,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        combine: Callable[[list[Any]], Any],
    ) -> Future[Any]:
        name = self.name

        def settle(call: Call) -> Any:  # noqa: ANN401
            problem = call.problem()
            if problem is not None:
                raise problem_of(problem, f"{to.name}.{name}")
            return combine([sending.result_of(each, f"{to.name}.{name}") for each in call.take()])

        began = monotonic_ns() if state.on else 0
        call = self._send(to, args, kwargs)
        future: CallFuture[Any] = CallFuture(call, settle, lambda: sending.cancel(to, call.id))
        future.mesh, future.endpoint = to.name, name
        if began:
            state.call_begun(future, f"{to.name}.{name}", began, call.id, to.count)
        return future


def _one_of(to: sending.Recipients) -> sending.Recipients:
    import random

    return to.only(random.randrange(to.count))  # noqa: S311 - no secret


def _first(values: list[Any]) -> Any:  # noqa: ANN401
    return values[0]


def send(
    endpoint: Endpoint[Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    port: Port[Any] | None = None,
    selection: str = "all",
) -> None:
    """Send a message whose replies go to a port: to all actors, or with "choose" to one."""
    if selection not in ("all", "choose"):
        raise ValueError(f"selection is {selection!r}; it is 'all' or 'choose'")
    to = endpoint._targets()  # noqa: SLF001 - one module's own
    endpoint._check(args, kwargs)  # noqa: SLF001
    if selection == "choose":
        to = _one_of(to)
    sending.cast(to, endpoint.name, args, kwargs, port)


class Accumulator(Generic[R]):
    """Folds the replies of all actors of an endpoint into one value."""

    def __init__(
        self, endpoint: Endpoint[Any], identity: R, combine: Callable[[R, Any], R]
    ) -> None:
        self._endpoint = endpoint
        self._identity = identity
        self._combine = combine

    def accumulate(self, *args: Any, **kwargs: Any) -> Future[R]:  # noqa: ANN401
        """Call every actor now; the future is the folded value, in the order of the mesh."""
        return self._endpoint._future(  # noqa: SLF001 - one module's own
            self._endpoint._targets(),  # noqa: SLF001
            args,
            kwargs,
            lambda values: functools.reduce(self._combine, values, self._identity),
        )
