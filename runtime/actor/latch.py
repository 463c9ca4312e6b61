"""A future of this process: something that will have happened."""

from __future__ import annotations

import threading

from runtime.actor.future import Future

TYPE_CHECKING = False
if TYPE_CHECKING:
    from runtime.core import Notifier


class Latch:
    """Opens once, and gives futures that are there when it has; `error` is what they raise."""

    def __init__(self) -> None:
        self._event = threading.Event()
        self._lock = threading.Lock()
        self._notify: list[tuple[Notifier, int]] = []
        self.error: Exception | None = None
        self.id = 0

    def open(self, error: Exception | None = None) -> None:
        """Let everybody through; the first time counts."""
        with self._lock:
            if self._event.is_set():
                return
            self.error = error
            self._event.set()
            for notifier, token in self._notify:
                notifier.tell(token)
            self._notify.clear()

    @property
    def settled(self) -> bool:
        """Whether it is open."""
        return self._event.is_set()

    def wait(self, timeout: float | None) -> bool:
        """Wait for it; return whether it is open."""
        return self._event.wait(timeout)

    def notify(self, notifier: Notifier, token: int) -> None:
        """Tell a loop's notifier when it opens."""
        with self._lock:
            if self._event.is_set():
                notifier.tell(token)
            else:
                self._notify.append((notifier, token))

    def future(self) -> Future[None]:
        """Return a future of the opening."""
        return Future(self, self._settle, lambda: None)

    def _settle(self, _: object) -> None:
        if self.error is not None:
            raise self.error
