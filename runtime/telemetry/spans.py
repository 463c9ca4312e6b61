"""Spans of the program's own: parts of its code that the trace shows with a name.

They cost one test while nothing is traced. A program that has imported opentelemetry gets each
span there too.
"""

from __future__ import annotations

import functools
import itertools
import sys
import time

from runtime.telemetry.state import state

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Self, TypeVar, overload

    F = TypeVar("F", bound=Callable[..., Any])

_ASYNC = 0x80  # the flag of an `async def`
_numbers = itertools.count(1)


class span:  # noqa: N801 - it is called like a function
    """A `with` block that the trace shows under a name; spans nest, and may await."""

    __slots__ = ("_began", "_name", "_outer")

    def __init__(self, name: str) -> None:
        self._name = name

    def __enter__(self) -> Self:
        self._outer = _elsewhere(self._name)
        if self._outer is not None:
            self._outer.__enter__()
        self._began = time.monotonic_ns() if state.trace is not None else 0
        return self

    def __exit__(self, *raised: object) -> None:
        trace = state.trace
        if trace is not None and self._began:
            number = next(_numbers) if _in_a_loop() else None
            trace.block(self._name, self._began, failed=raised[0] is not None, beside=number)
        if self._outer is not None:
            self._outer.__exit__(*raised)


if TYPE_CHECKING:

    @overload
    def traced(fn: F, *, name: str | None = None) -> F: ...
    @overload
    def traced(fn: None = None, *, name: str | None = None) -> Callable[[F], F]: ...


def traced(fn: Callable[..., Any] | None = None, *, name: str | None = None) -> Callable[..., Any]:
    """Make each run of a function, or of an `async def`, a span; its name is the function's."""
    if fn is None:
        return functools.partial(traced, name=name)
    called = name or fn.__qualname__
    code = getattr(fn, "__code__", None)
    if code is not None and code.co_flags & _ASYNC:

        @functools.wraps(fn)
        async def run_async(*args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - the function's
            with span(called):
                return await fn(*args, **kwargs)

        return run_async

    @functools.wraps(fn)
    def run(*args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - the function's
        with span(called):
            return fn(*args, **kwargs)

    return run


def _elsewhere(name: str) -> Any:  # noqa: ANN401 - a context manager of opentelemetry's
    tracing = sys.modules.get("opentelemetry.trace")
    if tracing is None:
        return None
    return tracing.get_tracer("eclosion").start_as_current_span(name)


def _in_a_loop() -> bool:
    """Tell whether other tasks of this thread may run within the span."""
    # Without it the module is only being imported, by another thread.
    running = getattr(sys.modules.get("asyncio"), "_get_running_loop", None)
    return running is not None and running() is not None
