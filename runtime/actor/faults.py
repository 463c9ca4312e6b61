"""The last word on a failure: the hook of the program's client."""

from __future__ import annotations

import atexit
import os
import signal
import sys
import threading
import traceback
from contextlib import suppress

from runtime.actor.errors import MeshFailure
from runtime.actor.raised import say

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
        say(traceback.format_exc())
        return False
    return True


class Ending:
    """How this process ends: with 1 once something has failed that nothing handled.

    EN-1 nothing that comes later makes that a success: a KeyboardInterrupt that the program
    swallows, another failure, a Ctrl-C while exit handlers run.
    EN-2 a main thread that ends already is not interrupted: what it has to do is done.
    """

    def __init__(self) -> None:
        self.failed = False
        self.told = threading.Event()  # what has failed
        self.begun = False  # the main thread ends, and sees to it
        self._leaving = False

    @property
    def ends(self) -> bool:
        """Whether the main thread ends, so that nothing is begun any more."""
        return self.begun or self._leaving

    def fail(self) -> None:
        """Have the program end, as by Ctrl-C, and with 1."""
        self.failed = True
        self.told.set()
        process = os.getpid()
        atexit.register(lambda: self.leave() if os.getpid() == process else None)
        if self.begun:
            return
        if callable(signal.getsignal(signal.SIGINT)):
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
        else:  # ignored, as in what a shell runs in the background, or not Python's
            threading.Thread(target=self.leave, name="ending", daemon=True).start()

    def leave(self) -> None:
        """Have the other exit handlers run, and exit with 1: as a handler cannot set the status."""
        if self._leaving:
            return
        self._leaving = True
        try:
            atexit._run_exitfuncs()  # noqa: SLF001 - as multiprocessing does
            for stream in (sys.stdout, sys.stderr):
                with suppress(OSError, ValueError, AttributeError):
                    stream.flush()
        finally:  # also after another Ctrl-C
            os._exit(1)


#: The one of this process.
ending = Ending()
__all__ = ["MeshFailure", "decided", "default_hook", "ending", "say"]
