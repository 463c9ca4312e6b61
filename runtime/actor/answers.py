"""What becomes of one message that an actor has handled: a reply, or the actor's failure."""

from __future__ import annotations

from runtime.actor.channel import ReplyPort
from runtime.actor.errors import CallCancelledError
from runtime.actor.raised import describe_error, print_exception
from runtime.actor.replies import ERROR, FAILED, failure_bytes, result_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, Protocol

    from runtime.actor.errors import MeshFailure
    from runtime.actor.raised import Place
    from runtime.core import Message

    class Actor(Protocol):
        """The actor that handles the message; `fatal` is the failure by which it ends."""

        fatal: MeshFailure | None
        path: str
        place: Place

        def reply(
            self, message: Message, status: int, data: bytes, buffers: Sequence[Any] = ..., /
        ) -> None:
            """Answer the caller, if anybody waits."""

        def stopped(self) -> MeshFailure:
            """Return what callers of a stopped actor are told."""

        def failure_of(self, error: BaseException, kind: str, /) -> MeshFailure:
            """Return an exception as the actor's failure."""


class ActorStopped(BaseException):
    """Ends the loop of an actor."""


class Answer:
    """What becomes of one message: a reply, a message to a port, or a failure of the actor."""

    __slots__ = ("_actor", "_message", "_replies", "port")

    def __init__(self, actor: Actor, message: Message) -> None:
        self._actor = actor
        self._message = message
        self._replies = True
        self.port: Any = None

    def take_port(self) -> Any:  # noqa: ANN401 - a Port
        """Return the port by which the endpoint itself replies."""
        self._replies = False
        to, place = self._message, self._actor.place
        return self.port or ReplyPort(to.source_node, to.request, to.index, place)

    def result(self, result: object) -> None:
        """Reply with a result."""
        if not self._replies:
            return
        if self.port is not None:
            self.port.send(result)
        elif self._message.request:
            self._actor.reply(self._message, *result_bytes(result, self))

    def __str__(self) -> str:
        return f"the result of {self._actor.path}.{self._message.method}"

    def error(self, error: BaseException) -> None:
        """Reply with an exception; without anybody to tell it fails the actor."""
        if self._replies and self.port is not None:
            self.port.exception(error)
        elif self._replies and self._message.request:
            self._refuse(error)
        else:
            self.fatal(error)
            raise error

    def cancelled(self) -> None:
        """Tell whoever waits that the endpoint was cancelled; that is no failure of the actor."""
        error = CallCancelledError("the call was given up")
        if self._replies and self.port is not None:
            self.port.exception(error)
        elif self._message.request:
            self._refuse(error)

    def ended(self) -> None:
        """Tell whoever waits that the actor has ended in the midst of the endpoint."""
        if self._replies and self.port is not None:
            self.cancelled()
        else:
            self.fatal(ActorStopped())

    def unreadable(self, error: Exception) -> None:
        """Tell the caller that the arguments could not be rebuilt; the actor goes on."""
        if self._message.request:
            self._refuse(error)
        else:
            print_exception(error)

    def _refuse(self, error: BaseException) -> None:
        self._actor.reply(self._message, ERROR, describe_error(error, self._actor.place))

    def fatal(self, error: BaseException) -> None:
        """Tell the caller that the actor fails by this."""
        actor = self._actor
        if isinstance(error, ActorStopped):
            failure = actor.fatal or actor.stopped()
        else:
            failure = actor.fatal = actor.failure_of(error, "exception")
        actor.reply(self._message, FAILED, failure_bytes(failure))
