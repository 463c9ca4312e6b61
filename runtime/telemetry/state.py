"""The counts of this process, and whether anybody wants them."""

from __future__ import annotations

import time
import weakref
from collections import Counter, deque

from runtime.telemetry.histogram import Histogram

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from runtime.telemetry.trace import Trace

_FAILURES = 50  # that are remembered


class State:
    """What this process has done. `on` says that messages are measured or traced."""

    def __init__(self) -> None:
        self.on = False
        self.trace: Trace | None = None
        self.messages = 0
        self.message_bytes = 0
        self.replies = 0
        self.reply_bytes = 0
        self.restarts = 0
        self.endpoints: dict[str, Histogram] = {}
        self.calls: dict[str, Histogram] = {}
        self.failures: Counter[str] = Counter()
        self.recent: deque[dict[str, Any]] = deque(maxlen=_FAILURES)
        self._futures: weakref.WeakSet[Any] = weakref.WeakSet()
        self._seen: deque[str] = deque(maxlen=1000)

    def sent(self, size: int, receivers: int) -> None:
        """Count a message that was sent."""
        self.messages += receivers
        self.message_bytes += size * receivers

    def replied(self, size: int) -> None:
        """Count a reply."""
        self.replies += 1
        self.reply_bytes += size

    def call_begun(
        self,
        future: Any,  # noqa: ANN401 - of the actors
        endpoint: str,
        began: int,
        request: int,
        recipients: int,
    ) -> None:
        """Note a call that was sent; `future` is its result, `began` the time before, in ns."""
        future.began = (endpoint, began, request)
        self._futures.add(future)
        if self.trace is not None:
            self.trace.call_begun(request, endpoint, began, recipients)

    def call_ended(self, endpoint: str, began: int, request: int) -> None:
        """Note that somebody has the result of a call."""
        histogram = self.calls.setdefault(endpoint, Histogram())
        histogram.add((time.monotonic_ns() - began) / 1e9)
        if self.trace is not None:
            self.trace.call_ended(request, endpoint)

    def pending(self) -> int:
        """Return how many calls wait for their results."""
        return sum(1 for future in list(self._futures) if not future.done())

    def failed(self, event_id: str, kind: str, text: str, report: str) -> None:
        """Count a failure, once, however many hear of it."""
        if event_id in self._seen:
            return
        self._seen.append(event_id)
        self.failures[kind] += 1
        row = {"event": event_id, "kind": kind, "text": text, "report": report}
        self.recent.append(row | {"at": time.monotonic()})

    def failures_told(self) -> list[dict[str, Any]]:
        """Return the last failures, with how long ago they were."""
        now = time.monotonic()
        return [
            {key: value for key, value in row.items() if key != "at"} | {"seconds": now - row["at"]}
            for row in list(self.recent)
        ]


#: The one of this process.
state = State()
