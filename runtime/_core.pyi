"""Types of the compiled module; runtime/core.py is its only importer."""

from collections.abc import Sequence
from typing import Any

class LibraryError(OSError):
    """None of a library's candidate names could be opened."""

    failures: tuple[tuple[str, str], ...]

class Symbol:
    """One row of a resolved symbol table."""

    @property
    def name(self) -> str: ...
    @property
    def address(self) -> int | None: ...
    @property
    def reason(self) -> str: ...

class Library:
    """An open shared library, closed with its last reference."""

    def __init__(self, candidates: Sequence[str]) -> None: ...
    def resolve(self, names: Sequence[str]) -> list[Symbol]: ...
    @property
    def name(self) -> str: ...
    @property
    def path(self) -> str: ...
    @property
    def shared(self) -> bool: ...

def range_of_buffer(exporter: object, writable: bool) -> tuple[int, int, int, object]:
    """Return address, bytes, DLPack's device kind and what keeps them, of a buffer's bytes."""

def range_of_dlpack(capsule: object, writable: bool) -> tuple[int, int, int, object]:
    """Return the same of a contiguous array; the capsule is used up."""

def bytes_of(owner: object, address: int, nbytes: int) -> Any:  # noqa: ANN401 - an array of nanobind's
    """Return an array of the host's bytes that keeps their owner alive."""

def checksum(source: int, nbytes: int) -> int:
    """Return the 64-bit checksum of a range."""

def pack(buffer: int, segments: Sequence[tuple[int, int, int]]) -> None:
    """Copy (address, offset, size) ranges into a buffer."""

def unpack(buffer: int, segments: Sequence[tuple[int, int, int]]) -> None:
    """Copy a buffer back into its ranges."""

def accumulate(target: int, sources: Sequence[int], scale: float, element: int, count: int) -> None:
    """Set target to (target + all sources) * scale."""
