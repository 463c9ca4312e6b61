"""What processes print: read as it comes, remembered, and brought to the client's streams.

The processes never wait for whoever reads: what is not read in time is dropped at the oldest end,
counted, and told in its place.
"""

from __future__ import annotations

import os
import select
import threading
import time
from collections import deque

from runtime import config, core
from runtime.actor.logs.aggregation import Aggregator, together
from runtime.actor.logs.lines import LineReader
from runtime.actor.logs.outlet import Outlet

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from runtime.actor.logs.aggregation import Heard
    from runtime.actor.logs.lines import Line

_REMEMBERED = 200  # lines of each process
_PATIENCE = 5.0  # seconds that a program's end waits for whoever reads its output
_PROGRESS = 1.0  # seconds between two states of a line that is drawn over itself

#: A line on its way: the stream, whether and how long it is aggregated, the number of ranks of
#: its mesh, the name of that mesh, the place in it, and the text.
Row = tuple[int, float, int, str, str, str]


class Streams:
    """Standard output and error of one process: `name` and `place` in a mesh of `size`."""

    def __init__(
        self,
        forwarder: Forwarder,
        member: tuple[str, str, int],
        pipes: tuple[core.OutputPipe, core.OutputPipe],
    ) -> None:
        self.name, self.place, self.size = member
        self.forwarded: bool | None = None  # None: as log_forwarding says
        self.window: float | None = None  # None: as aggregate_window says
        self._forwarder = forwarder
        self._pipes: tuple[core.OutputPipe, ...] = pipes
        self._readers = (LineReader(), LineReader())
        self._lines: deque[tuple[int, str]] = deque(maxlen=_REMEMBERED)
        self._lock = threading.Lock()

    def drain(self) -> None:
        """Take all that a dead process has written. Waits for nobody."""
        for pipe in self._pipes:
            pipe.drain()
        self.pump(last=True)
        self._forwarder.flush()

    def set_options(self, *, forwarded: bool, window: float) -> None:
        """Say what happens to what is printed from now on."""
        for pipe in self._pipes:
            pipe.drain()
        self.pump()
        self.forwarded, self.window = forwarded, window

    def tail(self, count: int) -> list[str]:
        """Return its last lines as they came; what it said of errors is not crowded out."""
        lines = list(enumerate(self._lines))
        if len(lines) <= count:
            return [text for _, (_, text) in lines]
        errors = [line for line in lines if line[1][0]][-((count + 1) // 2) :] if count else []
        left = count - len(errors)
        others = [line for line in lines if line not in errors][-left:] if left else []
        return [text for _, (_, text) in sorted(errors + others)]

    def pump(self, *, last: bool = False) -> bool:
        """Forward what has come; return whether there will be more."""
        with self._lock:
            ends = [self._pump_one(number, last=last) for number in range(len(self._pipes))]
            ended = all(ends)
            if ended:
                self._pipes = ()  # and their descriptors, whoever still has the dead process
        return not ended

    @property
    def drawing(self) -> bool:
        """Whether a line is drawn over itself now."""
        return any(reader.drawing for reader in self._readers)

    def progress(self) -> None:
        """Forward the states of lines that are drawn over themselves and not finished."""
        with self._lock:
            for number, reader in enumerate(self._readers):
                self._forward(number, reader.progress(), window=0.0)

    def _pump_one(self, number: int, *, last: bool) -> bool:
        data, dropped, ended = self._pipes[number].take()
        reader = self._readers[number]
        lines = reader.feed(data, dropped) if data or dropped else []
        if last or ended:
            lines += reader.finish()
        self._lines.extend((number, text) for _, text in lines)
        self._forward(number, lines)
        return ended

    def _forward(self, number: int, lines: Iterable[Line], window: float | None = None) -> None:
        forwarded = config.get("log_forwarding") if self.forwarded is None else self.forwarded
        if not forwarded:
            return
        if window is None:
            window = config.get("aggregate_window") if self.window is None else self.window
        self._forwarder.accept(
            [(number, window, *self._member(speaker), text) for speaker, text in lines]
        )

    def _member(self, speaker: str) -> tuple[int, str, str]:
        """Return the size, the name and the place of who printed a line."""
        size, colon, path = speaker.partition(":")
        if not colon or not size.isdigit():
            return self.size, self.name, self.place
        name, _, place = path.partition("{")
        return int(size), name, place.rstrip("}")


class Forwarder:
    """Brings the lines of all processes of this host to the client's streams.

    On the client's own host these are the streams of this process; elsewhere `relay` is set, and
    sends rows to the client, whose forwarder accepts them.
    """

    def __init__(self, node: core.Node) -> None:
        self.relay: Callable[[list[Row], bool], None] | None = None
        self._node = node
        self._notifier = core.Notifier()
        self._streams: dict[int, Streams] = {}
        self._unread: set[int] = set()  # tokens of streams with news that wait
        self._next = 1
        self._wake = os.eventfd(0, os.EFD_CLOEXEC | os.EFD_NONBLOCK)
        self._closed = False
        self._lock = threading.Lock()
        self._rows: deque[Row] = deque()
        self._groups: dict[tuple[int, str, float, int], Aggregator] = {}
        self._outlet = Outlet()
        self._flush = False
        self._next_progress = 0.0
        self._thread: threading.Thread | None = None

    def open(self, name: str, place: str = "", size: int = 1) -> tuple[Streams, int, int]:
        """Return the streams of a process to be, and the ends that it writes to."""
        with self._lock:
            token = self._next
            self._next += 1
        self._begin()
        pipes, ends = [], list[int]()
        try:
            for _ in range(2):
                read, write = os.pipe2(os.O_CLOEXEC)
                ends.append(write)
                capacity = config.get("log_buffer")
                pipes.append(core.watch_output(self._node, read, capacity, self._notifier, token))
        except OSError:
            for end in ends:
                os.close(end)
            raise
        streams = Streams(self, (name, place, size), (pipes[0], pipes[1]))
        self._streams[token] = streams
        return streams, ends[0], ends[1]

    def accept(self, rows: list[Row]) -> None:
        """Take lines to bring to the client. From any thread; waits for nobody."""
        if not rows:
            return
        self._rows.extend(rows)
        self._begin()
        self._ring()

    def flush(self) -> None:
        """Give out what waits to be aggregated: something has happened that it may explain."""
        self._flush = True
        self._ring()

    def close(self) -> None:
        """Forward what is left, and end. Waits a while for whoever reads."""
        self._closed = True
        self._ring()
        written = -1
        while self._thread is not None and self._thread.is_alive():
            if written == self._outlet.written:
                return  # it is inside a stream that takes nothing
            written = self._outlet.written
            self._thread.join(_PATIENCE + 1.0)
        with self._lock:
            if self._wake >= 0:
                os.close(self._wake)
                self._wake = -1

    def _ring(self) -> None:
        """Have the thread look, unless it has ended."""
        with self._lock:
            if self._wake >= 0:
                os.eventfd_write(self._wake, 1)

    # All below runs on the forwarder's thread.

    def _begin(self) -> None:
        with self._lock:
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="output", daemon=True)
                self._thread.start()

    def _run(self) -> None:
        while not self._closed:
            self._wait()
            self._unread |= set(self._notifier.drain())
            if self._outlet.empty:
                self._read()
            self._sort(time.monotonic())
            self._outlet.write()
        for streams in list(self._streams.values()):
            streams.drain()
        self._flush = True
        self._sort(time.monotonic())
        self._write_the_last()

    def _wait(self) -> None:
        poll = select.poll()
        poll.register(self._notifier.fileno(), select.POLLIN)
        poll.register(self._wake, select.POLLIN)
        writable = self._outlet.descriptor()
        if writable is not None:
            poll.register(writable, select.POLLOUT)
        elif not self._outlet.empty:
            return
        due = [each for group in self._groups.values() if (each := group.deadline()) is not None]
        if self._unread and self._outlet.empty:
            due.append(0.0)
        if any(streams.drawing for streams in list(self._streams.values())):
            due.append(self._next_progress)
        if not due:
            poll.poll()
        else:
            poll.poll(max(0.0, min(due) - time.monotonic()) * 1000 + 1)
        try:
            os.eventfd_read(self._wake)
        except BlockingIOError:
            return

    def _read(self) -> None:
        for token in self._unread:
            streams = self._streams.get(token)
            if streams is not None and not streams.pump():
                del self._streams[token]
        self._unread.clear()
        if time.monotonic() >= self._next_progress:
            self._next_progress = time.monotonic() + _PROGRESS
            for streams in list(self._streams.values()):
                streams.progress()

    def _sort(self, now: float) -> None:
        """Aggregate the lines that have come, and put out what is due."""
        flush, self._flush = self._flush, False
        rows = [self._rows.popleft() for _ in range(len(self._rows))]
        if self.relay is not None:
            if rows or flush:
                self.relay(rows, flush)
            return
        for number, window, size, name, place, text in rows:
            key = number, name, window, size
            group = self._groups.get(key)
            if group is None:
                group = self._groups[key] = Aggregator(window, size)
            group.feed(place, text, now)
            if not window:
                self._put(key, group.take(now))
        for key, group in list(self._groups.items()):
            self._put(key, group.flush() if flush else group.take(now))
            if group.deadline() is None:
                del self._groups[key]

    def _put(self, key: tuple[int, str, float, int], heard: list[Heard]) -> None:
        number, name, _, _ = key
        prefixed = config.get("prefix_logs")
        for line in heard:
            places = [str(place) for place in line.ranks]
            place = together(places) if any(places) else ""
            who = f"{name}{{{place}}}" if place else name
            self._outlet.put(number, f"[{who}] {line}" if prefixed else str(line))

    def _write_the_last(self) -> None:
        while not self._outlet.empty:
            self._outlet.write()
            fd = self._outlet.descriptor()
            if fd is not None:
                poll = select.poll()
                poll.register(fd, select.POLLOUT)
                if not poll.poll(_PATIENCE * 1000):
                    break
        if not self._outlet.empty:
            count = self._outlet.lines
            text = f"({count} lines of output were not read in {_PATIENCE:g} s, and are lost)"
            self._outlet = Outlet()
            self._outlet.put(1, text)
            self._outlet.write()
