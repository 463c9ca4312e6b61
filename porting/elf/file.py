"""Files on disk: programs, libraries, objects and archives, read without loading them."""

import mmap
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, NamedTuple, cast

from porting.elf.archive import Member, is_archive, member_at, members
from porting.elf.device import DeviceCode, read_device_code
from porting.elf.dynamic import Dynamic, read_dynamic
from porting.elf.layout import (
    MAGIC,
    SHF_ALLOC,
    SHF_EXECINSTR,
    SHF_WRITE,
    SHT_SYMTAB,
    Kind,
    Layout,
    Section,
    read_layout,
)
from porting.elf.pic import FixedPlace, fixed_places
from porting.elf.symbols import Symbols, Undefined, holds, read_symbols
from porting.elf.view import ElfError, View
from porting.errors import reason

_LIBRARY: Final = re.compile(
    rb"(?<![\w.+-])(?:/[\w.+/-]*/)?lib[\w+-]{1,60}\.so(?:\.\d{1,5}){0,3}\0"
)
_PROGBITS: Final = 1
_BITCODE: Final = (b"BC\xc0\xde", b"\xde\xc0\x17\x0b")  # plain, with a header
_NO_TEXT: Final = (".eh_frame", ".gcc_except", ".hip", ".nv", ".gnu")


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is looked for besides: defined symbols of any binding, texts in constant data.

    `libraries`: whether the names of libraries in constant data are wanted, as for dlopen.
    """

    symbols: tuple[str, ...] = ()
    texts: tuple[bytes, ...] = ()
    libraries: bool = False


@dataclass(frozen=True, slots=True)
class ElfFile:
    """What one ELF file says; a member of an archive has the archive's name in its own.

    `rpath`, `runpath`: None without the tag.  `version_needs`: library -> versions.
    `device_code`: one entry per bundle.  `fixed_places`: why an object cannot go into a shared
    library.  `holds`: the symbols and texts of `Wanted` that are there.  `libraries`: the names of
    libraries in its constant data.  `interpreter`: the loader that starts it, "" for none.
    """

    name: str
    kind: Kind
    machine: str
    soname: str
    needed: tuple[str, ...]
    rpath: tuple[str, ...] | None
    runpath: tuple[str, ...] | None
    undefined: tuple[Undefined, ...]
    defined: frozenset[str]
    version_needs: Mapping[str, tuple[str, ...]]
    sections: tuple[Section, ...]
    device_code: tuple[DeviceCode, ...]
    text_relocations: bool
    fixed_places: tuple[FixedPlace, ...]
    holds: frozenset[str]
    libraries: tuple[str, ...]
    interpreter: str

    def has_section(self, name: str) -> bool:
        """Whether a section of this name is there and not empty."""
        return any(section.name == name and section.size for section in self.sections)


class Other(NamedTuple):
    """A member of an archive that is no ELF file, and what it is instead."""

    name: str
    what: str


@dataclass(frozen=True, slots=True)
class Binary:
    """A file on disk; an archive has a member per ELF file in it, any other file one.

    `others`: the archive's members that are no ELF files (archives, bitcode, metadata), which no
    linker looks into, or only by compiling them.
    """

    path: Path
    is_archive: bool
    members: tuple[ElfFile, ...]
    others: tuple[Other, ...] = ()


def read_binary(path: Path, wanted: Wanted | None = None) -> Binary:
    """Read a program, library, object or static archive.

    Raises ElfError for what is none of these, is damaged or cannot be read.
    """
    with _opened(path) as data:
        return parse_binary(data, path, wanted or Wanted())


def read_machine(path: Path) -> tuple[int, int]:
    """Return the number of the machine that a file is for, and its flags, which say the model.

    Raises ElfError, also for a file that ends before its tables.
    """
    with _opened(path) as data:
        layout = read_layout(View(data, 0, len(data), str(path)))
        return layout.machine, layout.flags


def parse_binary(data: bytes | mmap.mmap, path: Path, wanted: Wanted) -> Binary:
    """Read a file's content; `path` names it, and is where a thin archive's members are."""
    view = View(data, 0, len(data), str(path))
    if not is_archive(view):
        return Binary(path, is_archive=False, members=(_elf_file(view, wanted),))
    found: list[ElfFile] = []
    others: list[Other] = []
    for member in members(view):
        if member.content is None:
            done = _thin_member(path, member, wanted)
        else:
            done = _member(member.name, member.content, wanted)
        if isinstance(done, ElfFile):
            found.append(done)
        else:
            others.append(done)
    return Binary(path, is_archive=True, members=tuple(found), others=tuple(others))


def _member(name: str, content: View, wanted: Wanted) -> ElfFile | Other:
    if content.begins(MAGIC):
        return _elf_file(content, wanted)
    if is_archive(content):
        return Other(name, "an archive")
    is_bitcode = any(content.begins(magic) for magic in _BITCODE)
    return Other(name, "LLVM bitcode" if is_bitcode else "no object")


def _thin_member(path: Path, member: Member, wanted: Wanted) -> ElfFile | Other:
    """Read a file that is a member of a thin archive, or a member of an archive that is one."""
    with _opened(path.parent / member.name) as data:
        view = View(data, 0, len(data), f"{path}({member.name})")
        if not member.header:
            return _member(member.name, view, wanted)
        inner = member_at(view, member.header)
        name = f"{member.name}({inner.name})"
        part = cast("View", inner.content)
        return _member(name, replace(part, name=f"{path}({name})"), wanted)


class _Empty(bytes):
    """The content of an empty file, which cannot be mapped."""

    def __enter__(self) -> bytes:
        return self

    def __exit__(self, *_: object) -> None:
        pass


def _opened(path: Path) -> mmap.mmap | _Empty:
    try:
        with path.open("rb") as file:
            if os.fstat(file.fileno()).st_size == 0:
                return _Empty()
            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except (OSError, ValueError) as error:
        why = reason(error) if isinstance(error, OSError) else str(error)
        raise ElfError(f"{path} cannot be read: {why}; check the path") from error


def _elf_file(view: View, wanted: Wanted) -> ElfFile:
    layout = read_layout(view)
    dynamic = read_dynamic(layout)
    symbols = _object_symbols(layout) if dynamic is None else dynamic.symbols
    return ElfFile(
        view.name,
        _kind(layout, dynamic),
        layout.machine_name,
        dynamic.soname if dynamic else "",
        dynamic.needed if dynamic else (),
        dynamic.rpath if dynamic else None,
        dynamic.runpath if dynamic else None,
        symbols.undefined,
        symbols.defined,
        dynamic.versions.needs if dynamic else {},
        layout.sections,
        read_device_code(layout),
        dynamic is not None and dynamic.text_relocations,
        fixed_places(layout),
        frozenset(_held(layout, symbols.defined, wanted)),
        tuple(_library_names(layout)) if wanted.libraries else (),
        layout.interpreter(),
    )


def _kind(layout: Layout, dynamic: Dynamic | None) -> Kind:
    """Tell programs from libraries; a library may name a loader too, as libc does."""
    if layout.is_object:
        return Kind.OBJECT
    if layout.is_fixed or dynamic is None or dynamic.is_pie:
        return Kind.EXECUTABLE
    named = layout.interpreter() and not dynamic.soname
    return Kind.EXECUTABLE if named else Kind.SHARED


def _object_symbols(layout: Layout) -> Symbols:
    for table, strings in _symbol_tables(layout):
        data = table.copy(0, table.size // 24 * 24, "the symbol table")
        return read_symbols(
            data, strings.copy(0, strings.size, "the names of symbols"), layout.view.name
        )
    return Symbols()


def _symbol_tables(layout: Layout) -> Iterator[tuple[View, View]]:
    for section in layout.sections:
        if section.type == SHT_SYMTAB and section.link < len(layout.sections):
            yield layout.content(section), layout.content(layout.sections[section.link])


def _held(layout: Layout, defined: frozenset[str], wanted: Wanted) -> Iterator[str]:
    for name in wanted.symbols:
        if name in defined or any(holds(*tables, name) for tables in _symbol_tables(layout)):
            yield name
    constants = list(_constants(layout)) if wanted.texts else []
    for text in wanted.texts:
        if any(view.find(text) >= 0 for view in constants):
            yield text.decode("latin-1")


def _library_names(layout: Layout) -> Iterable[str]:
    """Return names of libraries that stand as whole texts in constant data, each once."""
    found: dict[str, None] = {}
    for view in _constants(layout):
        end = view.start + view.size
        for match in _LIBRARY.finditer(view.data, view.start, end):
            found[match[0][:-1].decode("latin-1")] = None
    return found


def _constants(layout: Layout) -> Iterator[View]:
    """Yield the sections of constant data: where string literals are."""
    for section in layout.sections:
        is_constant = section.flags & (SHF_ALLOC | SHF_WRITE | SHF_EXECINSTR) == SHF_ALLOC
        if is_constant and section.type == _PROGBITS and not section.name.startswith(_NO_TEXT):
            yield layout.content(section)
