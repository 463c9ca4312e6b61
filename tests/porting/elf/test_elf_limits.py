"""Made-up tables that would take hours or all of the memory, and large ones that are real."""

import struct
import zlib

import pytest

from porting.elf import ElfError
from porting.elf.bundles import PLAIN, read_bundles
from porting.elf.symbols import SYMBOL, read_symbols, read_versions
from porting.elf.view import View


class Counted(bytes):
    """Bytes that count how often somebody looks for plain bundles in them."""

    searches = 0

    def find(self, text: bytes, *bounds: int) -> int:  # type: ignore[override]
        Counted.searches += text == PLAIN
        return super().find(text, *bounds)


def test_bundles_when_there_are_many() -> None:
    """The whole section is not searched again for each of them."""
    name = b"hipv4-amdgcn-amd-amdhsa--gfx942"
    inner = PLAIN + struct.pack("<QQQQ", 1, 4096, 10, len(name)) + name
    data = zlib.compress(inner)
    packed = b"CCOB" + struct.pack("<HHIIQ", 2, 0, 24 + len(data), len(inner), 0) + data
    content = Counted((packed + bytes(-len(packed) % 4096)) * 200 + inner)
    Counted.searches = 0
    found = list(read_bundles(View(content, 0, len(content), "many.o")))
    assert found == [(("gfx942",), "")] * 201
    assert Counted.searches < 5


def test_versions_when_records_overlap() -> None:
    """Each record claims all that follow as its own."""
    record = struct.pack("<HHIII", 1, 0xFFFF, 0, 16, 16)
    data = record * 0x11000
    with pytest.raises(ElfError, match=r"^x\.so is damaged: it claims more than 32768 versions"):
        read_versions(View(data, 0, len(data), "x.so"), 0, 1 << 62, b"\0")


def test_names_when_each_is_the_rest_of_the_table() -> None:
    strings = b"\0" + b"a" * 100_000 + b"\0"
    table = b"".join(SYMBOL.pack(n, 0x10, 0, 1, 0, 0) for n in range(1, 100_000))
    with pytest.raises(ElfError, match=r"^x\.so is damaged: the names of its symbols are longer"):
        read_symbols(table, strings, "x.so")


def test_names_when_short_ones_end_longer_ones() -> None:
    """As linkers merge them."""
    strings = b"\0prefix_name\0"
    table = b"".join(SYMBOL.pack(n, 0x10, 0, 1, 0, 0) for n in (1, 8, 8, 8))
    assert read_symbols(table, strings, "x.so").defined == {"prefix_name", "name"}
