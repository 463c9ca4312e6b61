"""A launcher that begins before its gateway is there.

The first zygote takes as long to start as the imports of everything else; so it begins first.
"""

from runtime import config
from runtime.actor.launch.launcher import Launcher

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from runtime.actor.launch.process import Exit

_begun: list[Launcher] = []


def begin() -> None:
    """Start a zygote for the gateway that this process is about to become."""
    if not _begun:
        _begun.append(_new(_nobody))
        _begun[0].warm()


def take(on_exit: "Callable[[Exit], None]") -> Launcher:
    """Return the launcher that was begun, or a new one; it tells of exits from now on."""
    if not _begun:
        return _new(on_exit)
    launcher = _begun.pop()
    launcher.tell(on_exit)
    return launcher


def _new(on_exit: "Callable[[Exit], None]") -> Launcher:
    return Launcher(on_exit=on_exit, preload=("runtime.actor.worker", *config.get("preload")))


def _nobody(_: "Exit") -> None:
    """Hear of no exit: nothing was started yet."""
