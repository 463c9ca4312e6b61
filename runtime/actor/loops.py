"""How event loops learn of news in the core: one descriptor per loop, and futures by token."""

from __future__ import annotations

import sys
import weakref

from runtime.core import Notifier

TYPE_CHECKING = False
if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable
    from typing import Protocol

    class Source(Protocol):
        """What tells a notifier of news."""

        def notify(self, notifier: Notifier, token: int) -> None:
            """Tell the notifier, with this token, at the next news, or at once of what there is."""


def is_running() -> bool:
    """Tell whether this thread is in a running event loop; does not import asyncio for it."""
    # Without it the module is only being imported, by another thread.
    running = getattr(sys.modules.get("asyncio"), "_get_running_loop", None)
    return running is not None and running() is not None


class _Watcher:
    """The notifier of one loop."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._notifier = Notifier()
        self._waiting: dict[int, asyncio.Future[None]] = {}
        self._next = 1
        loop.add_reader(self._notifier.fileno(), self._news)

    def register(self, source: Source, future: asyncio.Future[None]) -> int:
        token = self._next
        self._next += 1
        self._waiting[token] = future
        source.notify(self._notifier, token)
        return token

    def renew(self, token: int, source: Source, future: asyncio.Future[None]) -> None:
        self._waiting[token] = future
        source.notify(self._notifier, token)

    def forget(self, token: int) -> None:
        self._waiting.pop(token, None)

    def _news(self) -> None:
        for token in self._notifier.drain():
            future = self._waiting.get(token)
            if future is not None and not future.done():
                future.set_result(None)


_watchers: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, _Watcher] = (
    weakref.WeakKeyDictionary()
)


async def until(source: Source, ready: Callable[[], bool]) -> None:
    """Wait in the running loop until `ready` holds; it is asked at each news of the source."""
    import asyncio

    loop = asyncio.get_running_loop()
    watcher = _watchers.get(loop)
    if watcher is None:
        watcher = _watchers[loop] = _Watcher(loop)
    news: asyncio.Future[None] = loop.create_future()
    token = watcher.register(source, news)
    try:
        while not ready():
            await news
            if ready():
                return
            news = loop.create_future()
            watcher.renew(token, source, news)
    finally:
        watcher.forget(token)
