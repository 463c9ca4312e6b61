"""What every device can do, whoever made it: the interface that the rest of the runtime uses."""

from collections.abc import Sequence
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


class Event(Protocol):
    """A point in a stream's work."""

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

    def synchronize(self) -> None:
        """Wait until all of it is done."""

    def is_done(self) -> bool:
        """Whether all of it is done."""

    def wait(self, event: Event) -> None:
        """Let what comes next wait for an event of another stream."""


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

    def synchronize(self) -> None:
        """Wait until all streams are done."""

    def stream(self, priority: int = 0) -> Stream:
        """Return a new stream; a lower `priority` goes first."""

    def event(self, *, has_time: bool = False) -> Event:
        """Return a new event."""

    def allocate(self, nbytes: int) -> Buffer:
        """Return memory of the device; its content is undefined."""

    def allocate_pinned(self, nbytes: int) -> Buffer:
        """Return memory of the host that the device reaches by itself."""

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
        """Set target to (target + all sources) * scale, element by element."""

    def export_dmabuf(self, source: object) -> DmaBuf:
        """Export the allocation that holds a buffer, for a network card."""

    def export_ipc(self, source: object) -> tuple[bytes, int, int]:
        """Return handle, offset in it and size of the allocation that holds a buffer."""

    def open_ipc(self, handle: bytes, nbytes: int) -> Buffer:
        """Return memory that another process of this machine has exported."""
