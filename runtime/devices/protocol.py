"""What every device can do, whoever made it: the interface that the rest of the runtime uses."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, Protocol


class Element(IntEnum):
    """The types that `accumulate` sums; the numbers are those of bindings/core."""

    FLOAT32 = 0
    FLOAT64 = 1
    FLOAT16 = 2
    BFLOAT16 = 3

    @property
    def nbytes(self) -> int:
        """Bytes of one element."""
        return (4, 8, 2, 2)[self]


@dataclass(frozen=True)
class Properties:
    """What a device says of itself; sizes in bytes.

    `architecture`: as the vendor's compiler names it.  `warp_size`: threads that run in step.
    """

    name: str
    architecture: str
    total_memory: int
    multiprocessors: int
    warp_size: int
    has_memory_pools: bool
    has_virtual_memory: bool


@dataclass(frozen=True)
class DmaBuf:
    """An allocation as a file descriptor, which is the caller's to close.

    `offset`: where in it the buffer starts.  `nbytes`: of the whole allocation.
    """

    descriptor: int
    offset: int
    nbytes: int


class Buffer(Protocol):
    """Memory of a device, or pinned memory of the host; it is released with its last reference.

    Others take it as an array of bytes by DLPack; memory of a GPU has `__cuda_array_interface__`
    too.
    """

    @property
    def address(self) -> int:
        """Where it starts, in the address space of its device."""

    @property
    def nbytes(self) -> int:
        """Its size."""

    def __dlpack__(self, **options: Any) -> Any:  # noqa: ANN401 - a capsule
        """Return a DLPack capsule of its bytes."""

    def __dlpack_device__(self) -> tuple[int, int]:
        """Return DLPack's device type and number."""


class VirtualRange(Buffer, Protocol):
    """Addresses of a device that are backed with memory as it grows, and never move.

    As an array it has the `nbytes` that it has when it is taken.
    """

    @property
    def capacity(self) -> int:
        """How large it can grow."""

    @property
    def granularity(self) -> int:
        """Sizes are rounded up to a multiple of this."""

    def grow(self, nbytes: int) -> None:
        """Back at least `nbytes`; what was there stays.  Raises ValueError beyond the capacity."""


class Event(Protocol):
    """A point in a stream's work."""

    @property
    def handle(self) -> int:
        """What the vendor's other libraries know it by, 0 where there are none."""

    def record(self, stream: "Stream") -> None:
        """Put the point behind what is in the stream now."""

    def synchronize(self) -> None:
        """Wait until it is reached."""

    def is_done(self) -> bool:
        """Whether it is reached."""

    def elapsed_ms(self, start: "Event") -> float:
        """Return the milliseconds since another event; both were made with `has_time`."""


class Stream(Protocol):
    """A queue of work, done in order."""

    @property
    def handle(self) -> int:
        """What the vendor's other libraries know it by, 0 where there are none."""

    def is_recording(self) -> bool:
        """Whether its work is recorded and not done, see `Device.capture`."""

    def synchronize(self) -> None:
        """Wait until all of it is done."""

    def is_done(self) -> bool:
        """Whether all of it is done."""

    def wait(self, event: Event) -> None:
        """Let what comes next wait for an event of another stream."""


class Graph(Protocol):
    """Work that was recorded once, to be launched as one; it keeps the memory that it uses."""

    @property
    def node_count(self) -> int:
        """How many pieces of work it has."""

    def launch(self, stream: Stream) -> None:
        """Put all of it into a stream."""


class MemoryPool(Protocol):
    """Memory that is handed out and given back in a stream's order, without waiting for it."""

    @property
    def reserved(self) -> int:
        """Bytes that the pool has taken of the device."""

    @property
    def used(self) -> int:
        """Bytes of it that buffers have."""

    def allocate(self, nbytes: int, stream: Stream) -> Buffer:
        """Return memory for work that comes later in the stream; it keeps stream and pool."""

    def trim(self, keep: int = 0) -> None:
        """Give back to the device what is not in use, down to `keep` bytes."""


class Device(Protocol):
    """One device.  Work on it is in a stream; what a method returns at once needs none.

    `to`, `source`, `target` and the like are buffers of this device, arrays that speak DLPack,
    the buffer protocol or `__cuda_array_interface__`, contiguous in C order; they have to live
    until the work is done.  Nothing is done with what is read-only where it would be written, is
    out of the device's reach (a GPU takes pageable memory of the host in copies alone), or overlaps
    what is written.  Failures of the vendor's software are DeviceError, what the device or its
    driver cannot do is UnsupportedError, what does not fit together is ValueError.
    """

    @property
    def platform(self) -> str:
        """cpu, cuda or rocm."""

    @property
    def index(self) -> int:
        """Its number among the visible ones of its platform."""

    def properties(self) -> Properties:
        """Return what the device says of itself."""

    def memory_info(self) -> tuple[int, int]:
        """Return free and total bytes of its memory."""

    def pci_address(self) -> str | None:
        """Return domain:bus:device.function, None for what is in no slot."""

    def numa_node(self) -> int | None:
        """Return the NUMA node that it is near to, None where the system does not say."""

    def has_context(self) -> bool:
        """Whether this process has used the device yet; one that has cannot fork to use it."""

    def can_access_peer(self, peer: int) -> bool:
        """Whether the device could reach the memory of another of its platform, by its number."""

    def enable_peer_access(self, peer: int) -> None:
        """Let the device reach another's memory; a second time is no error."""

    def disable_peer_access(self, peer: int) -> None:
        """Take that back.  Raises DeviceError where it was not enabled."""

    def synchronize(self) -> None:
        """Wait until all streams are done."""

    def stream(self, priority: int = 0) -> Stream:
        """Return a new stream; a lower `priority` goes first."""

    def event(self, *, has_time: bool = False) -> Event:
        """Return a new event."""

    def capture(self, stream: Stream, work: Callable[[], None]) -> Graph:
        """Record what `work` puts into a stream, which is not done, and return it as a graph.

        A stream that waits for an event of the recording is recorded too, until the first waits for
        one of its events.  `checksum`, `pack`, `unpack` and whatever waits cannot be recorded and
        raise DeviceError; what `work` raises ends the recording, and is raised.
        """

    def allocate(self, nbytes: int) -> Buffer:
        """Return memory of the device; its content is undefined."""

    def allocate_pinned(self, nbytes: int) -> Buffer:
        """Return memory of the host that the device reaches by itself."""

    def register_host(self, array: object) -> Buffer:
        """Let the device reach an array of the host by itself, for as long as the result lives."""

    def device_address(self, host: object) -> int:
        """Return where the device sees pinned or registered memory of the host."""

    def memory_pool(self, keep: int | None = None) -> MemoryPool:
        """Return a new pool; it keeps `keep` bytes that are given back, None all of them."""

    def virtual_range(self, capacity: int) -> VirtualRange:
        """Return addresses for at least `capacity` bytes, none of them backed yet."""

    def copy(self, to: object, source: object, stream: Stream) -> None:
        """Copy all of `source` to the start of `to`; either may be of the host."""

    def fill(self, to: object, value: int, stream: Stream) -> None:
        """Set every byte to a value from 0 to 255."""

    def checksum(self, source: object, stream: Stream) -> int:
        """Return the 64-bit checksum, the same on every device; waits for the stream."""

    def pack(self, parts: Sequence[object], into: object, stream: Stream) -> None:
        """Copy parts into one buffer, one behind the other."""

    def unpack(self, source: object, parts: Sequence[object], stream: Stream) -> None:
        """Copy a packed buffer back into its parts."""

    def accumulate(
        self,
        target: object,
        sources: Sequence[object],
        scale: float,
        element: Element,
        stream: Stream,
    ) -> None:
        """Set target to (target + all sources) * scale, element by element.

        Sums are made in the order of the sources, in float, those of doubles in double, and rounded
        once: every device makes the same bits.  Many sources (64 on a GPU) make it wait.
        """

    def export_dmabuf(self, source: object) -> DmaBuf:
        """Export the allocation that holds a buffer, for a network card."""

    def export_ipc(self, source: object) -> tuple[bytes, int, int]:
        """Return handle, offset in it and size of the allocation that holds a buffer."""

    def open_ipc(self, handle: bytes, nbytes: int) -> Buffer:
        """Return memory that another process of this machine has exported."""
