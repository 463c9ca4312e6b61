"""Symbol tables: what a file defines, what it leaves to others, and in which versions.

Source: gABI 4.2, "Symbol Table"; LSB core, "Symbol Versioning"; GNU hash table as in glibc.
"""

import struct
import sys
from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from porting.elf.layout import Layout
from porting.elf.view import ElfError, View, text_at

SYMBOL = struct.Struct("<IBBHQQ")
_VERNEED = struct.Struct("<HHIII")
_VERNAUX = struct.Struct("<IHHII")
_WORD = struct.Struct("<I")
_HASH = struct.Struct("<II")
_GNU_HASH = struct.Struct("<IIII")
_LOCAL, _WEAK = 0, 2
_HIDDEN_VERSION: Final = 0x7FFF
_MOST_VERSIONS: Final = 0x8000
_MOST_OVERLAP: Final = 16


class Undefined(NamedTuple):
    """A symbol that another file has to define, in a version when one was linked against."""

    name: str
    weak: bool
    version: str = ""
    library: str = ""


@dataclass(frozen=True, slots=True)
class Symbols:
    """The names of a symbol table that other files can see."""

    undefined: tuple[Undefined, ...] = ()
    defined: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Versions:
    """Symbol versions that are wanted of each library."""

    needs: Mapping[str, tuple[str, ...]]
    by_number: Mapping[int, tuple[str, str]]


def read_symbols(
    table: bytes,
    strings: bytes,
    name: str,
    numbers: Sequence[int] = (),
    versions: Mapping[int, tuple[str, str]] | None = None,
) -> Symbols:
    """Return the global symbols of a table.  Raises ElfError, which calls the file `name`.

    `numbers` are the version numbers of its entries, `versions` what they stand for.
    """
    known = versions or {}
    names = _Names(strings, name)
    undefined: list[Undefined] = []
    defined: list[int] = []
    for index, (place, info, _, section, _, _) in enumerate(SYMBOL.iter_unpack(table)):
        bind = info >> 4
        if bind == _LOCAL or place == 0:
            continue
        if section:
            defined.append(place)
            continue
        number = numbers[index] & _HIDDEN_VERSION if index < len(numbers) else 0
        library, version = known.get(number, ("", ""))
        undefined.append(Undefined(names.at(place), bind == _WEAK, version, library))
    return Symbols(tuple(undefined), frozenset(map(names.at, defined)))


class _Names:
    """The names of symbols.  Linkers let short ones be the ends of longer ones, within reason.

    A made-up table in which each name is the rest of the table takes all of the memory.
    """

    def __init__(self, strings: bytes, name: str) -> None:
        # What no NUL ends is no name, and is not searched for one again and again.
        self._strings = strings[: strings.rfind(b"\0") + 1]
        self._file = name
        self._left = _MOST_OVERLAP * len(strings)

    def at(self, place: int) -> str:
        """Return the name that stands there, "" outside the table."""
        text = text_at(self._strings, place)
        self._left -= len(text)
        if self._left < 0:
            raise ElfError(
                f"{self._file} is damaged: the names of its symbols are longer than their table can"
                " hold; build or download it again"
            )
        return text


def holds(table: View, strings: View, name: str) -> bool:
    """Whether a table has a defined symbol of this name, found without reading all of them."""
    wanted = name.encode() + b"\0"
    place = strings.find(wanted)
    while place >= 0:
        if place == 0 or strings.begins(b"\0", place - 1):
            needle = _WORD.pack(place)
            found = table.find(needle)
            while found >= 0:
                if found % SYMBOL.size == 0 and found + SYMBOL.size <= table.size:
                    entry = table.unpack(SYMBOL, found, "a symbol")
                    if entry[3]:
                        return True
                found = table.find(needle, found + 1)
        place = strings.find(wanted, place + 1)
    return False


def hashed_count(layout: Layout, gnu_hash: int, old_hash: int) -> int:
    """Return how many dynamic symbols the loader's hash tables speak of, 0 without a table."""
    view = layout.view
    if old_hash:
        place = layout.offset_of(old_hash)
        return view.unpack(_HASH, place, "the hash table")[1]
    if not gnu_hash:
        return 0
    place = layout.offset_of(gnu_hash)
    buckets, first, bloom, _ = view.unpack(_GNU_HASH, place, "the hash table")
    table = place + _GNU_HASH.size + bloom * 8
    starts = words(view.copy(table, buckets * 4, f"{buckets} hash buckets"))
    last = max(starts, default=0)
    if last < first:
        return first
    chain = table + buckets * 4
    while True:
        (value,) = view.unpack(_WORD, chain + (last - first) * 4, "the hash chain")
        last += 1
        if value & 1:
            return last


def read_versions(view: View, offset: int, count: int, strings: bytes) -> Versions:
    """Return the needed symbol versions from their `count` records."""
    by_library: dict[str, list[str]] = {}
    by_number: dict[int, tuple[str, str]] = {}
    for read, (library, name, number) in enumerate(_needed(view, offset, count, strings)):
        if read == _MOST_VERSIONS:  # they have 15 bits; records that overlap could go on for hours
            raise view.damaged(f"it claims more than {_MOST_VERSIONS} versions of symbols")
        by_number[number] = (library, name)
        by_library.setdefault(library, []).append(name)
    return Versions({library: tuple(names) for library, names in by_library.items()}, by_number)


def _needed(view: View, offset: int, count: int, strings: bytes) -> Iterator[tuple[str, str, int]]:
    for _ in range(count):
        record = view.unpack(_VERNEED, offset, "a record of needed versions")
        _, number, file, first, after = record
        library = text_at(strings, file)
        place = offset + first
        for _ in range(number):
            _, _, other, name, step = view.unpack(_VERNAUX, place, "a needed version")
            yield library, text_at(strings, name), other & _HIDDEN_VERSION
            if step == 0:
                break
            place += step
        if after == 0:
            return
        offset += after


def words(data: bytes) -> "array[int]":
    """Return 32-bit little-endian numbers."""
    return _numbers("I", data)


def halves(data: bytes) -> "array[int]":
    """Return 16-bit little-endian numbers."""
    return _numbers("H", data)


def _numbers(code: str, data: bytes) -> "array[int]":
    found: array[int] = array(code)
    found.frombytes(data)
    if sys.byteorder == "big":
        found.byteswap()
    return found
