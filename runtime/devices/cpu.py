"""The host's own processor as a device: the same interface, done at once."""

import ctypes
import os
from collections.abc import Callable, Sequence

from runtime import core
from runtime.devices.cpu_memory import CpuBuffer, CpuPool, CpuVirtualRange, Pages
from runtime.devices.cpu_streams import (
    CpuEvent,
    CpuGraph,
    CpuStream,
    Recording,
    checked_stream,
)
from runtime.devices.errors import DeviceError, UnsupportedError
from runtime.devices.fitting import (
    address_count,
    byte,
    byte_count,
    check_copied,
    check_host,
    check_packed,
    check_reachable,
    check_summable,
    check_targets,
    elements,
    factor,
    stream_priority,
)
from runtime.devices.protocol import Buffer, DmaBuf, Element, Properties, Stream
from runtime.devices.ranges import (
    DLPACK_CPU,
    DLPACK_CUDA_HOST,
    DLPACK_CUDA_MANAGED,
    DLPACK_ROCM_HOST,
    Range,
    as_range,
    segments,
)

_REACHED = frozenset({DLPACK_CPU, DLPACK_CUDA_HOST, DLPACK_ROCM_HOST, DLPACK_CUDA_MANAGED})


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
            has_memory_pools=True,
            has_virtual_memory=True,
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

    def has_context(self) -> bool:
        """Return False: it needs none."""
        return False

    def can_access_peer(self, peer: int) -> bool:
        """Return False: there is no other one."""
        _check_peer(peer)
        return False

    def enable_peer_access(self, peer: int) -> None:
        """Raise UnsupportedError."""
        _check_peer(peer)
        raise UnsupportedError("the processor has no peers; its memory is reached as it is")

    def disable_peer_access(self, peer: int) -> None:
        """Raise UnsupportedError."""
        self.enable_peer_access(peer)

    def synchronize(self) -> None:
        """Return at once."""

    def stream(self, priority: int = 0) -> CpuStream:
        """Return a stream, of whatever priority: nothing waits for anything."""
        stream_priority(priority)
        return CpuStream()

    def event(self, *, has_time: bool = False) -> CpuEvent:
        """Return an event."""
        return CpuEvent(has_time=has_time)

    def capture(self, stream: Stream, work: Callable[[], None]) -> CpuGraph:
        """Record what `work` puts into a stream."""
        recording = Recording(checked_stream(stream))
        try:
            work()
        except BaseException:
            recording.cancel()
            raise
        return recording.end()

    def allocate(self, nbytes: int) -> Buffer:
        """Return memory of this process.  Raises DeviceError where there is none left."""
        size = byte_count(nbytes)
        pages = Pages(size)
        return CpuBuffer(pages.address, size, pages)

    def allocate_pinned(self, nbytes: int) -> Buffer:
        """Return memory of this process, which the processor reaches anyway."""
        return self.allocate(nbytes)

    def register_host(self, array: object) -> Buffer:
        """Return the array's memory, which the processor reaches anyway."""
        found = as_range(array, is_target=True)
        check_host(found, array)
        return CpuBuffer(found.address, found.nbytes, (array, found))

    def device_address(self, host: object) -> int:
        """Return its address, which is the same for the processor."""
        return self._range(host).address

    def memory_pool(self, keep: int | None = None) -> CpuPool:
        """Return a new pool."""
        return CpuPool(None if keep is None else byte_count(keep))

    def virtual_range(self, capacity: int) -> CpuVirtualRange:
        """Return addresses without memory."""
        return CpuVirtualRange(address_count(capacity))

    def copy(self, to: object, source: object, stream: Stream) -> None:
        """Copy bytes."""
        queue = checked_stream(stream)
        target, origin = self._target(to), self._range(source)
        check_copied(target, origin)
        queue.put(lambda: ctypes.memmove(target.address, origin.address, origin.nbytes))

    def fill(self, to: object, value: int, stream: Stream) -> None:
        """Set every byte."""
        queue = checked_stream(stream)
        each = byte(value)
        target = self._target(to)
        queue.put(lambda: ctypes.memset(target.address, each, target.nbytes))

    def checksum(self, source: object, stream: Stream) -> int:
        """Return the checksum."""
        checked_stream(stream).check_unrecorded("a checksum is not waited for")
        origin = self._range(source)
        return core.checksum(origin.address, origin.nbytes)

    def pack(self, parts: Sequence[object], into: object, stream: Stream) -> None:
        """Copy parts into one buffer."""
        queue = checked_stream(stream)
        ranges, packed = [self._range(part) for part in parts], self._target(into)
        check_packed(ranges, packed)
        queue.check_unrecorded("a table of many parts is not waited for")
        core.pack(packed.address, segments(ranges))

    def unpack(self, source: object, parts: Sequence[object], stream: Stream) -> None:
        """Copy a packed buffer back."""
        queue = checked_stream(stream)
        ranges, packed = [self._target(part) for part in parts], self._range(source)
        check_packed(ranges, packed)
        check_targets(ranges)
        queue.check_unrecorded("a table of many parts is not waited for")
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
        queue = checked_stream(stream)
        goal, origins = self._target(target), [self._range(source) for source in sources]
        check_summable(goal, origins)
        count, by = elements(goal, element), factor(scale)

        def work() -> None:
            core.accumulate(goal.address, [o.address for o in origins], by, int(element), count)

        queue.put(work)

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
        check_reachable(found, self.platform, _REACHED, array)
        return found

    def _target(self, array: object) -> Range:
        return self._range(array, is_target=True)


def _check_peer(peer: int) -> None:
    if peer != 0:
        raise DeviceError(f"there is no device cpu:{peer}")


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
