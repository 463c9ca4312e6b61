"""Bounds-checked reading of a file's bytes: whatever lies outside them is one kind of error."""

import struct
from dataclasses import dataclass
from mmap import mmap

from porting.errors import InputError


class ElfError(InputError):
    """A file is no ELF file or archive that can be read, or is damaged; the text says where."""


@dataclass(frozen=True, slots=True)
class View:
    """`size` bytes of a file from `start`; offsets given to its methods count from there.

    `name` is what messages call it.  Every method raises ElfError for a place outside.
    """

    data: bytes | mmap
    start: int
    size: int
    name: str

    def unpack(self, layout: struct.Struct, offset: int, what: str) -> tuple[int, ...]:
        """Return the numbers that stand at an offset."""
        self._check(offset, layout.size, what)
        return layout.unpack_from(self.data, self.start + offset)

    def copy(self, offset: int, size: int, what: str) -> bytes:
        """Return a copy of some bytes."""
        self._check(offset, size, what)
        first = self.start + offset
        return self.data[first : first + size]

    def part(self, offset: int, size: int, what: str, name: str = "") -> "View":
        """Return a view of a part, without a copy."""
        self._check(offset, size, what)
        return View(self.data, self.start + offset, size, name or self.name)

    def find(self, text: bytes, offset: int = 0) -> int:
        """Return where a text stands from an offset on, -1 when it does not."""
        found = self.data.find(text, self.start + offset, self.start + self.size)
        return found if found < 0 else found - self.start

    def begins(self, text: bytes, offset: int = 0) -> bool:
        """Whether a text stands at an offset; also false outside."""
        if offset < 0 or offset + len(text) > self.size:
            return False
        first = self.start + offset
        return self.data[first : first + len(text)] == text

    def damaged(self, what: str) -> ElfError:
        """Return the error of a file whose content cannot be."""
        return ElfError(f"{self.name} is damaged: {what}; build or download it again")

    def _check(self, offset: int, size: int, what: str) -> None:
        if offset < 0 or size < 0 or offset + size > self.size:
            raise self.damaged(
                f"{what} at {offset:#x} ({size} bytes) ends outside the file's {self.size} bytes"
            )


def text_at(table: bytes, offset: int) -> str:
    """Return the NUL-terminated text at an offset of a string table, "" outside it."""
    end = table.find(b"\0", offset)
    if end < 0:
        return ""
    return table[offset:end].decode("utf-8", "surrogateescape")
