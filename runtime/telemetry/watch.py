"""What one actor does: what runs in it now, and how much it has done."""

from __future__ import annotations

from time import monotonic_ns

from runtime.telemetry.histogram import Histogram
from runtime.telemetry.state import state

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    #: The endpoint, since when (CLOCK_MONOTONIC, ns), its message, and its task if it has one.
    Span = tuple[str, int, Any, Any]
else:
    Span = tuple


class Watch:
    """One per actor. Its methods are called on the actor's thread; anybody may read."""

    __slots__ = ("cancelled", "failed", "handled", "name", "path", "running")

    def __init__(self, name: str, path: str) -> None:
        self.name = name
        self.path = path
        self.handled = 0
        self.failed = 0
        self.cancelled = 0
        self.running: dict[int, Span] = {}

    def begin(self, message: Any, task: object = None) -> Span:  # noqa: ANN401 - of the core
        """Note that an endpoint begins."""
        span = (message.method, monotonic_ns(), message, task)
        self.running[id(span)] = span
        return span

    def begin_hook(self, name: str, task: object = None) -> Span:
        """Note that something begins that no message asks for: a constructor, a hook."""
        span = (name, monotonic_ns(), None, task)
        self.running[id(span)] = span
        return span

    def end_hook(self, span: Span) -> None:
        """Note that it has ended."""
        self.running.pop(id(span), None)

    def end(
        self, span: Span, *, failed: bool, cancelled: bool = False, beside: bool = False
    ) -> None:
        """Note that it has ended; `beside` others it ran when it is a concurrent endpoint."""
        self.running.pop(id(span), None)
        self.handled += 1
        self.failed += failed
        self.cancelled += cancelled
        if not state.on:
            return
        endpoint, began, _, _ = span
        name = f"{self.name}.{endpoint}"
        histogram = state.endpoints.setdefault(name, Histogram())
        histogram.add((monotonic_ns() - began) / 1e9)
        if state.trace is not None:
            state.trace.endpoint(name, self.path, span, failed=failed, beside=beside)
