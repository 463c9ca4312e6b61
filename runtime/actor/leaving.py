"""Where an actor's code leaves a process that it has forked, or broken."""

from __future__ import annotations

import os
import sys
from contextlib import suppress

from runtime.actor.forks import membership
from runtime.actor.raised import print_exception

_BROKEN = 71  # status of a process in which the runtime cannot go on


def leave_broken(error: BaseException) -> None:
    """End a process whose runtime has failed: callers are told of its end, and of nothing else."""
    try:
        print_exception(error)
    finally:
        os._exit(_BROKEN)


def leave_fork(error: BaseException | None) -> None:
    """End a fork that comes back from user code, as a program would; the actor is its parent's."""
    if not membership.cut_off:
        return
    status = 0 if error is None else 1
    if isinstance(error, SystemExit) and isinstance(error.code, int | None):
        status = error.code or 0
    elif error is not None:
        print_exception(error)
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError, AttributeError):
            stream.flush()
    os._exit(status & 0xFF)
