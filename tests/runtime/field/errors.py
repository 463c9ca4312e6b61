"""What goes wrong, in the words of the field cases."""

from typing import Any

from runtime.actor import (
    ActorError,
    DeadlockError,
    MailboxFullError,
    MessageTooLargeError,
    SerializationError,
    SupervisionError,
)
from runtime.actor import RemoteError as Unbuilt

Deadlock = DeadlockError
MailboxFull = MailboxFullError
MessageTooLarge = MessageTooLargeError
Timeout = TimeoutError

__all__ = [
    "ActorDied",
    "Deadlock",
    "MailboxFull",
    "MessageTooLarge",
    "RemoteError",
    "SerializationError",
    "Timeout",
    "translated",
]


class RemoteError(Exception):
    """An endpoint raised."""

    def __init__(self, type_name: str, message: str) -> None:
        super().__init__(f"{type_name}: {message}")
        self.type_name = type_name
        self.message = message

    def __reduce__(self) -> tuple[Any, ...]:
        return RemoteError, (self.type_name, self.message)


class ActorDied(Exception):  # noqa: N818 - the field cases' name
    """An actor was dead, or died, before it answered."""

    def __init__(self, event_id: str, cause: str) -> None:
        super().__init__(f"{cause} ({event_id})")
        self.event_id = event_id
        self.cause = cause

    def __reduce__(self) -> tuple[Any, ...]:
        return ActorDied, (self.event_id, self.cause)


def translated(error: BaseException) -> BaseException:
    """Return what the field cases call an exception of the runtime."""
    if isinstance(error, SupervisionError):
        return ActorDied(error.event_id, error.failure.report())
    if isinstance(error, ActorError):
        original = error.exception
        if isinstance(original, Unbuilt):
            return RemoteError(original.type_name, original.text)
        return RemoteError(type(original).__qualname__, str(original))
    return error
