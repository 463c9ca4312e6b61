"""The compiled core under one typed name: nothing else imports `runtime._core`."""

from typing import Final

try:
    from runtime._core import (
        Library,
        LibraryError,
        Symbol,
        accumulate,
        bytes_of,
        checksum,
        pack,
        range_of_buffer,
        range_of_dlpack,
        unpack,
    )
except ModuleNotFoundError as error:
    if error.name != "runtime._core":
        raise
    _HINT: Final = (
        f"runtime._core is not built for the package at {__file__.rpartition('/')[0]}; "
        "in a checkout that is the source folder, which hides an installed eclosion: "
        "work from another folder, or run `pip install -e .`"
    )
    raise ModuleNotFoundError(_HINT, name=error.name) from error

__all__ = [
    "Library",
    "LibraryError",
    "Symbol",
    "accumulate",
    "bytes_of",
    "checksum",
    "pack",
    "range_of_buffer",
    "range_of_dlpack",
    "unpack",
]
