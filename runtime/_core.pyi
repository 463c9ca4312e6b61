"""Types of the compiled module; runtime/core.py is its only importer."""

from collections.abc import Sequence

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
