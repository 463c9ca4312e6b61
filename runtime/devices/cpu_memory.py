"""Memory of this process as buffers, pools and growing ranges."""

import ctypes
import mmap
import os
import threading
import weakref
from typing import Any, NoReturn

from runtime import core
from runtime.devices.cpu_streams import checked_stream
from runtime.devices.errors import DeviceError
from runtime.devices.fitting import byte_count, check_growth
from runtime.devices.protocol import Stream
from runtime.devices.ranges import DLPACK_CPU

_PAGE = mmap.PAGESIZE
_OWN = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS  # a child has a copy
_LIBC = ctypes.CDLL(None, use_errno=True)
_LIBC.mmap.restype = ctypes.c_void_p
_LIBC.mmap.argtypes = (
    ctypes.c_void_p,
    ctypes.c_size_t,
    *(ctypes.c_int,) * 3,
    ctypes.c_long,
)
_LIBC.mprotect.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
_LIBC.munmap.argtypes = (ctypes.c_void_p, ctypes.c_size_t)
_MAP_FAILED = ctypes.c_void_p(-1).value


class CpuBuffer:
    """A range of this process's memory; `owner` keeps it where it is."""

    def __init__(self, address: int, nbytes: int, owner: object) -> None:
        self._address = address
        self._nbytes = nbytes
        self._owner = owner

    @property
    def address(self) -> int:
        """Where it starts."""
        return self._address

    @property
    def nbytes(self) -> int:
        """Its size."""
        return self._nbytes

    def __dlpack__(self, **options: Any) -> Any:  # noqa: ANN401 - a capsule
        """Return a DLPack capsule of its bytes, which keeps it alive."""
        return core.bytes_of(self, self.address, self.nbytes).__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        """Return DLPack's number of the host."""
        return DLPACK_CPU, 0

    def __reduce__(self) -> NoReturn:
        """Raise TypeError: its address means nothing elsewhere, and here it has one owner."""
        raise TypeError(f"cannot pickle or copy a {type(self).__name__}; copy what is in it")


class Pages:
    """Whole pages of memory, given back with the last reference."""

    def __init__(self, nbytes: int) -> None:
        self.nbytes = _whole(max(nbytes, 1))
        try:
            self._map = mmap.mmap(-1, self.nbytes, flags=_OWN)
        except (OSError, OverflowError) as error:
            raise DeviceError(f"{nbytes} bytes cannot be allocated: {error}", "mmap") from error
        self._start = ctypes.c_char.from_buffer(self._map)

    @property
    def address(self) -> int:
        """Where they start."""
        return ctypes.addressof(self._start)


class CpuPool:
    """Pages that are kept when a buffer is gone, for the next of the same size."""

    def __init__(self, keep: int | None) -> None:
        self._keep = keep
        # Buffers are given back by whoever drops them last, also while the pool is in use.
        self._lock = threading.RLock()
        self._idle: list[Pages] = []
        self._used = 0

    @property
    def reserved(self) -> int:
        """Bytes of all its pages."""
        with self._lock:
            return self._used + self._kept()

    @property
    def used(self) -> int:
        """Bytes of the pages that buffers have."""
        return self._used

    def allocate(self, nbytes: int, stream: Stream) -> CpuBuffer:
        """Return memory, at once."""
        size = byte_count(nbytes)
        checked_stream(stream).check_unrecorded("a pool gives no memory")
        pages = self._take(size)
        buffer = CpuBuffer(pages.address, size, None)
        weakref.finalize(buffer, self._give_back, pages).atexit = False
        return buffer

    def trim(self, keep: int = 0) -> None:
        """Drop idle pages, the oldest first."""
        most = byte_count(keep)
        with self._lock:
            while self._idle and self._used + self._kept() > most:
                self._idle.pop(0)

    def _take(self, nbytes: int) -> Pages:
        wanted = _whole(max(nbytes, 1))
        with self._lock:
            kept = next((pages for pages in self._idle if pages.nbytes == wanted), None)
            if kept is not None:
                self._idle.remove(kept)
            pages = kept or Pages(nbytes)
            self._used += pages.nbytes
            return pages

    def _give_back(self, pages: Pages) -> None:
        with self._lock:
            self._used -= pages.nbytes
            self._idle.append(pages)
            if self._keep is not None:
                self.trim(self._keep)

    def _kept(self) -> int:
        return sum(pages.nbytes for pages in self._idle)


class CpuVirtualRange(CpuBuffer):
    """Addresses that fault beyond what is backed."""

    def __init__(self, capacity: int) -> None:
        self.capacity = _whole(capacity)
        self.granularity = _PAGE
        self._growing = threading.Lock()
        address = None
        if self.capacity <= _LARGEST:
            address = _LIBC.mmap(None, self.capacity, 0, _OWN, -1, 0)
        if address is None or address == _MAP_FAILED:
            raise DeviceError(f"{capacity} bytes of addresses cannot be reserved", "mmap")
        super().__init__(address, 0, None)
        weakref.finalize(self, _LIBC.munmap, address, self.capacity).atexit = False

    def grow(self, nbytes: int) -> None:
        """Make more of it memory."""
        size = byte_count(nbytes)
        check_growth(size, self.capacity)
        wanted = _whole(size)
        with self._growing:
            if wanted > self.nbytes:
                self._back(wanted)

    def _back(self, wanted: int) -> None:
        if _LIBC.mprotect(self.address, wanted, mmap.PROT_READ | mmap.PROT_WRITE):
            reason = os.strerror(ctypes.get_errno())
            raise DeviceError(f"{wanted} bytes cannot be allocated: {reason}", "mprotect")
        self._nbytes = wanted


_LARGEST = (1 << 63) - 1


def _whole(nbytes: int) -> int:
    """Return the bytes of as many pages as are needed."""
    return -(-nbytes // _PAGE) * _PAGE
