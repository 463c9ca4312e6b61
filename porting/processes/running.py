"""Run commands: with a time limit, and without leaving a process behind, whatever ends the run."""

import json
import os
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, cast

from porting.errors import reason

_CANNOT_START = 127  # as shells say it
_PIECE = 1 << 16
_LONGEST_WAIT = 3600.0  # the system counts milliseconds in 31 bits
# How long a guard may take to end what it guards.
_GRACE = 10.0
# Of output that is longer, the beginning and the end are kept: about as much as a person reads.
_KEPT = 4 << 20
# Another process, and no fork: this one may have threads.  -I -S: nothing of the user's is read.
_GUARD = (sys.executable, "-I", "-S", str(Path(__file__).with_name("guard.py")))


@dataclass(frozen=True)
class Ran:
    """A finished command: exit code (negative: the signal), its output, whether time ran out."""

    code: int
    output: str
    timed_out: bool = False

    @property
    def ending(self) -> str:
        """How it ended, as it stands in a sentence behind its name."""
        if self.timed_out:
            return "did not end in time"
        if self.code >= 0:
            return f"ended with code {self.code}"
        known = {each.value: each.name for each in signal.Signals}
        return f"was ended by {known.get(-self.code, f'signal {-self.code}')}"


def run(
    command: Sequence[str], folder: Path, environment: Mapping[str, str], timeout: float
) -> Ran:
    """Run a command in `folder`; what it started ends with it.  Both outputs are one text.

    That holds for daemons too, and when this process is killed.  A program that cannot be started
    has the code 127 and the reason as output.
    """
    try:
        guarded = Guarded(command, folder, environment)
    except OSError as error:
        return Ran(_CANNOT_START, f"{command[0]}: {reason(error)}\n")
    return guarded.finish(timeout)


class Guarded:
    """A command that runs, and what it started.  Raises OSError for want of a process or folder."""

    def __init__(
        self, command: Sequence[str], folder: Path, environment: Mapping[str, str]
    ) -> None:
        self._process = subprocess.Popen(
            _GUARD,
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # Ctrl-C is for this process to handle
        )
        with suppress(BrokenPipeError):  # whatever became of it: its end says so
            self._input.write(_job(command, environment))
            self._input.flush()

    def finish(self, timeout: float) -> Ran:
        """Wait for the command, and return what became of it.  It is over when this returns."""
        said = _Said()
        with self._process:
            try:
                in_time = _follow(self._process, said, time.monotonic() + timeout)
            finally:
                self._end()
        return Ran(self._process.returncode, said.text(), timed_out=not in_time)

    def stop(self) -> None:
        """End the command, from any thread; `finish` returns then."""
        with suppress(OSError):
            self._input.close()

    def _end(self) -> None:
        self.stop()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_GRACE)
        self._process.kill()

    @property
    def _input(self) -> IO[bytes]:
        return cast("IO[bytes]", self._process.stdin)


def _job(command: Sequence[str], environment: Mapping[str, str]) -> bytes:
    def told(text: str) -> str:
        return os.fsencode(text).decode("latin-1")

    words = [told(word) for word in command]
    pairs = {told(name): told(text) for name, text in environment.items()}
    return json.dumps([words, pairs]).encode() + b"\n"


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
    """Read the output until nobody is left to write it, and return whether that was in time.

    The guard ends what holds the output open behind a command that is over.
    """
    pipe = cast("IO[bytes]", process.stdout).fileno()
    with selectors.DefaultSelector() as selector:
        selector.register(pipe, selectors.EVENT_READ)
        while (left := deadline - time.monotonic()) > 0:
            if not selector.select(min(left, _LONGEST_WAIT)):
                continue
            piece = os.read(pipe, _PIECE)
            if not piece:
                return _wait(process, deadline)
            said.add(piece)
    return False


def _wait(process: "subprocess.Popen[bytes]", deadline: float) -> bool:
    """Wait for a command that has closed its output, and return whether it ended in time."""
    try:
        process.wait(max(deadline - time.monotonic(), 0))
    except subprocess.TimeoutExpired:
        return False
    return True
