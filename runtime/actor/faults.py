"""The last word on a failure: the hook of the program's client."""

from __future__ import annotations

import atexit
import os
import sys
import traceback

from runtime.actor.errors import MeshFailure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


def _unhandled(failure: MeshFailure) -> None:
    """End the program: what happens to a failure that reaches the client."""
    del failure
    sys.exit(1)


#: Called with a failure that reached the client. Programs replace it with
#: `runtime.actor.unhandled_fault_hook = ...`.
default_hook: Callable[[MeshFailure], object] = _unhandled


def decided(failure: MeshFailure) -> bool:
    """Ask the program's hook; a hook that returns has handled the failure."""
    hook = getattr(sys.modules["runtime.actor"], "unhandled_fault_hook", default_hook)
    try:
        hook(failure)
    except SystemExit:
        return False
    except BaseException:  # noqa: BLE001 - the program's own
        traceback.print_exc()
        return False
    return True


def leave_as_failed() -> None:
    """Have the other exit handlers run, and exit with 1: as a handler cannot set the status."""
    atexit.unregister(leave_as_failed)
    atexit._run_exitfuncs()  # noqa: SLF001 - as multiprocessing does
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(1)


__all__ = ["MeshFailure", "decided", "default_hook", "leave_as_failed"]
