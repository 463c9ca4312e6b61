"""How long ends are waited for: of what the user's code does, and of processes."""

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


_TOLD = 1.0  # seconds that a zygote has, at least, to tell of an end
_MARGIN = 2.0  # seconds in which a busy machine passes on that a process is gone


def until_killed() -> float:
    """Return the seconds from when a process is asked to leave until it gets SIGKILL.

    After `stop_timeout` it gets SIGTERM, and has the time of a clean-up once more.
    """
    return float(config.get("stop_timeout") + config.get("cleanup_timeout"))


def until_told() -> float:
    """Return the seconds from SIGKILL until an end counts as told by nobody."""
    return max(_TOLD, float(config.get("eof_grace")))


def until_gone() -> float:
    """Return the seconds after which whoever has stopped a process knows that it is gone."""
    return until_killed() + until_told() + _MARGIN
