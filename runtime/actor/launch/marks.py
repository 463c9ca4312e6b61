"""A mark that every descendant of a process carries, so that none is lost after its death.

A daemon leaves its session, its group and its parent, and a program may be started with an empty
environment; resource limits stay with all of them. The soft limit of RLIMIT_RTTIME acts on
threads of a real-time class only, in microseconds of CPU time: any number from 2**62 up means "no
limit" there, so its low bits are free to say which zygote (30 bits) and which of its children
(32 bits) a process belongs to. Unlike /proc/PID/environ a limit is read without ptrace rights.
"""

import os
import resource
import signal
from contextlib import suppress

from runtime.actor.launch import system

_BASE = 1 << 62
_RUN_SHIFT = 32
_NUMBERS = (1 << _RUN_SHIFT) - 1
ALL = None


def new_run() -> int:
    """Return a random number for one life of one zygote."""
    return int.from_bytes(os.urandom(4), "little") >> 2


def put(run: int, number: int) -> bool:
    """Mark this process and all that it will start; return whether its hard limit allows that."""
    hard = resource.getrlimit(resource.RLIMIT_RTTIME)[1]
    if hard != resource.RLIM_INFINITY:
        return False
    mark = _BASE | run << _RUN_SHIFT | number & _NUMBERS
    resource.setrlimit(resource.RLIMIT_RTTIME, (mark, hard))
    return True


def read(pid: int) -> tuple[int, int] | None:
    """Return the (run, number) that a process is marked with, or None."""
    try:
        mark = resource.prlimit(pid, resource.RLIMIT_RTTIME)[0]
    except (OSError, ValueError):
        return None
    if mark < _BASE:
        return None
    mark ^= _BASE
    return mark >> _RUN_SHIFT, mark & _NUMBERS


def find(run: int, number: int | None = ALL) -> list[int]:
    """Return the living processes of the machine with this mark, but not the caller.

    Zombies do not count: whoever inherited one reaps it in its own time.
    """
    own = os.getpid()
    marked = [pid for pid in system.processes() if _matches(read(pid), run, number)]
    return [pid for pid in marked if pid != own and not system.is_dead(pid)]


def kill(run: int, number: int | None = ALL) -> int:
    """Kill every process with this mark; return how many there were."""
    found = find(run, number)
    for pid in found:
        _kill_one(pid, run, number)
    return len(found)


def _kill_one(pid: int, run: int, number: int | None) -> None:
    # The number may have passed to a stranger since it was found: hold it, then look again.
    try:
        held = os.pidfd_open(pid)
    except OSError:
        return
    with suppress(OSError):
        if _matches(read(pid), run, number):
            signal.pidfd_send_signal(held, signal.SIGKILL)
    os.close(held)


def _matches(mark: tuple[int, int] | None, run: int, number: int | None) -> bool:
    return mark is not None and mark[0] == run and number in {ALL, mark[1]}
