"""Decompression with zstd, which Python's standard library has from 3.14 on."""

import ctypes
import ctypes.util
from functools import cache


class ZstdUnavailable(Exception):  # noqa: N818 - a state of the machine, not a fault of the file
    """Neither this Python nor the system has zstd."""


class _Buffer(ctypes.Structure):
    """ZSTD_inBuffer and ZSTD_outBuffer: an address, its size, how far it was used."""

    _fields_ = (
        ("address", ctypes.c_void_p),
        ("size", ctypes.c_size_t),
        ("position", ctypes.c_size_t),
    )


def decompress_start(data: bytes, limit: int) -> bytes:
    """Return the first `limit` bytes of what `data` was before compression.

    Raises ZstdUnavailable, and ValueError for what is not zstd.
    """
    try:
        from compression import zstd  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        return _by_library(_library(), data, limit)
    try:
        start: bytes = zstd.ZstdDecompressor().decompress(data, max_length=limit)
    except zstd.ZstdError as error:
        raise ValueError(str(error)) from error
    return start


@cache
def _library() -> ctypes.CDLL:
    name = ctypes.util.find_library("zstd") or "libzstd.so.1"
    try:
        library = ctypes.CDLL(name)
        library.ZSTD_createDStream.restype = ctypes.c_void_p
        library.ZSTD_freeDStream.argtypes = [ctypes.c_void_p]
        library.ZSTD_decompressStream.argtypes = [ctypes.c_void_p] * 3
        library.ZSTD_decompressStream.restype = ctypes.c_size_t
        library.ZSTD_isError.argtypes = [ctypes.c_size_t]
    except (OSError, AttributeError) as error:
        raise ZstdUnavailable(
            "it is compressed with zstd, which neither this Python nor the system's libzstd.so.1"
            " can undo here"
        ) from error
    return library


def _by_library(library: ctypes.CDLL, data: bytes, limit: int) -> bytes:
    stream = library.ZSTD_createDStream()
    try:
        source = ctypes.create_string_buffer(data, len(data))
        target = ctypes.create_string_buffer(limit)
        given = _Buffer(ctypes.addressof(source), len(data), 0)
        got = _Buffer(ctypes.addressof(target), limit, 0)
        while given.position < given.size and got.position < got.size:
            before = (given.position, got.position)
            left = library.ZSTD_decompressStream(stream, ctypes.byref(got), ctypes.byref(given))
            if library.ZSTD_isError(left):
                raise ValueError("it is no zstd stream")
            if left == 0 or before == (given.position, got.position):
                break
        return target.raw[: got.position]
    finally:
        library.ZSTD_freeDStream(stream)
