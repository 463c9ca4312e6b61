"""Run the commands of a build: with a time limit, and without leaving a process behind."""

import os
import selectors
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, cast

from porting.errors import reason

_CANNOT_START = 127  # as shells say it
_PIECE = 1 << 16
# How often to look whether the command is over while another process holds its output open, and
# how long to go on reading what that one says.
_LOOK, _REST = 0.1, 1.0
# Of output that is longer, the beginning and the end are kept: about as much as a person reads.
_KEPT = 4 << 20


@dataclass(frozen=True)
class Ran:
    """A finished command: exit code (negative: the signal), its output, whether time ran out."""

    code: int
    output: str
    timed_out: bool = False


def run(
    command: Sequence[str], folder: Path, environment: Mapping[str, str], timeout: float
) -> Ran:
    """Run a command in `folder`; what it started ends with it.  Both outputs are one text.

    A process that leaves the session, as a daemon does, is neither waited for nor ended.  A program
    that cannot be started has the code 127 and the reason as output.
    """
    try:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    except OSError as error:
        return Ran(_CANNOT_START, f"{command[0]}: {reason(error)}\n")
    said = _Said()
    with process:
        try:
            in_time = _follow(process, said, time.monotonic() + timeout)
        finally:
            _kill(process)
    return Ran(process.returncode, said.text(), timed_out=not in_time)


@dataclass
class _Said:
    """The output so far; of a long one, the beginning and the end."""

    head: bytearray = field(default_factory=bytearray)
    tail: bytearray = field(default_factory=bytearray)
    left_out: int = 0

    def add(self, piece: bytes) -> None:
        room = max(_KEPT - len(self.head), 0)
        self.head += piece[:room]
        self.tail += piece[room:]
        if len(self.tail) > 2 * _KEPT:
            self._shorten()

    def text(self) -> str:
        if len(self.tail) > _KEPT:
            self._shorten()
        gap = f"\n... {self.left_out} bytes left out ...\n".encode() if self.left_out else b""
        # No path has a NUL byte, and nothing that reads a path out of this takes one.
        return (self.head + gap + self.tail).decode("utf-8", "replace").replace("\0", "\ufffd")

    def _shorten(self) -> None:
        more = len(self.tail) - _KEPT
        self.left_out += more
        del self.tail[:more]


def _follow(process: "subprocess.Popen[bytes]", said: _Said, deadline: float) -> bool:
    """Read the output until the command is over, and return whether that was in time."""
    pipe = cast("IO[bytes]", process.stdout).fileno()
    over = False
    with selectors.DefaultSelector() as selector:
        selector.register(pipe, selectors.EVENT_READ)
        while (left := deadline - time.monotonic()) > 0:
            ready = selector.select(min(left, _LOOK))
            piece = os.read(pipe, _PIECE) if ready else b""
            said.add(piece)
            if not over and _is_over(process):
                over = True
                _kill(process)  # before its id is given to another
                deadline = min(deadline, time.monotonic() + _REST)
            elif over and not ready:
                return True
            if ready and not piece:
                return over or _wait(process, deadline)
    return over


def _wait(process: "subprocess.Popen[bytes]", deadline: float) -> bool:
    """Wait for a command that has closed its output, and return whether it ended in time."""
    while not _is_over(process):
        if time.monotonic() >= deadline:
            return False
        time.sleep(_LOOK / 10)
    return True


def _is_over(process: "subprocess.Popen[bytes]") -> bool:
    """Whether it has ended; its id stays taken, so that its group can be ended too."""
    flags = os.WEXITED | os.WNOHANG | os.WNOWAIT
    return os.waitid(os.P_PID, process.pid, flags) is not None


def _kill(process: "subprocess.Popen[bytes]") -> None:
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        return
