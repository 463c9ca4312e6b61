"""Streams, events and graphs of a GPU module, whose errors are the runtime's."""

from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

from runtime.devices.errors import DeviceError
from runtime.devices.protocol import Event, Stream
from runtime.devices.told import told

# The memory that a recording in this thread uses: its graph keeps it.
_HELD: ContextVar[list[object] | None] = ContextVar("_HELD", default=None)


class GpuStream:
    """A stream of a platform's device."""

    def __init__(self, platform: str, raw: Any) -> None:  # noqa: ANN401 - of an untyped module
        self.platform = platform
        self.raw = raw

    @property
    def handle(self) -> int:
        """The vendor's own handle."""
        return int(self.raw.handle)

    def synchronize(self) -> None:
        """Wait for all of its work."""
        with told():
            self.raw.synchronize()

    def is_done(self) -> bool:
        """Whether all of its work is done."""
        with told():
            return bool(self.raw.is_done())

    def is_recording(self) -> bool:
        """Whether its work is recorded."""
        with told():
            return bool(self.raw.is_recording())

    def wait(self, event: Event) -> None:
        """Let what comes next wait for an event."""
        with told():
            self.raw.wait(raw_event(self.platform, event))


class GpuEvent:
    """An event of a platform's device."""

    def __init__(self, platform: str, raw: Any) -> None:  # noqa: ANN401 - of an untyped module
        self.platform = platform
        self.raw = raw

    @property
    def handle(self) -> int:
        """The vendor's own handle."""
        return int(self.raw.handle)

    def record(self, stream: Stream) -> None:
        """Put the point behind what is in the stream."""
        with told():
            self.raw.record(raw_stream(self.platform, stream))

    def synchronize(self) -> None:
        """Wait until it is reached."""
        with told():
            self.raw.synchronize()

    def is_done(self) -> bool:
        """Whether it is reached."""
        with told():
            return bool(self.raw.is_done())

    def elapsed_ms(self, start: Event) -> float:
        """Return the milliseconds since another."""
        with told():
            return float(self.raw.elapsed_ms(raw_event(self.platform, start)))


class GpuGraph:
    """A recording that can be launched; it keeps the arrays that it uses."""

    def __init__(self, platform: str, raw: Any, held: list[object]) -> None:  # noqa: ANN401
        self._platform = platform
        self._raw = raw
        self._held = held

    @property
    def node_count(self) -> int:
        """How many pieces of work it has."""
        with told():
            return int(self._raw.node_count)

    def launch(self, stream: Stream) -> None:
        """Put all of it into a stream."""
        with told():
            self._raw.launch(raw_stream(self._platform, stream))


def record(
    platform: str,
    begin: Callable[[Any], Any],
    stream: Stream,
    work: Callable[[], None],
) -> GpuGraph:
    """Record what `work` puts into a stream; `begin` is the module's Capture."""
    queue = raw_stream(platform, stream)
    with told():
        capture = begin(queue)
    held: list[object] = []
    token = _HELD.set(held)
    try:
        work()
    except BaseException:
        capture.cancel()  # its destructor would run when the traceback is gone
        raise
    finally:
        _HELD.reset(token)
    with told():
        return GpuGraph(platform, capture.end(), held)


def hold(array: object) -> None:
    """Keep an array for as long as the graph that is recorded in this thread, if one is."""
    held = _HELD.get()
    if held is not None:
        held.append(array)


def check_unrecorded(queue: Any, what: str) -> None:  # noqa: ANN401 - of an untyped module
    """Raise DeviceError where a stream is recorded: this cannot be."""
    with told():
        is_recording = queue.is_recording()
    if is_recording:
        raise DeviceError(f"{what} in a stream that is recorded; do it before or after")


def raw_stream(platform: str, wrapped: object) -> Any:  # noqa: ANN401 - of an untyped module
    """Return the module's own stream.  Raises ValueError for another platform's."""
    if not isinstance(wrapped, GpuStream) or wrapped.platform != platform:
        raise ValueError(f"{wrapped!r} is no stream of a GPU of {platform}")
    return wrapped.raw


def raw_event(platform: str, wrapped: object) -> Any:  # noqa: ANN401 - of an untyped module
    """Return the module's own event.  Raises ValueError for another platform's."""
    if not isinstance(wrapped, GpuEvent) or wrapped.platform != platform:
        raise ValueError(f"{wrapped!r} is no event of a GPU of {platform}")
    return wrapped.raw
