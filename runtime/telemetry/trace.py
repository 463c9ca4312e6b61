"""Spans as Chrome trace events, which Perfetto opens: one file of all processes of a host.

Each event is one line that its process appends in one write, so a killed process loses nothing
that it has told; one that cannot write any more says so once, and goes on without. Times are
CLOCK_MONOTONIC in microseconds, which the processes of a host share.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import struct
import sys
import threading
import time
from contextlib import suppress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from runtime.telemetry.watch import Span


_LONGEST = 1 << 16  # bytes of a line


class BusyTraceError(OSError):
    """A program that runs writes to the file."""


class Trace:
    """The part of this process. The one that is `first` makes the file anew, and ends it."""

    def __init__(self, path: str, node: int, name: str, host: str, *, first: bool) -> None:
        self.path = path
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC
        self._fd = os.open(path, flags, 0o644)
        if first:
            self._make_anew()
        self._first = first
        self._node = node
        self._pid = os.getpid()
        self._named: set[int] = set()
        self._lock = threading.Lock()
        self._begin()
        self._emit("M", "process_name", 0, args={"name": f"{name} on {host}"})

    def _make_anew(self) -> None:
        """Empty the file, and hold it while this process has it; BusyTraceError if another does."""
        whole = struct.pack("hhqqi4x", fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0)
        try:
            # Of the open file, and no hindrance to those of this program that append to it.
            fcntl.fcntl(self._fd, fcntl.F_OFD_SETLK, whole)
        except BlockingIOError:
            os.close(self._fd)
            raise BusyTraceError(f"{self.path} is the trace of another program") from None
        os.ftruncate(self._fd, 0)

    def _begin(self) -> None:
        """Write the beginning of the file, unless another process has."""
        fcntl.flock(self._fd, fcntl.LOCK_EX)
        try:
            if os.fstat(self._fd).st_size == 0:
                os.write(self._fd, b"[\n")
                self._emit("M", "trace_begins", 0, cat="__metadata", args=_clocks())
        finally:
            fcntl.flock(self._fd, fcntl.LOCK_UN)

    def close(self) -> None:
        """End the part of this process; the first one's end is the end of the file."""
        with self._lock:
            if self._first and self._fd < 0:
                self._cut()
            if self._first:
                last = {"ph": "M", "name": "trace_ends", "pid": self._pid, "tid": 0, "args": {}}
                self._append(json.dumps(last).encode() + b"\n]\n")
            self._give_up()

    def take(self, lines: bytes) -> None:
        """Append events of another host, whole lines of them."""
        with self._lock:
            self._append(lines)

    def call_begun(self, request: int, endpoint: str, began: int, recipients: int) -> None:
        """Draw the sending of a call, its waiting, and the tails of its arrows."""
        thread = self._thread(threading.current_thread().name)
        now = time.monotonic_ns()
        self._emit("X", f"send {endpoint}", thread, began, cat="call", dur=_us(now - began))
        call = f"{self._node:x}.{request:x}"
        self._emit("b", endpoint, thread, began, cat="call", id=call)
        for index in range(recipients):
            self._emit("s", "message", thread, began, cat="message", id=f"{call}.{index}")

    def call_ended(self, request: int, endpoint: str) -> None:
        """Draw the end of the waiting for a call."""
        thread = self._thread(threading.current_thread().name)
        call = f"{self._node:x}.{request:x}"
        self._emit("e", endpoint, thread, time.monotonic_ns(), cat="call", id=call)

    def endpoint(
        self,
        name: str,
        actor: str,
        span: Span,
        *,
        failed: bool,
        beside: bool,
    ) -> None:
        """Draw an endpoint that has run, and the head of the arrow of its message."""
        thread = self._thread(actor)
        _, began, message, _ = span
        now = time.monotonic_ns()
        args = {"actor": actor, "failed": failed}
        call = f"{message.source_node:x}.{message.request:x}.{message.index}"
        if beside:  # it overlaps others on its thread, which slices cannot
            self._emit("b", name, thread, began, cat="endpoint", id=call, args=args)
            self._emit("e", name, thread, now, cat="endpoint", id=call)
            return
        self._emit("X", name, thread, began, cat="endpoint", dur=_us(now - began), args=args)
        if message.request:
            self._emit("f", "message", thread, began, cat="message", id=call, bp="e")

    def block(self, name: str, began: int, *, failed: bool, beside: int | None) -> None:
        """Draw a span of the program's own; one that others may overlap has a number."""
        thread = self._thread(threading.current_thread().name)
        now = time.monotonic_ns()
        args = {"failed": failed}
        if beside is None:
            self._emit("X", name, thread, began, cat="span", dur=_us(now - began), args=args)
            return
        key = f"{self._node:x}.span{beside}"
        self._emit("b", name, thread, began, cat="span", id=key, args=args)
        self._emit("e", name, thread, now, cat="span", id=key)

    def _thread(self, name: str) -> int:
        number = threading.get_native_id()
        if number not in self._named:
            self._named.add(number)
            self._emit("M", "thread_name", number, args={"name": name})
        return number

    def _emit(self, phase: str, name: str, thread: int, at: int = 0, **more: object) -> None:
        event = {"ph": phase, "name": name, "pid": self._pid, "tid": thread}
        if at:
            event["ts"] = _us(at)
        line = json.dumps(event | more, separators=(",", ":")) + ",\n"
        with self._lock:
            self._append(line.encode())

    def _append(self, data: bytes) -> None:
        """Write whole lines at once. Under the lock; nothing is written after an error."""
        if self._fd < 0:
            return
        try:
            whole = os.write(self._fd, data) == len(data)
            why = os.strerror(errno.ENOSPC)
        except OSError as error:
            whole, why = False, str(error.strerror)
        if not whole:
            self._give_up()
            with suppress(OSError, ValueError, AttributeError):
                sys.stderr.write(f"the trace {self.path} ends early: {why}\n")
                sys.stderr.flush()

    def _cut(self) -> None:
        """Leave out the line that had no room: what is before it can be read."""
        with suppress(OSError), open(self.path, "r+b") as file:  # noqa: PTH123
            size = file.seek(0, os.SEEK_END)
            start = file.seek(max(0, size - _LONGEST))
            file.truncate(start + file.read().rfind(b"\n") + 1)

    def _give_up(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1


def _us(ns: int) -> float:
    return ns / 1000


def _clocks() -> dict[str, float]:
    """Return what the time of day was when: the files of several hosts can be laid side by side."""
    return {"monotonic_us": _us(time.monotonic_ns()), "unix_us": _us(time.time_ns())}
