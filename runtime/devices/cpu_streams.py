"""Streams and events of the processor, which is done at once, and what is recorded of them."""

import time
from collections.abc import Callable

from runtime.devices.errors import DeviceError
from runtime.devices.protocol import Event, Stream

Work = Callable[[], object]


class CpuStream:
    """A queue that is always empty: work is done when it is put in, or recorded."""

    handle = 0

    def __init__(self) -> None:
        self.recording: Recording | None = None

    def put(self, work: Work) -> None:
        """Do a piece of work, or record it."""
        if self.recording is None:
            work()
        else:
            self.recording.add(self, work)

    def synchronize(self) -> None:
        """Return at once: there is nothing to wait for."""
        self._check_waiting()

    def is_done(self) -> bool:
        """Return True."""
        self._check_waiting()
        return True

    def is_recording(self) -> bool:
        """Whether its work is recorded."""
        return self.recording is not None

    def wait(self, event: Event) -> None:
        """Return at once: the event has happened.  One that is recorded records this stream too."""
        point = checked_event(event).point
        if point is not None and point.recording.is_open:
            point.recording.join(self, point)
        elif self.recording is not None:
            self.recording.spoil("it waits for an event that is not of the recording")

    def check_unrecorded(self, what: str) -> None:
        """Raise DeviceError where it is recorded: this cannot be."""
        if self.recording is not None:
            raise DeviceError(f"{what} in a stream that is recorded; do it before or after")

    def _check_waiting(self) -> None:
        if self.recording is not None:
            self.recording.spoil("a stream that is recorded was waited for")


class Point:
    """A place in what is recorded of a stream: behind `number` pieces of its work."""

    def __init__(self, recording: "Recording", stream: CpuStream, number: int) -> None:
        self.recording = recording
        self.stream = stream
        self.number = number


class CpuEvent:
    """A point that is reached when it is recorded."""

    handle = 0

    def __init__(self, *, has_time: bool) -> None:
        self.has_time = has_time
        self.reached: float | None = None
        self.point: Point | None = None

    def record(self, stream: Stream) -> None:
        """Remember the time: all streams are done at any time."""
        queue = checked_stream(stream)
        if queue.recording is not None:
            self.point = queue.recording.point(queue)
        else:
            self.point = None
            self.reached = time.perf_counter()

    def synchronize(self) -> None:
        """Return at once."""
        self._check_waiting()

    def is_done(self) -> bool:
        """Return True: nothing is ever left to do."""
        self._check_waiting()
        return True

    def elapsed_ms(self, start: Event) -> float:
        """Return the milliseconds since `start` was recorded."""
        other = checked_event(start)
        self._check_waiting()
        if not (self.has_time and other.has_time):
            raise DeviceError("an event was made without a time; say has_time=True")
        if self.reached is None or other.reached is None:
            raise DeviceError("an event was not recorded yet; record both first")
        return (self.reached - other.reached) * 1000

    def _check_waiting(self) -> None:
        if self.point is not None:
            raise DeviceError("an event of a recording never happens; record it anew")


class Recording:
    """What is put into a stream, and into those that join it, until it ends."""

    def __init__(self, origin: CpuStream) -> None:
        origin.check_unrecorded("a recording cannot begin")
        origin.recording = self
        self.is_open = True
        self._origin = origin
        self._work: list[Work] = []
        self._numbers = {origin: 0}
        self._apart: set[CpuStream] = set()  # with work that the first does not wait for
        self._fault = ""

    def add(self, stream: CpuStream, work: Work) -> None:
        """Record a piece of work."""
        self._work.append(work)
        self._numbers[stream] += 1
        if stream is not self._origin:
            self._apart.add(stream)

    def point(self, stream: CpuStream) -> Point:
        """Return the place behind what is recorded of a stream."""
        return Point(self, stream, self._numbers[stream])

    def join(self, stream: CpuStream, point: Point) -> None:
        """Let a stream wait for a place of the recording, of which it becomes a part."""
        if stream.recording not in (None, self):
            self.spoil("a stream of another recording waits for an event of it")
        if stream.recording is None:
            stream.recording = self
            self._numbers.setdefault(stream, 0)
            self._apart.add(stream)
        if point.number == self._numbers[point.stream] and stream is not point.stream:
            self._apart.discard(point.stream)

    def spoil(self, fault: str) -> None:
        """Raise DeviceError; nothing comes of the recording."""
        self._fault = fault
        raise DeviceError(fault)

    def end(self) -> "CpuGraph":
        """Return what was recorded.  Raises DeviceError where that is nothing to launch."""
        self.cancel()
        if self._fault:
            raise DeviceError(f"the recording is of no use: {self._fault}")
        if self._apart:
            raise DeviceError(
                "the stream does not wait for all that joined its recording; let it wait for an"
                " event of each"
            )
        return CpuGraph(self._work)

    def cancel(self) -> None:
        """Let its streams do their work again."""
        self.is_open = False
        for stream in self._numbers:
            stream.recording = None


class CpuGraph:
    """Work that is done in the order in which it was recorded."""

    def __init__(self, work: list[Work]) -> None:
        self._work = work

    @property
    def node_count(self) -> int:
        """How many pieces it has."""
        return len(self._work)

    def launch(self, stream: Stream) -> None:
        """Do all of it, as one piece of a stream's work."""
        checked_stream(stream).put(self._run)

    def _run(self) -> None:
        for work in self._work:
            work()


def checked_stream(stream: object) -> CpuStream:
    """Return a stream of the processor.  Raises ValueError for what is none."""
    if not isinstance(stream, CpuStream):
        raise ValueError(f"{stream!r} is no stream of the processor")  # noqa: TRY004 - as for GPUs
    return stream


def checked_event(event: object) -> CpuEvent:
    """Return an event of the processor.  Raises ValueError for what is none."""
    if not isinstance(event, CpuEvent):
        raise ValueError(f"{event!r} is no event of the processor")  # noqa: TRY004 - as for GPUs
    return event
