"""How long the end of an actor waits for what the user's code does in it."""

from __future__ import annotations

import threading
from contextlib import suppress

from runtime import config

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


class Patience:
    """Calls `give_up` when the block takes longer than `cleanup_timeout`; the block goes on."""

    def __init__(self, give_up: Callable[[], None]) -> None:
        self._timer = threading.Timer(config.get("cleanup_timeout"), give_up)
        self._timer.daemon = True

    def __enter__(self) -> None:
        with suppress(RuntimeError):  # no thread can be started: then it waits
            self._timer.start()

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()
