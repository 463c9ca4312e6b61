"""Relocations of an object that a shared library cannot have: it was compiled without -fPIC.

Source: x86-64 psABI 1.0, "Relocation Types"; what GNU ld and lld refuse with -shared.
"""

import struct
from collections.abc import Iterator
from typing import Final, NamedTuple

from porting.elf.layout import (
    EM_X86_64,
    SHF_ALLOC,
    SHF_EXECINSTR,
    SHF_WRITE,
    SHT_RELA,
    SHT_SYMTAB,
    Layout,
    Section,
)
from porting.elf.symbols import SYMBOL, words
from porting.elf.view import View, text_at

_RELA = struct.Struct("<QIIq")
_ABSOLUTE: Final = {10: "R_X86_64_32", 11: "R_X86_64_32S", 12: "R_X86_64_16", 14: "R_X86_64_8"}
_LOCAL_EXEC: Final = {23: "R_X86_64_TPOFF32"}
_WIDE: Final = {1: "R_X86_64_64"}
_RELATIVE: Final = {2: "R_X86_64_PC32"}
_NAMES: Final = _ABSOLUTE | _LOCAL_EXEC | _WIDE | _RELATIVE
# What is a fault in data that can be written, and where it cannot: there a pointer is one too.
_WRITABLE: Final = frozenset(_ABSOLUTE.keys() | _LOCAL_EXEC.keys() | _RELATIVE.keys())
_CONSTANT: Final = frozenset(_NAMES)
_CALL, _JUMP, _CONDITIONAL = 0xE8, 0xE9, 0x0F
_WORDS: Final = _RELA.size // 4


class FixedPlace(NamedTuple):
    """A relocation that ties the code to one address: its section, type and symbol."""

    section: str
    relocation: str
    symbol: str


def fixed_places(layout: Layout) -> tuple[FixedPlace, ...]:
    """Return one place per section, type and symbol, for x86-64 objects; others have none here."""
    if not layout.is_object or layout.machine != EM_X86_64:
        return ()
    names: dict[int, _Names] = {}
    sections = layout.sections
    found: dict[FixedPlace, None] = {}
    for table in sections:
        is_known = table.info < len(sections) and table.link < len(sections)
        if table.type == SHT_RELA and is_known and sections[table.info].flags & SHF_ALLOC:
            found.update(dict.fromkeys(_in(layout, table, sections[table.info], names)))
    return tuple(found)


def _in(
    layout: Layout, table: Section, target: Section, tables: dict[int, "_Names"]
) -> Iterator[FixedPlace]:
    """Yield the places of one relocated section; the types are compared in bulk."""
    size = table.size // _RELA.size * _RELA.size
    numbers = words(layout.view.copy(table.offset, size, "a table of relocations"))
    types = numbers[2::_WORDS]
    is_writable = target.flags & SHF_WRITE or target.name.startswith((".eh_frame", ".nv"))
    wanted = (_WRITABLE if is_writable else _CONSTANT).intersection(types)
    if not wanted:
        return
    names = tables.get(table.link)
    if names is None:
        names = tables[table.link] = _Names(layout, layout.sections[table.link])
    told: set[tuple[int, int]] = set()
    for row, (kind, symbol) in enumerate(zip(types, numbers[3::_WORDS], strict=True)):
        if kind not in wanted or (kind, symbol) in told:
            continue
        offset = numbers[row * _WORDS]
        if kind in _RELATIVE and not _reaches_out(names, symbol, layout, target, offset):
            continue
        told.add((kind, symbol))
        yield FixedPlace(target.name, _NAMES[kind], names.name(symbol))


def _reaches_out(
    names: "_Names", symbol: int, layout: Layout, target: Section, offset: int
) -> bool:
    """Whether a relative address is of data that another library may define, and no call."""
    if not names.is_preemptible(symbol):
        return False
    if not target.flags & SHF_EXECINSTR:
        return True
    code = layout.content(target)
    if offset < 2 or offset > code.size:  # noqa: PLR2004 - two bytes of an instruction before it
        return True
    before = code.copy(offset - 2, 2, "an instruction")
    is_branch = before[0] == _CONDITIONAL and before[1] & 0xF0 == 0x80  # noqa: PLR2004 - jcc
    return before[1] not in (_CALL, _JUMP) and not is_branch


class _Names:
    """The symbol table that a table of relocations refers to."""

    def __init__(self, layout: Layout, section: Section) -> None:
        self._table: View = layout.content(section)
        self._sections = layout.sections
        linked = section.link if section.link < len(layout.sections) else 0
        self._strings = b""
        if section.type == SHT_SYMTAB:
            text = layout.content(layout.sections[linked])
            self._strings = text.copy(0, text.size, "the names of symbols")

    def name(self, symbol: int) -> str:
        """Return a symbol's name; a section's symbol has the section's."""
        name, _, _, section, _, _ = self._entry(symbol)
        if name == 0 and section < len(self._sections):
            return self._sections[section].name
        return text_at(self._strings, name)

    def is_preemptible(self, symbol: int) -> bool:
        """Whether a definition in another library may take its place."""
        _, info, other, _, _, _ = self._entry(symbol)
        return info >> 4 != 0 and other & 3 == 0

    def _entry(self, symbol: int) -> tuple[int, ...]:
        return self._table.unpack(SYMBOL, symbol * SYMBOL.size, f"symbol {symbol}")
