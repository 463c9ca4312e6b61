"""Pools and growing ranges of a GPU module, whose errors are the runtime's."""

import threading
from typing import Any, NoReturn

from runtime.devices.fitting import byte_count, check_growth
from runtime.devices.gpu_streams import check_unrecorded, raw_stream
from runtime.devices.protocol import Buffer, Stream
from runtime.devices.told import told

_MOST = (1 << 63) - 1


class GpuPool:
    """A pool of a platform's device."""

    def __init__(self, platform: str, raw: Any) -> None:  # noqa: ANN401 - of an untyped module
        self._platform = platform
        self._raw = raw

    @property
    def reserved(self) -> int:
        """Bytes taken of the device."""
        with told():
            return int(self._raw.reserved)

    @property
    def used(self) -> int:
        """Bytes that buffers have."""
        with told():
            return int(self._raw.used)

    def allocate(self, nbytes: int, stream: Stream) -> Buffer:
        """Return memory in the stream's order."""
        size = module_size(byte_count(nbytes))
        queue = raw_stream(self._platform, stream)
        check_unrecorded(queue, "a pool gives no memory")
        with told():
            buffer: Buffer = self._raw.allocate(size, queue)
            return buffer

    def trim(self, keep: int = 0) -> None:
        """Give back what is not in use."""
        most = module_size(byte_count(keep))
        with told():
            self._raw.trim(most)


class GpuVirtualRange:
    """Addresses of a GPU that are backed as they grow."""

    def __init__(self, raw: Any) -> None:  # noqa: ANN401 - of an untyped module
        self._raw = raw
        self._growing = threading.Lock()  # the module grows it without the GIL

    @property
    def address(self) -> int:
        """Where it starts."""
        return int(self._raw.address)

    @property
    def nbytes(self) -> int:
        """How much of it is backed."""
        return int(self._raw.nbytes)

    @property
    def capacity(self) -> int:
        """How large it can grow."""
        return int(self._raw.capacity)

    @property
    def granularity(self) -> int:
        """What sizes are multiples of."""
        return int(self._raw.granularity)

    def grow(self, nbytes: int) -> None:
        """Back more of it."""
        size = byte_count(nbytes)
        check_growth(size, self.capacity)
        with self._growing, told():
            self._raw.grow(size)

    def __dlpack__(self, **options: Any) -> Any:  # noqa: ANN401 - a capsule
        """Return a DLPack capsule of what is backed."""
        return self._raw.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        """Return DLPack's device type and number."""
        kind, number = self._raw.__dlpack_device__()
        return kind, number

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        """What is backed, for libraries that read this."""
        fields: dict[str, Any] = self._raw.__cuda_array_interface__
        return fields

    def __reduce__(self) -> NoReturn:
        """Raise TypeError: its address means nothing elsewhere, and here it has one owner."""
        raise TypeError("cannot pickle or copy a range of a GPU; copy what is in it")


def module_size(nbytes: int) -> int:
    """Return a size as a module takes it; one that no memory has stays one."""
    return min(nbytes, _MOST)
