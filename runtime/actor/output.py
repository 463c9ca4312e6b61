"""What processes print: forwarded line by line with the name of the process, and remembered."""

from __future__ import annotations

import os
import select
import sys
import threading
from collections import deque

from runtime import config, core

_REMEMBERED = 200  # lines of each process


class Streams:
    """Standard output and error of one process."""

    def __init__(
        self, forwarder: Forwarder, name: str, pipes: tuple[core.OutputPipe, core.OutputPipe]
    ) -> None:
        self.name = name
        self._forwarder = forwarder
        self._pipes = pipes
        self._rest = [b"", b""]
        self._lines: deque[str] = deque(maxlen=_REMEMBERED)
        self._lock = threading.Lock()

    def drain(self) -> None:
        """Take all that a dead process has written."""
        for pipe in self._pipes:
            pipe.drain()
        self.pump(last=True)

    def tail(self, count: int) -> list[str]:
        """Return its last lines, of both streams as they came."""
        return list(self._lines)[-count:] if count else []

    def pump(self, *, last: bool = False) -> bool:
        """Forward what has come; return whether there will be more."""
        with self._lock:
            ended = [self._pump_one(number, last=last) for number in (0, 1)]
        return not all(ended)

    def _pump_one(self, number: int, *, last: bool) -> bool:
        data, dropped, ended = self._pipes[number].take()
        if dropped:
            self._emit(number, f"({dropped} bytes of output were dropped here)")
        *lines, rest = (self._rest[number] + data).split(b"\n")
        self._rest[number] = rest
        if rest and (last or ended):
            lines.append(rest)
            self._rest[number] = b""
        for line in lines:
            self._emit(number, line.decode(errors="replace"))
        return ended

    def _emit(self, number: int, line: str) -> None:
        self._lines.append(line)
        self._forwarder.write(number, self.name, line)


class Forwarder:
    """Writes the lines of all processes of this host to the streams of this process."""

    def __init__(self, node: core.Node) -> None:
        self._node = node
        self._notifier = core.Notifier()
        self._streams: dict[int, Streams] = {}
        self._next = 1
        self._wake = os.eventfd(0, os.EFD_CLOEXEC | os.EFD_NONBLOCK)
        self._closed = False
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def open(self, name: str) -> tuple[Streams, int, int]:
        """Return the streams of a process to be, and the ends that it writes to."""
        with self._lock:
            token = self._next
            self._next += 1
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="output", daemon=True)
                self._thread.start()
        pipes, ends = [], []
        for _ in range(2):
            read, write = os.pipe2(os.O_CLOEXEC)
            capacity = config.get("log_buffer")
            pipes.append(core.watch_output(self._node, read, capacity, self._notifier, token))
            ends.append(write)
        streams = Streams(self, name, (pipes[0], pipes[1]))
        self._streams[token] = streams
        return streams, ends[0], ends[1]

    def write(self, number: int, name: str, line: str) -> None:
        """Write one line with the name of its process."""
        if not config.get("log_forwarding"):
            return
        stream = sys.stderr if number else sys.stdout
        prefix = f"[{name}] " if config.get("prefix_logs") else ""
        try:
            stream.write(f"{prefix}{line}\n")
            stream.flush()
        except (OSError, ValueError):
            return  # whoever read it has gone

    def close(self) -> None:
        """Forward what is left, and end."""
        self._closed = True
        os.eventfd_write(self._wake, 1)
        if self._thread is not None:
            self._thread.join(5.0)

    def _run(self) -> None:
        poll = select.poll()
        poll.register(self._notifier.fileno(), select.POLLIN)
        poll.register(self._wake, select.POLLIN)
        while not self._closed:
            poll.poll()
            for token in self._notifier.drain():
                streams = self._streams.get(token)
                if streams is not None and not streams.pump():
                    del self._streams[token]
        for streams in list(self._streams.values()):
            streams.drain()
