"""The process between a run and a command: what the command started ends with it, or with the run.

A script of the standard library alone.  Its standard input is a pipe that the run holds open: first
the command as one line of JSON, [words, environment] with bytes as Latin-1, then nothing, until the
run closes it or dies.  It ends as the command did: with its exit code, or by the same signal.

Not PR_SET_PDEATHSIG, which no grandchild inherits, and not the process group, which ninja's
children and daemons leave: this process is the subreaper of all below it, so none can get away.
Source: prctl(2), credentials(7).
"""

import ctypes
import json
import os
import resource
import select
import signal
import sys
from contextlib import suppress

_PR_SET_CHILD_SUBREAPER = 36
_CANNOT_START = 127  # as shells say it
_INPUT, _OUTPUT, _ERRORS = 0, 1, 2


def guard() -> int:
    """Run the command that the input names, end what it left, and return its wait status."""
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    wakes, wake = os.pipe()
    os.set_blocking(wake, False)
    os.set_blocking(wakes, False)
    signal.signal(signal.SIGCHLD, lambda _number, _frame: None)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    job = _job()
    if job is None:
        return signal.SIGKILL
    words, environment = job
    try:
        child = _start(words, environment)
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        os.write(_OUTPUT, b"%s: %s\n" % (words[0], why.encode()))
        return _CANNOT_START << 8
    _let_go_of_output()
    status = _wait(child, wakes)
    _end_all()
    return status


def _job() -> tuple[list[bytes], dict[bytes, bytes]] | None:
    """Return the command and its environment, None when the run is over before it said them."""
    line = b""
    while not line.endswith(b"\n"):
        piece = os.read(_INPUT, 1 << 16)
        if not piece:
            return None
        line += piece
    words, environment = json.loads(line)
    pairs = ((name.encode("latin-1"), text.encode("latin-1")) for name, text in environment.items())
    return [word.encode("latin-1") for word in words], dict(pairs)


def _start(words: list[bytes], environment: dict[bytes, bytes]) -> int:
    os.environb[b"PATH"] = environment.get(b"PATH", os.defpath.encode())  # where it is looked for
    return os.posix_spawnp(
        words[0],
        words,
        environment,
        file_actions=[(os.POSIX_SPAWN_OPEN, _INPUT, os.devnull, os.O_RDONLY, 0)],
        setsid=True,  # a `kill 0` in a build file is not for us
        setsigdef=[signal.SIGPIPE, signal.SIGXFSZ],  # which Python ignores
    )


def _let_go_of_output() -> None:
    """Leave the output to the command: it ends when that closes it."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, _OUTPUT)
    os.dup2(null, _ERRORS)


def _wait(child: int, wakes: int) -> int:
    """Return the command's wait status; that of a killed one when the run closed the pipe."""
    poll = select.poll()
    poll.register(_INPUT, select.POLLIN)
    poll.register(wakes, select.POLLIN)
    while True:
        ready = [number for number, _ in poll.poll()]
        if wakes in ready:
            os.read(wakes, 1 << 16)
        status = _reap(child)
        if status is not None:
            return status
        if _INPUT in ready and not os.read(_INPUT, 1):
            return signal.SIGKILL


def _reap(child: int) -> int | None:
    """Bury everything that has ended, and return the status of the command if it has."""
    found = None
    with suppress(ChildProcessError):
        while (ended := os.waitpid(-1, os.WNOHANG))[0]:
            if ended[0] == child:
                found = ended[1]
    return found


def _end_all() -> None:
    """Kill everything below this process; what was forked in the meantime is killed next time."""
    while below := _below(os.getpid()):
        killed = [_kill(process) for process in below]
        if not any(killed):
            return  # of another user, as sudo's: nobody here can end it
        with suppress(ChildProcessError):
            os.waitpid(-1, 0)
        _reap(0)


def _kill(process: int) -> bool:
    try:
        os.kill(process, signal.SIGKILL)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    return True


def _below(root: int) -> list[int]:
    """Return the descendants of a process, zombies included; none where /proc is not there."""
    children: dict[int, list[int]] = {}
    for process in _processes():
        with suppress(OSError):
            with open(f"/proc/{process}/stat", "rb") as file:  # noqa: PTH123 - pathlib is slow here
                parent = int(file.read().rpartition(b")")[2].split()[1])
            children.setdefault(parent, []).append(process)
    found = list(children.get(root, ()))
    for process in found:
        found += children.get(process, ())
    return found


def _processes() -> list[int]:
    try:
        return [int(entry.name) for entry in os.scandir("/proc") if entry.name.isdecimal()]
    except OSError:
        return []


def _end_as(status: int) -> int:
    """Return the exit code of a wait status; does not return when that was a signal."""
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        with suppress(OSError, ValueError):  # SIGKILL has no handler
            signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
    return os.WEXITSTATUS(status)


if __name__ == "__main__":
    sys.exit(_end_as(guard()))
