"""Futures: the result of a call, for threads, scripts and event loops alike."""

from __future__ import annotations

import math
import threading
import warnings

from runtime.actor import _context, loops
from runtime.actor.forks import membership
from runtime.actor.generic import Generic
from runtime.telemetry import state
from runtime.transport.pickling import Kept

TYPE_CHECKING = False
if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable, Generator
    from types import TracebackType
    from typing import Any, Protocol, TypeVar

    from runtime.core import Notifier

    R = TypeVar("R")

    class Pending(Protocol):
        """What a future waits for: a call of the core, or what acts like one."""

        @property
        def id(self) -> int:
            """Its number, by which a deadlock is seen."""

        @property
        def settled(self) -> bool:
            """Whether there is nothing more to wait for."""

        def wait(self, timeout: float | None) -> bool:
            """Wait for it; return whether it is settled."""

        def notify(self, notifier: Notifier, token: int) -> None:
            """Tell an event loop's notifier when it may be settled."""
else:
    R = object


class Future(Kept, Generic[R]):
    """A result that comes: wait for it with `get`, or await it, as often as wanted.

    A `get` that times out leaves the future as it was. Every look at it gives the same result, or
    raises the same exception.
    """

    why_kept = "a Future stays where it is; get() or await it first, and send what it gives"
    #: What is said when `get` has waited so many seconds in vain.
    late = "no result after {} s; the call goes on, get() may be called again"

    def __init__(
        self, call: Pending, settle: Callable[[Any], R], cancel: Callable[[], None]
    ) -> None:
        self._call: Pending | None = call
        self._settle = settle
        self._cancel = cancel
        self.began: tuple[str, int, int] | None = None  # of a call that is measured
        self._result: Any = None
        self._error: BaseException | None = None
        self._raised_at: TracebackType | None = None  # where the error comes from
        self._lock = threading.Lock()

    def get(self, timeout: float | None = None) -> R:
        """Wait for the result and return it, or raise what the call ended with.

        TimeoutError when it has not come after `timeout` seconds. In a running event loop it
        works, with a UserWarning: it stops the loop meanwhile; await the future there.
        """
        if timeout is not None:
            checked_timeout(timeout)
        call = self._call
        if call is not None:
            if loops.is_running():
                warn_of_running_loop()
            self._wait(call, timeout)
            self._settled(call)
        if self._error is not None:
            try:
                raise self._error.with_traceback(self._raised_at)
            finally:
                del self
        return self._result  # type: ignore[no-any-return]

    result = get

    def exception(self, timeout: float | None = None) -> BaseException | None:
        """Wait like `get`, and return what it would raise, or None. TimeoutError is raised."""
        try:
            self.get(timeout)
        except BaseException as error:
            if error is self._error:
                return error.with_traceback(self._raised_at)
            raise
        finally:
            del self
        return None

    def done(self) -> bool:
        """Tell whether the result is there."""
        call = self._call
        return call is None or call.settled

    def cancel(self) -> None:
        """Give the call up: an endpoint that awaits is cancelled, one that was not begun is not.

        A sync endpoint that runs goes on. Whoever waits gets CallCancelledError, unless the result
        is there already.
        """
        if self.done():
            return
        self._cancel()

    def as_asyncio(self) -> asyncio.Future[R]:
        """Return a future of the running event loop; cancelling it does not cancel the call."""
        import asyncio

        return asyncio.ensure_future(self._awaited())

    def __await__(self) -> Generator[Any, None, R]:
        return self._awaited().__await__()

    async def _awaited(self) -> R:
        call = self._call
        if call is not None and not call.settled:
            membership.check()
            with _Waiting(call):
                await loops.until(call, lambda: call.settled)
        if call is not None:
            self._settled(call)
        if self._error is not None:
            try:
                raise self._error.with_traceback(self._raised_at)
            finally:
                del self
        return self._result  # type: ignore[no-any-return]

    def _wait(self, call: Pending, timeout: float | None) -> None:
        if call.settled:
            return
        membership.check()
        with _Waiting(call):
            if not call.wait(timeout):
                raise TimeoutError(self.late.format(timeout))

    def _settled(self, call: Pending) -> None:
        """Take the result out of the call, once."""
        with self._lock:
            if self._call is None:
                return
            try:
                self._result = self._settle(call)
            except BaseException as error:  # noqa: BLE001 - it is the result
                self._error = error
                self._raised_at = error.__traceback__
            self._call = None
            if self.began is not None:
                state.call_ended(*self.began)
        del self  # the error refers to this frame, and would to itself

    def __repr__(self) -> str:
        return f"Future({'done' if self.done() else 'waiting'})"


class _Waiting:
    """Tell the actor's mailbox that it takes no message until a call of its own is answered."""

    __slots__ = ("_call", "_mailbox")

    def __init__(self, call: Pending) -> None:
        context = _context.current()
        self._call = call
        self._mailbox = None
        if context is not None and context.waits:
            self._mailbox = context.actor_instance.mailbox

    def __enter__(self) -> None:
        if self._mailbox is not None:
            self._mailbox.begin_wait(self._call.id)

    def __exit__(self, *_: object) -> None:
        if self._mailbox is not None:
            self._mailbox.end_wait(self._call.id)


def checked_timeout(timeout: float) -> None:
    """Raise ValueError, or TypeError, for a timeout that is not a time."""
    if not hasattr(timeout, "__float__"):
        raise TypeError(f"timeout is {timeout!r}; give seconds, 0 or more, or None to wait")
    if math.isnan(timeout) or timeout < 0:
        raise ValueError(f"timeout is {timeout}; give seconds, 0 or more, or None to wait")


def warn_of_running_loop() -> None:
    """Warn whoever calls a blocking method in an event loop."""
    warnings.warn(
        "get() stops the running event loop until the result is there; await the future instead",
        UserWarning,
        stacklevel=3,
    )
