"""The processes that a zygote answers for: born, killed, reaped, and what they left behind."""

import os
import signal
from contextlib import suppress

from runtime.actor.launch import marks, system

_LAST_WORDS = 4096


class Family:
    """The children of this process by pid and by number, and the descendants of the dead ones.

    FA-1 a process is signalled by pid only before it is reaped, or while a pidfd holds its number.
    FA-2 what a dead child has left (group, daemons, sessions of their own) is killed, and looked
    for again until nothing is found.
    """

    def __init__(self, run: int) -> None:
        self._run = run
        self._numbers: dict[int, int] = {}  # by pid
        self._pids: dict[int, int] = {}  # by number
        self._haunted: set[int] = set()  # numbers of dead children that left something
        self._errors, self.report = os.pipe2(os.O_CLOEXEC)
        os.set_blocking(self._errors, False)
        self._words: dict[
            int, str
        ] = {}  # what children have reported, by pid, until they are buried
        self.childless = True

    def __len__(self) -> int:
        return len(self._numbers)

    @property
    def haunted(self) -> bool:
        """Whether descendants of dead children may be left."""
        return bool(self._haunted)

    def add(self, number: int, pid: int) -> None:
        """Take in a child that was just forked."""
        self._numbers[pid] = number
        self._pids[number] = pid
        self.childless = False

    def forget(self) -> None:
        """In a child: close what is the parent's. `report` stays open."""
        os.close(self._errors)

    def kill(self, number: int, signal_: int) -> None:
        """Send a signal to the child of that number, if it lives."""
        if pid := self._pids.get(number):
            _send(pid, signal_)

    def terminate(self) -> None:
        """Ask every child to end."""
        for pid in self._numbers:
            _send(pid, signal.SIGTERM)

    def kill_all(self) -> None:
        """Kill the children and every descendant that can be found."""
        for pid in self._numbers:
            _kill_group(pid)
            _send(pid, signal.SIGKILL)
        marks.kill(self._run)
        for pid in system.children_of(os.getpid()):
            _send(pid, signal.SIGKILL)

    def reap(self) -> list[tuple[object, ...]]:
        """Collect who has ended; return an "exit" message for each child among them."""
        events: list[tuple[object, ...]] = []
        while True:
            try:
                ended = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            except ChildProcessError:
                self.childless = True
                return events
            if ended is None:
                return events
            pid = ended.si_pid
            self._hear()  # an end comes after what was reported before it
            number = self._numbers.pop(pid, None)
            if number is not None:
                _kill_group(pid)  # before the pid is free for strangers
            status = os.waitpid(pid, 0)[1]
            if number is not None:
                events.append(self._buried(pid, number, status))

    def haunt(self) -> None:
        """Kill what dead children have left; call again while `haunted`."""
        self._haunted = {number for number in self._haunted if marks.kill(self._run, number)}

    def _buried(self, pid: int, number: int, status: int) -> tuple[object, ...]:
        del self._pids[number]
        error = self._words.pop(pid, "")
        self._haunted.add(number)
        if os.WIFSIGNALED(status):
            return ("exit", number, pid, None, os.WTERMSIG(status), os.WCOREDUMP(status), error)
        return ("exit", number, pid, os.WEXITSTATUS(status), None, False, error)

    def _hear(self) -> None:
        """Take what children have reported; some of them have yet to end."""
        with suppress(BlockingIOError):
            while data := os.read(self._errors, 1 << 16):
                self._words.update(_reports(data))


def _reports(data: bytes) -> dict[int, str]:
    """Return the reports in what was read: one per line, as `report_line` wrote them."""
    lines = data.decode("utf-8", "replace").splitlines()
    return {int(pid): text for pid, _, text in (line.partition(" ") for line in lines)}


def report_line(pid: int, text: str) -> bytes:
    """Return a report that one write puts into a pipe whole."""
    return f"{pid} {' '.join(text.split())}".encode()[: _LAST_WORDS - 1] + b"\n"


def _send(pid: int, number: int) -> None:
    # A program that runs for another user, as sudo does, is not ours to signal.
    with suppress(ProcessLookupError, PermissionError):
        os.kill(pid, number)


def _kill_group(pid: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)
