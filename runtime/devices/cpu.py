"""The host's own processor as a device: the same interface, done at once."""

import ctypes
import mmap
import os
import time
from collections.abc import Sequence
from typing import Any

from runtime import core
from runtime.devices.errors import DeviceError, UnsupportedError
from runtime.devices.fitting import (
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
from runtime.devices.ranges import DLPACK_CPU, Range, as_range, segments


class CpuBuffer:
    """Memory of this process, aligned to a page."""

    def __init__(self, nbytes: int) -> None:
        self._nbytes = nbytes
        # An anonymous map of no bytes does not exist.
        self._map = mmap.mmap(-1, max(nbytes, 1))
        self._start = ctypes.c_char.from_buffer(self._map)

    @property
    def address(self) -> int:
        """Where it starts."""
        return ctypes.addressof(self._start)

    @property
    def nbytes(self) -> int:
        """Its size."""
        return self._nbytes

    def __dlpack__(self, **options: Any) -> Any:  # noqa: ANN401 - a capsule
        """Return a DLPack capsule of its bytes, which keeps it alive."""
        return core.bytes_of(self, self.address, self._nbytes).__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        """Return DLPack's number of the host."""
        return DLPACK_CPU, 0


class CpuEvent:
    """A point that is reached when it is recorded."""

    def __init__(self, *, has_time: bool) -> None:
        self.has_time = has_time
        self.recorded: float | None = None

    def record(self, stream: Stream) -> None:
        """Remember the time: all streams are done at any time."""
        _check_stream(stream)
        self.recorded = time.perf_counter()

    def synchronize(self) -> None:
        """Return at once."""

    def is_done(self) -> bool:
        """Return True: nothing is ever left to do."""
        return True

    def elapsed_ms(self, start: Event) -> float:
        """Return the milliseconds since `start` was recorded."""
        if not isinstance(start, CpuEvent):
            raise ValueError(f"{start!r} is no event of the processor")  # noqa: TRY004
        if not (self.has_time and start.has_time):
            raise DeviceError("an event was made without a time; say has_time=True")
        if self.recorded is None or start.recorded is None:
            raise DeviceError("an event was not recorded yet; record both first")
        return (self.recorded - start.recorded) * 1000


class CpuStream:
    """A queue that is always empty: work is done when it is put in."""

    def synchronize(self) -> None:
        """Return at once."""

    def is_done(self) -> bool:
        """Return True."""
        return True

    def wait(self, event: Event) -> None:
        """Return at once: the event has happened."""
        if not isinstance(event, CpuEvent):
            raise ValueError(f"{event!r} is no event of the processor")  # noqa: TRY004


class CpuDevice:
    """The processor.  Methods are those of the Device protocol."""

    platform = "cpu"
    index = 0

    def properties(self) -> Properties:
        """Return the processor's name and the machine's memory."""
        return Properties(
            name=_processor_name(),
            architecture=os.uname().machine,
            total_memory=self.memory_info()[1],
            multiprocessors=len(os.sched_getaffinity(0)),
            warp_size=1,
            has_memory_pools=False,
            has_virtual_memory=False,
        )

    def memory_info(self) -> tuple[int, int]:
        """Return the bytes that the kernel could give out, and all there are."""
        fields = dict(_memory_fields())
        return fields["MemAvailable"], fields["MemTotal"]

    def pci_address(self) -> str | None:
        """Return None: it is in no slot."""
        return None

    def numa_node(self) -> int | None:
        """Return None: it spans all of them."""
        return None

    def synchronize(self) -> None:
        """Return at once."""

    def stream(self, priority: int = 0) -> CpuStream:  # noqa: ARG002 - nothing waits for anything
        """Return a stream."""
        return CpuStream()

    def event(self, *, has_time: bool = False) -> CpuEvent:
        """Return an event."""
        return CpuEvent(has_time=has_time)

    def allocate(self, nbytes: int) -> Buffer:
        """Return memory of this process.  Raises DeviceError where there is none left."""
        check_size(nbytes)
        try:
            return CpuBuffer(nbytes)
        except (OSError, OverflowError) as error:
            raise DeviceError(f"{nbytes} bytes cannot be allocated: {error}", "mmap") from error

    def allocate_pinned(self, nbytes: int) -> Buffer:
        """Return memory of this process, which the processor reaches anyway."""
        return self.allocate(nbytes)

    def copy(self, to: object, source: object, stream: Stream) -> None:
        """Copy bytes."""
        _check_stream(stream)
        target, origin = self._target(to), self._range(source)
        check_copied(target, origin)
        ctypes.memmove(target.address, origin.address, origin.nbytes)

    def fill(self, to: object, value: int, stream: Stream) -> None:
        """Set every byte."""
        _check_stream(stream)
        check_byte(value)
        target = self._target(to)
        ctypes.memset(target.address, value, target.nbytes)

    def checksum(self, source: object, stream: Stream) -> int:
        """Return the checksum."""
        _check_stream(stream)
        origin = self._range(source)
        return core.checksum(origin.address, origin.nbytes)

    def pack(self, parts: Sequence[object], into: object, stream: Stream) -> None:
        """Copy parts into one buffer."""
        _check_stream(stream)
        ranges, packed = [self._range(part) for part in parts], self._target(into)
        check_packed(ranges, packed)
        core.pack(packed.address, segments(ranges))

    def unpack(self, source: object, parts: Sequence[object], stream: Stream) -> None:
        """Copy a packed buffer back."""
        _check_stream(stream)
        ranges, packed = [self._target(part) for part in parts], self._range(source)
        check_packed(ranges, packed)
        check_targets(ranges)
        core.unpack(packed.address, segments(ranges))

    def accumulate(
        self,
        target: object,
        sources: Sequence[object],
        scale: float,
        element: Element,
        stream: Stream,
    ) -> None:
        """Sum and scale."""
        _check_stream(stream)
        goal, origins = self._target(target), [self._range(source) for source in sources]
        check_summable(goal, origins)
        count = elements(goal, element)
        core.accumulate(goal.address, [o.address for o in origins], scale, int(element), count)

    def export_dmabuf(self, source: object) -> DmaBuf:  # noqa: ARG002
        """Raise UnsupportedError: a network card registers memory of the host as it is."""
        raise UnsupportedError("memory of the host is no dmabuf; register it by its address")

    def export_ipc(self, source: object) -> tuple[bytes, int, int]:  # noqa: ARG002
        """Raise UnsupportedError: processes share memory of the host by other means."""
        raise UnsupportedError("memory of the host has no IPC handle; share a memfd")

    def open_ipc(self, handle: bytes, nbytes: int) -> Buffer:  # noqa: ARG002
        """Raise UnsupportedError, as export_ipc does."""
        raise UnsupportedError("memory of the host has no IPC handle; share a memfd")

    def _range(self, array: object, *, is_target: bool = False) -> Range:
        if isinstance(array, CpuBuffer):
            return Range(array.address, array.nbytes, DLPACK_CPU, array)
        found = as_range(array, is_target=is_target)
        check_reachable(found, self.platform, array)
        return found

    def _target(self, array: object) -> Range:
        return self._range(array, is_target=True)


def _check_stream(stream: object) -> None:
    if not isinstance(stream, CpuStream):
        raise ValueError(f"{stream!r} is no stream of the processor")  # noqa: TRY004 - as for GPUs


def _processor_name() -> str:
    with open("/proc/cpuinfo", encoding="utf-8") as lines:  # noqa: PTH123
        for line in lines:
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return os.uname().machine


def _memory_fields() -> list[tuple[str, int]]:
    """Return the fields of /proc/meminfo in bytes."""
    with open("/proc/meminfo", encoding="utf-8") as lines:  # noqa: PTH123
        rows = (line.split() for line in lines)
        return [(row[0].rstrip(":"), int(row[1]) * 1024) for row in rows if row[2:] == ["kB"]]
