"""The dynamic section as the loader reads it: by addresses, whatever the section table says."""

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from porting.elf.layout import SHT_DYNSYM, Layout
from porting.elf.symbols import (
    SYMBOL,
    Symbols,
    Versions,
    halves,
    hashed_count,
    read_symbols,
    read_versions,
)
from porting.elf.view import text_at

_ENTRY = struct.Struct("<QQ")
_NULL, _NEEDED, _HASH, _STRTAB, _SYMTAB, _STRSZ = 0, 1, 4, 5, 6, 10
_SONAME, _RPATH, _TEXTREL, _RUNPATH, _FLAGS = 14, 15, 22, 29, 30
_GNU_HASH, _VERSYM, _FLAGS_1 = 0x6FFFFEF5, 0x6FFFFFF0, 0x6FFFFFFB
_VERNEED, _VERNEEDNUM = 0x6FFFFFFE, 0x6FFFFFFF
_DF_TEXTREL: Final = 4
_DF_1_PIE: Final = 0x08000000


@dataclass(frozen=True, slots=True)
class Dynamic:
    """What a linked file says to the loader.  `rpath`, `runpath`: None without the tag."""

    needed: tuple[str, ...]
    soname: str
    rpath: tuple[str, ...] | None
    runpath: tuple[str, ...] | None
    text_relocations: bool
    is_pie: bool
    symbols: Symbols
    versions: Versions


def read_dynamic(layout: Layout) -> Dynamic | None:
    """Return the dynamic section, None in what is statically linked.  Raises ElfError."""
    segment = layout.dynamic()
    if segment is None:
        return None
    raw = layout.view.copy(segment.offset, segment.size, "the dynamic section")
    tags: dict[int, list[int]] = {}
    for tag, value in _ENTRY.iter_unpack(raw[: len(raw) // _ENTRY.size * _ENTRY.size]):
        if tag == _NULL:
            break
        tags.setdefault(tag, []).append(value)
    return _told(layout, tags)


def _told(layout: Layout, tags: dict[int, list[int]]) -> Dynamic:
    one = {tag: values[-1] for tag, values in tags.items()}
    strings = _strings(layout, one)
    place = _place(layout, one, _VERNEED)
    versions = read_versions(layout.view, place, one.get(_VERNEEDNUM, 0), strings)
    return Dynamic(
        tuple(text_at(strings, value) for value in tags.get(_NEEDED, ())),
        text_at(strings, one[_SONAME]) if _SONAME in one else "",
        _folders(strings, one, _RPATH),
        _folders(strings, one, _RUNPATH),
        _TEXTREL in one or bool(one.get(_FLAGS, 0) & _DF_TEXTREL),
        bool(one.get(_FLAGS_1, 0) & _DF_1_PIE),
        _symbols(layout, one, strings, versions),
        versions,
    )


def _strings(layout: Layout, one: dict[int, int]) -> bytes:
    if _STRTAB not in one:
        return b""
    place = layout.offset_of(one[_STRTAB])
    return layout.view.copy(place, one.get(_STRSZ, 0), "the table of dynamic names")


def _place(layout: Layout, one: dict[int, int], tag: int) -> int:
    return layout.offset_of(one[tag]) if one.get(tag) else 0


def _folders(strings: bytes, one: dict[int, int], tag: int) -> tuple[str, ...] | None:
    return tuple(text_at(strings, one[tag]).split(":")) if tag in one else None


def _symbols(layout: Layout, one: dict[int, int], strings: bytes, versions: Versions) -> Symbols:
    if _SYMTAB not in one:
        return Symbols()
    place = layout.offset_of(one[_SYMTAB])
    count = hashed_count(layout, one.get(_GNU_HASH, 0), one.get(_HASH, 0))
    count = max(count, _unhashed_count(layout, one, place))
    table = layout.view.copy(place, count * SYMBOL.size, f"the table of {count} dynamic symbols")
    numbers = _numbers(layout, one, count)
    return read_symbols(table, strings, layout.view.name, numbers, versions.by_number)


def _numbers(layout: Layout, one: dict[int, int], count: int) -> Sequence[int]:
    """Return the version number of each symbol, nothing where symbols have no versions."""
    if _VERSYM not in one:
        return ()
    place = layout.offset_of(one[_VERSYM])
    return halves(layout.view.copy(place, count * 2, "the symbols' version numbers"))


def _unhashed_count(layout: Layout, one: dict[int, int], place: int) -> int:
    """Return how many symbols stand there by other evidence than the hash tables.

    A GNU hash table leaves undefined symbols out.  The section table counts them; where that was
    cut away, the names follow the symbols, as every linker lays them out.
    """
    for section in layout.sections:
        if section.type == SHT_DYNSYM and section.offset == place:
            return section.size // SYMBOL.size
    return max(0, one.get(_STRTAB, 0) - one[_SYMTAB]) // SYMBOL.size
