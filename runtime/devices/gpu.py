"""A device of either vendor, over the module that was built for it: both have one interface."""

import struct
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import ModuleType
from typing import Any

from runtime.devices.errors import DeviceError, UnsupportedError
from runtime.devices.fitting import (
    check_aligned,
    check_byte,
    check_copied,
    check_packed,
    check_reachable,
    check_size,
    check_summable,
    check_targets,
    elements,
)
from runtime.devices.protocol import Buffer, DmaBuf, Element, Event, Properties, Stream
from runtime.devices.ranges import Range, as_range, segments

_WORD = 8
_SEGMENT = struct.Struct("=QQQ")

Architecture = Callable[[int, int, str], str]


class GpuDevice:
    """One GPU.  Methods are those of the Device protocol.

    `module`: runtime._gpu_cuda or runtime._gpu_rocm.  `architecture`: its name for a major and a
    minor number, and a slot.
    """

    def __init__(
        self, platform: str, index: int, module: ModuleType, architecture: Architecture
    ) -> None:
        self._platform = platform
        self._index = index
        self._module: Any = module
        self._architecture = architecture

    @property
    def platform(self) -> str:
        """Which vendor's it is: cuda or rocm."""
        return self._platform

    @property
    def index(self) -> int:
        """Its number among the visible ones."""
        return self._index

    def properties(self) -> Properties:
        """Return what the driver says."""
        with told():
            raw = self._module.device_properties(self._index)
        return Properties(
            name=raw.name,
            architecture=self._architecture(raw.major, raw.minor, self.pci_address() or ""),
            total_memory=raw.total_memory,
            multiprocessors=raw.multiprocessors,
            warp_size=raw.warp_size,
            has_memory_pools=raw.has_memory_pools,
            has_virtual_memory=raw.has_virtual_memory,
        )

    def memory_info(self) -> tuple[int, int]:
        """Return free and total bytes."""
        with told():
            free, total = self._module.memory_info(self._index)
            return free, total

    def pci_address(self) -> str | None:
        """Return the address of its slot."""
        with told():
            address: str = self._module.pci_address(self._index)
            return address

    def numa_node(self) -> int | None:
        """Return the node of its slot."""
        with told():
            node: int = self._module.numa_node(self._index)
            return node if node >= 0 else None

    def synchronize(self) -> None:
        """Wait until all streams are done."""
        with told():
            self._module.synchronize_device(self._index)

    def stream(self, priority: int = 0) -> Stream:
        """Return a new stream."""
        with told():
            return _GpuStream(self._module.Stream(self._index, priority))

    def event(self, *, has_time: bool = False) -> Event:
        """Return a new event."""
        with told():
            return _GpuEvent(self._module.Event(self._index, has_time))

    def allocate(self, nbytes: int) -> Buffer:
        """Return memory of the device."""
        check_size(nbytes)
        with told():
            buffer: Buffer = self._module.allocate(nbytes, self._index)
            return buffer

    def allocate_pinned(self, nbytes: int) -> Buffer:
        """Return pinned memory of the host."""
        check_size(nbytes)
        with told():
            buffer: Buffer = self._module.allocate_pinned(nbytes)
            return buffer

    def copy(self, to: object, source: object, stream: Stream) -> None:
        """Put a copy into the stream."""
        target = self._range(to, is_target=True, by_copy=True)
        origin = self._range(source, by_copy=True)
        check_copied(target, origin)
        with told():
            self._module.copy(target.address, origin.address, origin.nbytes, _stream(stream))

    def fill(self, to: object, value: int, stream: Stream) -> None:
        """Put the filling into the stream."""
        check_byte(value)
        target = self._range(to, is_target=True)
        with told():
            self._module.fill(target.address, value, target.nbytes, _stream(stream))

    def checksum(self, source: object, stream: Stream) -> int:
        """Run the kernel and wait for its result."""
        origin = self._range(source)
        queue = _stream(stream)
        result, here = self.allocate(_WORD), bytearray(_WORD)
        with told():
            self._module.checksum(result.address, origin.address, origin.nbytes, queue)
            self._module.copy(as_range(here).address, result.address, _WORD, queue)
            queue.synchronize()
        return int.from_bytes(here, "little")

    def pack(self, parts: Sequence[object], into: object, stream: Stream) -> None:
        """Run the kernel; waits, since the table of parts has to stay until it is done."""
        ranges = [self._range(part) for part in parts]
        self._run_packing(self._module.pack, ranges, self._range(into, is_target=True), stream)

    def unpack(self, source: object, parts: Sequence[object], stream: Stream) -> None:
        """Run the kernel the other way; waits too."""
        ranges = [self._range(part, is_target=True) for part in parts]
        check_targets(ranges)
        self._run_packing(self._module.unpack, ranges, self._range(source), stream)

    def accumulate(
        self,
        target: object,
        sources: Sequence[object],
        scale: float,
        element: Element,
        stream: Stream,
    ) -> None:
        """Run the kernel; many sources are summed in turns, and scaled in the last."""
        goal = self._range(target, is_target=True)
        origins = [self._range(source) for source in sources]
        check_summable(goal, origins)
        count = elements(goal, element)
        check_aligned([goal, *origins], element)
        queue = _stream(stream)
        turns = self._turns(goal, origins)
        with told():
            for turn in turns:
                factor = scale if turn is turns[-1] else 1.0
                addresses = [origin.address for origin in turn]
                self._module.accumulate(goal.address, addresses, factor, int(element), count, queue)

    def _turns(self, target: Range, sources: Sequence[Range]) -> list[list[Range]]:
        """Return the sources of each launch: the target itself in the first, which changes it."""
        most: int = self._module.MAX_SOURCES
        own = [source for source in sources if source.address == target.address]
        if len(own) > most:
            raise ValueError(
                f"{len(own)} of the sources are the target itself; at most {most} can be,"
                " scale it instead"
            )
        ordered = own + [source for source in sources if source.address != target.address]
        return [ordered[at : at + most] for at in range(0, len(ordered), most)] or [[]]

    def export_dmabuf(self, source: object) -> DmaBuf:
        """Export the allocation that holds the buffer."""
        with told():
            return DmaBuf(*self._module.export_dmabuf(self._range(source).address))

    def export_ipc(self, source: object) -> tuple[bytes, int, int]:
        """Return handle, offset and size."""
        with told():
            handle, offset, nbytes = self._module.export_ipc(self._range(source).address)
            return handle, offset, nbytes

    def open_ipc(self, handle: bytes, nbytes: int) -> Buffer:
        """Open what another process has exported."""
        with told():
            buffer: Buffer = self._module.open_ipc(handle, nbytes, self._index)
            return buffer

    def _range(self, array: object, *, is_target: bool = False, by_copy: bool = False) -> Range:
        if isinstance(array, self._module.Memory):
            return Range(array.address, array.nbytes, None, array)
        found = as_range(array, is_target=is_target)
        check_reachable(found, self._platform, array, by_copy=by_copy)
        return found

    def _run_packing(
        self,
        run: Any,  # noqa: ANN401 - a function of the module
        ranges: Sequence[Range],
        buffer: Range,
        stream: Stream,
    ) -> None:
        check_packed(ranges, buffer)
        queue = _stream(stream)
        rows = segments(ranges)
        if not rows:
            return
        table = b"".join(_SEGMENT.pack(*row) for row in rows)
        there = self.allocate(len(table))
        self.copy(there, table, stream)
        with told():
            run(buffer.address, there.address, len(rows), queue)
            queue.synchronize()


class _GpuStream:
    """A stream whose errors are the runtime's."""

    def __init__(self, raw: Any) -> None:  # noqa: ANN401 - of an untyped module
        self.raw = raw

    def synchronize(self) -> None:
        with told():
            self.raw.synchronize()

    def is_done(self) -> bool:
        with told():
            return bool(self.raw.is_done())

    def wait(self, event: Event) -> None:
        with told():
            self.raw.wait(_event(event))


class _GpuEvent:
    """An event whose errors are the runtime's."""

    def __init__(self, raw: Any) -> None:  # noqa: ANN401 - of an untyped module
        self.raw = raw

    def record(self, stream: Stream) -> None:
        with told():
            self.raw.record(_stream(stream))

    def synchronize(self) -> None:
        with told():
            self.raw.synchronize()

    def is_done(self) -> bool:
        with told():
            return bool(self.raw.is_done())

    def elapsed_ms(self, start: Event) -> float:
        with told():
            return float(self.raw.elapsed_ms(_event(start)))


def _stream(wrapped: object) -> Any:  # noqa: ANN401 - of an untyped module
    """Return the module's own stream.  Raises ValueError for another device's."""
    if not isinstance(wrapped, _GpuStream):
        raise ValueError(f"{wrapped!r} is no stream of a GPU")  # noqa: TRY004
    return wrapped.raw


def _event(wrapped: object) -> Any:  # noqa: ANN401 - of an untyped module
    """Return the module's own event.  Raises ValueError for another device's."""
    if not isinstance(wrapped, _GpuEvent):
        raise ValueError(f"{wrapped!r} is no event of a GPU")  # noqa: TRY004
    return wrapped.raw


@contextmanager
def told() -> Iterator[None]:
    """Turn what a GPU module raises into the runtime's exceptions, with the same text."""
    try:
        yield
    except RuntimeError as error:
        if type(error).__name__ == "UnsupportedError":
            raise UnsupportedError(str(error)) from error
        if type(error).__name__ != "GpuError":
            raise
        fields: Any = error
        raise DeviceError(str(error), fields.call, fields.code, fields.name, fields.text) from error
    except OSError as error:
        raise DeviceError(str(error)) from error
