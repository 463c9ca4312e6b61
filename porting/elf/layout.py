"""The outline of a 64-bit little-endian ELF file: its header, segments and sections.

Source: System V ABI, generic part (gABI 4.2), chapters 4 and 5, and its x86-64 supplement.
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, NamedTuple

from porting.elf.view import ElfError, View, text_at

MAGIC: Final = b"\x7fELF"
EM_X86_64: Final = 62
EM_AMDGPU: Final = 224
_MACHINES: Final = {
    3: "i386",
    EM_X86_64: "x86-64",
    183: "aarch64",
    190: "cuda",
    243: "riscv",
    EM_AMDGPU: "amdgpu",
}
SHT_SYMTAB: Final = 2
SHT_RELA: Final = 4
SHT_NOBITS: Final = 8
SHT_DYNSYM: Final = 11
SHF_WRITE: Final = 1
SHF_ALLOC: Final = 2
SHF_EXECINSTR: Final = 4
_PT_LOAD, _PT_DYNAMIC, PT_INTERP = 1, 2, 3
_ET_REL, _ET_EXEC, _ET_DYN = 1, 2, 3

_HEADER = struct.Struct("<16xHHIQQQIHHHHHH")
_SEGMENT = struct.Struct("<IIQQQQQQ")
_SECTION = struct.Struct("<IIQQQQIIQQ")
_MANY_SECTIONS: Final = 0xFFFF


class Kind(StrEnum):
    """What a file is for the linker and the loader."""

    EXECUTABLE = "executable"
    SHARED = "shared library"
    OBJECT = "object"


class Section(NamedTuple):
    """One section; `link` and `info` mean what its type says."""

    name: str
    type: int
    flags: int
    address: int
    offset: int
    size: int
    link: int
    info: int


class Segment(NamedTuple):
    """One entry of the program header table."""

    type: int
    offset: int
    address: int
    size: int


@dataclass(frozen=True, slots=True)
class Layout:
    """A file's outline; `flags` mean what its machine says."""

    view: View
    type: int
    machine: int
    flags: int
    segments: tuple[Segment, ...]
    sections: tuple[Section, ...]

    @property
    def is_object(self) -> bool:
        """Whether it is yet to be linked."""
        return self.type == _ET_REL

    @property
    def is_fixed(self) -> bool:
        """Whether it is an executable for one address."""
        return self.type == _ET_EXEC

    @property
    def machine_name(self) -> str:
        """The machine in words."""
        return _MACHINES.get(self.machine, f"machine {self.machine}")

    def interpreter(self) -> str:
        """Return the loader that it names, as programs do; "" for none.  Raises ElfError."""
        for segment in self.segments:
            if segment.type == PT_INTERP:
                raw = self.view.copy(segment.offset, segment.size, "the loader's name")
                return raw.partition(b"\0")[0].decode("utf-8", "surrogateescape")
        return ""

    def dynamic(self) -> Segment | None:
        """Return the segment of the dynamic section, None in what is statically linked."""
        return next((s for s in self.segments if s.type == _PT_DYNAMIC), None)

    def offset_of(self, address: int) -> int:
        """Return where in the file an address of the loaded image stands.  Raises ElfError."""
        for segment in self.segments:
            start = segment.address
            if segment.type == _PT_LOAD and start <= address < start + segment.size:
                return segment.offset + address - start
        raise self.view.damaged(f"address {address:#x} is in no loaded segment")

    def content(self, section: Section) -> View:
        """Return the bytes of a section; none for one that takes no place in the file."""
        size = 0 if section.type == SHT_NOBITS else section.size
        offset = 0 if section.type == SHT_NOBITS else section.offset
        return self.view.part(offset, size, f"section {section.name}")


def read_layout(view: View) -> Layout:
    """Read the outline.  Raises ElfError for what is no 64-bit little-endian ELF file."""
    _check_kind(view)
    header = view.unpack(_HEADER, 0, "the ELF header")
    kind, machine, _, _, segments, sections, flags, _, _, count, _, number, names = header
    if kind not in (_ET_REL, _ET_EXEC, _ET_DYN):
        raise ElfError(
            f"{view.name} has ELF type {kind}; an executable, a shared library or an object"
            " can be read"
        )
    return Layout(
        view,
        kind,
        machine,
        flags,
        tuple(_segments(view, segments, count)),
        tuple(_sections(view, sections, number, names)),
    )


def _check_kind(view: View) -> None:
    if not view.begins(MAGIC):
        raise ElfError(
            f"{view.name} is no ELF file: it {_beginning(view)}; give an executable, a shared"
            " library, an object or a static archive"
        )
    bits, order = view.copy(4, 2, "the ELF header")
    if bits != 2:  # noqa: PLR2004 - ELFCLASS64
        raise ElfError(f"{view.name} is a 32-bit ELF file; GPU programs are 64-bit ones")
    if order != 1:
        raise ElfError(f"{view.name} is a big-endian ELF file; GPU programs are little-endian ones")


def _beginning(view: View) -> str:
    if view.size == 0:
        return "is empty"
    first = view.copy(0, min(view.size, 12), "its beginning")
    return f"begins with {first!r}"


def _segments(view: View, offset: int, count: int) -> Iterator[Segment]:
    table = view.copy(offset, count * _SEGMENT.size, f"the table of {count} segments")
    for kind, _, place, address, _, size, _, _ in _SEGMENT.iter_unpack(table):
        yield Segment(kind, place, address, size)


def _sections(view: View, offset: int, count: int, names: int) -> Iterator[Section]:
    if offset == 0:
        return
    # More than 65,279 sections: the real numbers stand in the first one, which is no section.
    first = view.unpack(_SECTION, offset, "the first section header")
    count = count or first[5]
    names = first[6] if names == _MANY_SECTIONS else names
    table = view.copy(offset, count * _SECTION.size, f"the table of {count} sections")
    if names >= count:
        raise view.damaged(f"section {names} should hold the names of {count} sections")
    text = _SECTION.unpack_from(table, names * _SECTION.size)
    strings = view.copy(text[4], text[5], "the table of section names")
    for name, kind, flags, address, place, size, link, info, _, _ in _SECTION.iter_unpack(table):
        yield Section(text_at(strings, name), kind, flags, address, place, size, link, info)
