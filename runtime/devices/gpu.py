"""A device of either vendor, over the module that was built for it: both have one interface."""

import struct
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

from runtime.devices.errors import DeviceError
from runtime.devices.fitting import (
    address_count,
    byte,
    byte_count,
    check_aligned,
    check_copied,
    check_host,
    check_packed,
    check_reachable,
    check_summable,
    check_targets,
    elements,
    factor,
    ipc_handle,
    stream_priority,
    whole_number,
)
from runtime.devices.gpu_memory import GpuPool, GpuVirtualRange, module_size
from runtime.devices.gpu_platform import GpuPlatform
from runtime.devices.gpu_streams import (
    GpuEvent,
    GpuStream,
    check_unrecorded,
    hold,
    raw_stream,
    record,
)
from runtime.devices.protocol import (
    Buffer,
    DmaBuf,
    Element,
    Event,
    Graph,
    MemoryPool,
    Properties,
    Stream,
    VirtualRange,
)
from runtime.devices.ranges import Range, as_range, segments
from runtime.devices.told import told

_WORD = 8
_LAST = (1 << 31) - 1  # a module numbers devices with an int
_SEGMENT = struct.Struct("=QQQ")


class GpuDevice:
    """One GPU.  Methods are those of the Device protocol.

    `module`: the platform's own, or one like it.
    """

    def __init__(self, platform: GpuPlatform, index: int, module: ModuleType) -> None:
        self._platform = platform
        self._index = index
        self._module: Any = module

    @property
    def platform(self) -> str:
        """Which vendor's it is: cuda or rocm."""
        return self._platform.name

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
            architecture=self._platform.architecture(
                raw.major, raw.minor, self.pci_address() or ""
            ),
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

    def has_context(self) -> bool:
        """Whether this process has made the device's context."""
        with told():
            return bool(self._module.has_context(self._index))

    def can_access_peer(self, peer: int) -> bool:
        """Whether the driver could let it reach another."""
        with told():
            return bool(self._module.can_access_peer(self._index, self._peer(peer)))

    def enable_peer_access(self, peer: int) -> None:
        """Let it reach another."""
        with told():
            self._module.enable_peer_access(self._index, self._peer(peer))

    def disable_peer_access(self, peer: int) -> None:
        """Take that back."""
        with told():
            self._module.disable_peer_access(self._index, self._peer(peer))

    def synchronize(self) -> None:
        """Wait until all streams are done."""
        with told():
            self._module.synchronize_device(self._index)

    def stream(self, priority: int = 0) -> Stream:
        """Return a new stream."""
        level = stream_priority(priority)
        with told():
            return GpuStream(self.platform, self._module.Stream(self._index, level))

    def event(self, *, has_time: bool = False) -> Event:
        """Return a new event."""
        with told():
            return GpuEvent(self.platform, self._module.Event(self._index, has_time))

    def capture(self, stream: Stream, work: Callable[[], None]) -> Graph:
        """Record what `work` puts into a stream."""
        return record(self.platform, self._module.Capture, stream, work)

    def allocate(self, nbytes: int) -> Buffer:
        """Return memory of the device."""
        size = module_size(byte_count(nbytes))
        with told():
            buffer: Buffer = self._module.allocate(size, self._index)
            return buffer

    def allocate_pinned(self, nbytes: int) -> Buffer:
        """Return pinned memory of the host."""
        size = module_size(byte_count(nbytes))
        with told():
            buffer: Buffer = self._module.allocate_pinned(size, self._index)
            return buffer

    def register_host(self, array: object) -> Buffer:
        """Pin memory of the host, which stays as long as the result."""
        found = as_range(array, is_target=True)
        check_host(found, array)
        with told():
            buffer: Buffer = self._module.register_host(
                found.address, found.nbytes, self._index, (array, found)
            )
            return buffer

    def device_address(self, host: object) -> int:
        """Return what the driver says of pinned or registered memory."""
        found = self._range(host, by_copy=True)
        with told():
            return int(self._module.device_address(found.address, self._index))

    def memory_pool(self, keep: int | None = None) -> MemoryPool:
        """Return a new pool."""
        options = () if keep is None else (module_size(byte_count(keep)),)
        with told():
            return GpuPool(self.platform, self._module.Pool(self._index, *options))

    def virtual_range(self, capacity: int) -> VirtualRange:
        """Return addresses without memory."""
        size = module_size(address_count(capacity))
        with told():
            return GpuVirtualRange(self._module.VirtualRange(self._index, size))

    def copy(self, to: object, source: object, stream: Stream) -> None:
        """Put a copy into the stream."""
        target = self._range(to, is_target=True, by_copy=True)
        origin = self._range(source, by_copy=True)
        check_copied(target, origin)
        with told():
            self._module.copy(target.address, origin.address, origin.nbytes, self._queue(stream))

    def fill(self, to: object, value: int, stream: Stream) -> None:
        """Put the filling into the stream."""
        each = byte(value)
        target = self._range(to, is_target=True)
        with told():
            self._module.fill(target.address, each, target.nbytes, self._queue(stream))

    def checksum(self, source: object, stream: Stream) -> int:
        """Run the kernel and wait for its result."""
        origin = self._range(source)
        queue = self._queue(stream)
        check_unrecorded(queue, "a checksum is not waited for")
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
        """Run the kernel; many sources are a table, for which it waits."""
        goal = self._range(target, is_target=True)
        origins = [self._range(source) for source in sources]
        check_summable(goal, origins)
        count = elements(goal, element)
        check_aligned([goal, *origins], element)
        queue = self._queue(stream)
        addresses = [origin.address for origin in origins]
        rest = (factor(scale), int(element), count, queue)
        if len(addresses) <= self._module.MAX_SOURCES:
            with told():
                self._module.accumulate(goal.address, addresses, *rest)
            return
        table = struct.pack(f"={len(addresses)}Q", *addresses)
        number = len(addresses)

        def run(there: int) -> None:
            self._module.accumulate_many(goal.address, there, number, *rest)

        self._run_with(table, run, stream)

    def export_dmabuf(self, source: object) -> DmaBuf:
        """Export the allocation that holds the buffer."""
        with told():
            return DmaBuf(*self._module.export_dmabuf(self._range(source).address, self._index))

    def export_ipc(self, source: object) -> tuple[bytes, int, int]:
        """Return handle, offset and size."""
        with told():
            address = self._range(source).address
            handle, offset, nbytes = self._module.export_ipc(address, self._index)
            return handle, offset, nbytes

    def open_ipc(self, handle: bytes, nbytes: int) -> Buffer:
        """Open what another process has exported."""
        size, raw = module_size(byte_count(nbytes)), ipc_handle(handle)
        with told():
            buffer: Buffer = self._module.open_ipc(raw, size, self._index)
            return buffer

    def _peer(self, peer: object) -> int:
        if not 0 <= whole_number(peer) <= _LAST:
            raise DeviceError(f"there is no device {self.platform}:{peer}")
        return whole_number(peer)

    def _range(self, array: object, *, is_target: bool = False, by_copy: bool = False) -> Range:
        hold(array)
        if isinstance(array, self._module.Memory):
            return Range(array.address, array.nbytes, None, array)
        found = as_range(array, is_target=is_target)
        hold(found)
        check_reachable(found, self.platform, self._platform.reached, array, by_copy=by_copy)
        return found

    def _queue(self, stream: Stream) -> Any:  # noqa: ANN401 - of an untyped module
        return raw_stream(self.platform, stream)

    def _run_packing(
        self,
        run: Any,  # noqa: ANN401 - a function of the module
        ranges: Sequence[Range],
        buffer: Range,
        stream: Stream,
    ) -> None:
        check_packed(ranges, buffer)
        rows = segments(ranges)
        queue = self._queue(stream)
        table = b"".join(_SEGMENT.pack(*row) for row in rows)
        self._run_with(table, lambda there: run(buffer.address, there, len(rows), queue), stream)

    def _run_with(self, table: bytes, run: Callable[[int], None], stream: Stream) -> None:
        """Run a kernel that reads a table, and wait, since the table has to stay until then."""
        queue = self._queue(stream)
        check_unrecorded(queue, "a table of many parts is not waited for")
        if not table:
            return
        there = self.allocate(len(table))
        self.copy(there, table, stream)
        with told():
            run(there.address)
            queue.synchronize()
