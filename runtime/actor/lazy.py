"""Futures of coroutines: begun by the first who looks, on the event loop of whoever that is."""

from __future__ import annotations

import functools
import threading

from runtime.actor import arity, loops
from runtime.actor.errors import CallCancelledError
from runtime.actor.future import Future, checked_timeout, warn_of_running_loop
from runtime.actor.latch import Latch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from typing import Any, ParamSpec, TypeVar

    P = ParamSpec("P")
    T = TypeVar("T")


_ASYNC = 0x80  # the flag of an `async def`


def returns_future(function: Callable[P, Coroutine[Any, Any, T]]) -> Callable[P, Future[T]]:
    """Make an `async def` return a Future, which begins when it is first looked at.

    Awaited, it runs on the loop that awaits; `get` runs it on a loop of its own in this thread. A
    `get` that times out cancels it, and so does the cancellation of who awaits: every later look
    raises the same. Whoever looks while it runs waits for the result, and cancels nothing.
    """
    code = getattr(function, "__code__", None)
    if code is None or not code.co_flags & _ASYNC:
        raise TypeError(f"returns_future of {function!r}: an `async def` is needed")

    @functools.wraps(function)
    def begin(*args: P.args, **kwargs: P.kwargs) -> Future[T]:
        arity.check(function, 0, args, kwargs)
        return _Lazy(lambda: function(*args, **kwargs))

    return begin


class _Lazy(Future["Any"]):
    """A future whose first look runs the coroutine."""

    def __init__(self, make: Callable[[], Coroutine[Any, Any, Any]]) -> None:
        self._latch = Latch()
        super().__init__(self._latch, self._outcome, self._give_up)
        self._make = make
        self._begun = threading.Lock()  # is taken by who runs it
        self._value: Any = None
        self._raised: BaseException | None = None

    def get(self, timeout: float | None = None) -> Any:  # noqa: ANN401
        """Run it here, unless somebody does, and return the result."""
        if timeout is not None:
            checked_timeout(timeout)
        if not self._begun.acquire(blocking=False):
            return super().get(timeout)
        if loops.is_running():
            warn_of_running_loop()
            _on_another_thread(lambda: self._run(timeout))
        else:
            self._run(timeout)
        return super().get(0)

    result = get

    async def _awaited(self) -> Any:  # noqa: ANN401
        if self._begun.acquire(blocking=False):
            await self._record()
        return await super()._awaited()

    def _run(self, timeout: float | None) -> None:
        """Run it on a loop of its own, and cancel it when the time is over."""
        import asyncio

        async def within() -> None:
            task = asyncio.ensure_future(self._record())
            done, _ = await asyncio.wait((task,), timeout=timeout)
            if not done:
                self._raised = TimeoutError(f"no result after {timeout} s; it was cancelled")
                task.cancel()
                await asyncio.wait((task,))
            elif task.cancelled():
                task.result()

        asyncio.run(within())

    async def _record(self) -> None:
        """Run it, and keep what becomes of it for every look."""
        import asyncio

        try:
            self._value = await self._make()
        except asyncio.CancelledError:
            self._raised = self._raised or CallCancelledError("it was cancelled while it ran")
            raise
        except BaseException as error:
            self._raised = self._raised or error
            if not isinstance(error, Exception):
                raise
        finally:
            self._latch.open()

    def _outcome(self, _: object) -> Any:  # noqa: ANN401
        if self._raised is not None:
            raise self._raised
        return self._value

    def _give_up(self) -> None:
        """Cancel what nobody has begun; what runs is ended by whoever runs it."""
        if self._begun.acquire(blocking=False):
            self._raised = CallCancelledError("it was given up before it was begun")
            self._latch.open()


def _on_another_thread(do: Callable[[], None]) -> None:
    """Run something that needs a thread without an event loop, as who is running now."""
    import contextvars

    context = contextvars.copy_context()
    thread = threading.Thread(target=context.run, args=(do,), name="future")
    thread.start()
    thread.join()
