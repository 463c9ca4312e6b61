"""A device of either vendor, over the module that was built for it: both have one interface."""

import struct
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import ModuleType
from typing import Any

from runtime.devices.cpu import segments
from runtime.devices.errors import DeviceError, UnsupportedError
from runtime.devices.protocol import Buffer, DmaBuf, Element, Event, Properties, Stream
from runtime.devices.ranges import Range, as_range, check_packed, check_same_size, elements

_WORD = 8
_SEGMENT = struct.Struct("=QQQ")


class GpuDevice:
    """One GPU.  Methods are those of the Device protocol.

    `module`: runtime._gpu_cuda or runtime._gpu_rocm.  `architecture`: its name for a pair of major
    and minor number.
    """

    def __init__(self, platform: str, index: int, module: ModuleType, architecture: str) -> None:
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
            architecture=self._architecture.format(major=raw.major, minor=raw.minor),
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
        with told():
            buffer: Buffer = self._module.allocate(_size(nbytes), self._index)
            return buffer

    def allocate_pinned(self, nbytes: int) -> Buffer:
        """Return pinned memory of the host."""
        with told():
            buffer: Buffer = self._module.allocate_pinned(_size(nbytes))
            return buffer

    def copy(self, to: object, source: object, stream: Stream) -> None:
        """Put a copy into the stream."""
        target, origin = self._range(to), self._range(source)
        if origin.nbytes > target.nbytes:
            raise ValueError(
                f"{origin.nbytes} bytes do not fit into {target.nbytes}; copy to a larger buffer"
            )
        with told():
            self._module.copy(target.address, origin.address, origin.nbytes, _raw(stream))

    def fill(self, to: object, value: int, stream: Stream) -> None:
        """Put the filling into the stream."""
        if not 0 <= value <= 255:  # noqa: PLR2004 - a byte
            raise ValueError(f"{value} is no byte; give a number from 0 to 255")
        target = self._range(to)
        with told():
            self._module.fill(target.address, value, target.nbytes, _raw(stream))

    def checksum(self, source: object, stream: Stream) -> int:
        """Run the kernel and wait for its result."""
        origin = self._range(source)
        result, here = self.allocate(_WORD), bytearray(_WORD)
        with told():
            queue = _raw(stream)
            self._module.checksum(result.address, origin.address, origin.nbytes, queue)
            self._module.copy(as_range(here).address, result.address, _WORD, queue)
            queue.synchronize()
        return int.from_bytes(here, "little")

    def pack(self, parts: Sequence[object], into: object, stream: Stream) -> None:
        """Run the kernel; waits, since the table of parts has to stay until it is done."""
        self._run_packing(self._module.pack, parts, into, stream)

    def unpack(self, source: object, parts: Sequence[object], stream: Stream) -> None:
        """Run the kernel the other way; waits too."""
        self._run_packing(self._module.unpack, parts, source, stream)

    def accumulate(
        self,
        target: object,
        sources: Sequence[object],
        scale: float,
        element: Element,
        stream: Stream,
    ) -> None:
        """Run the kernel; many sources are summed in turns, and scaled in the last."""
        goal, origins = self._range(target), [self._range(source) for source in sources]
        for origin in origins:
            check_same_size(goal, origin, "accumulate")
        count = elements(goal, element.nbytes)
        most = self._module.MAX_SOURCES
        turns = [origins[at : at + most] for at in range(0, len(origins), most)] or [[]]
        with told():
            for turn in turns:
                factor = scale if turn is turns[-1] else 1.0
                addresses = [origin.address for origin in turn]
                queue = _raw(stream)
                self._module.accumulate(goal.address, addresses, factor, int(element), count, queue)

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

    def _range(self, array: object) -> Range:
        if isinstance(array, self._module.Memory):
            return Range(array.address, array.nbytes, None)
        return as_range(array)

    def _run_packing(
        self,
        run: Any,  # noqa: ANN401 - a function of the module
        parts: Sequence[object],
        packed: object,
        stream: Stream,
    ) -> None:
        ranges, buffer = [self._range(part) for part in parts], self._range(packed)
        check_packed(ranges, buffer)
        rows = segments(ranges)
        if not rows:
            return
        table = b"".join(_SEGMENT.pack(*row) for row in rows)
        there = self.allocate(len(table))
        self.copy(there, table, stream)
        with told():
            queue = _raw(stream)
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
            self.raw.wait(_raw(event))


class _GpuEvent:
    """An event whose errors are the runtime's."""

    def __init__(self, raw: Any) -> None:  # noqa: ANN401 - of an untyped module
        self.raw = raw

    def record(self, stream: Stream) -> None:
        with told():
            self.raw.record(_raw(stream))

    def synchronize(self) -> None:
        with told():
            self.raw.synchronize()

    def is_done(self) -> bool:
        with told():
            return bool(self.raw.is_done())

    def elapsed_ms(self, start: Event) -> float:
        with told():
            return float(self.raw.elapsed_ms(_raw(start)))


def _raw(wrapped: object) -> Any:  # noqa: ANN401 - of an untyped module
    """Return the module's own stream or event.  Raises ValueError for another device's."""
    if not isinstance(wrapped, _GpuStream | _GpuEvent):
        raise ValueError(f"{wrapped!r} is of another device")  # noqa: TRY004
    return wrapped.raw


def _size(nbytes: int) -> int:
    if nbytes < 0:
        raise ValueError(f"{nbytes} bytes cannot be allocated; a size from 0 is needed")
    return nbytes


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
