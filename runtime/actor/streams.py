"""The replies of a call in the order in which they come, as futures."""

from __future__ import annotations

import threading

from runtime.actor.replies import OK, problem_of
from runtime.actor.sending import result_of
from runtime.actor.unseen import CallFuture
from runtime.telemetry import state

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from runtime.actor.future import Future
    from runtime.core import Call, Message, Notifier


class Arrivals:
    """What has come of a call so far. A call that is measured ends with its last reply."""

    def __init__(self, call: Call, count: int) -> None:
        self.call = call
        self.began: tuple[str, int, int] | None = None  # of a call that is measured
        self._count = count
        self._messages: list[Message] = []
        self._lock = threading.Lock()

    def done(self) -> bool:
        """Tell whether every reply has been looked at."""
        return len(self._messages) == self._count

    def get(self, number: int, timeout: float | None) -> Message | None:
        """Return the reply that came as this number, or None when it has not in time."""
        with self._lock:
            while len(self._messages) <= number:
                message = self.call.next(timeout)
                if message is None:
                    return None
                self._messages.append(message)
                if self.began is not None and self.done():
                    state.call_ended(*self.began)
            return self._messages[number]

    def futures(self, endpoint: str) -> Iterator[Future[Any]]:
        """Yield a future for each reply."""
        for number in range(self._count):
            yield _future(_Arrival(self, number), endpoint)


class _Arrival:
    """One of them, as a future sees it."""

    def __init__(self, arrivals: Arrivals, number: int) -> None:
        self._arrivals = arrivals
        self._number = number
        self.id = arrivals.call.id
        self.message: Message | None = None

    @property
    def settled(self) -> bool:
        return self.wait(0.0)

    def wait(self, timeout: float | None) -> bool:
        if self.message is None:
            self.message = self._arrivals.get(self._number, timeout)
        return self.message is not None

    def problem(self) -> Message | None:
        found = self.message if self.settled else None
        return found if found is not None and found.status != OK else None

    def notify(self, notifier: Notifier, token: int) -> None:
        self._arrivals.call.notify(notifier, token)


def _future(arrival: _Arrival, endpoint: str) -> Future[Any]:
    def settle(_: object) -> Any:  # noqa: ANN401 - the endpoint's result
        message = arrival.message
        assert message is not None  # noqa: S101 - settled
        if message.status != OK:
            raise problem_of(message, endpoint)
        return result_of(message, endpoint)

    future: CallFuture[Any] = CallFuture(arrival, settle, lambda: None)
    future.mesh, _, future.endpoint = endpoint.rpartition(".")
    return future
