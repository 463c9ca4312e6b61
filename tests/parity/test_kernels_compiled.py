"""The library of kernels as the compilers of each platform make it."""

from pathlib import Path
from typing import Any

import pytest
from elftools.elf.dynamic import DynamicSection
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from tests.parity.kernel_library import Cell, build, declared

pytestmark = [pytest.mark.compiled, pytest.mark.timeout(600)]
RUNTIMES = {"cuda": "libcudart.so.", "rocm": "libamdhip64.so."}


def section(library: Path, name: str) -> list[Any]:
    """Return the symbols of .dynsym, or the tags of .dynamic."""
    with library.open("rb") as file:
        found = ELFFile(file).get_section_by_name(name)
        assert isinstance(found, DynamicSection | SymbolTableSection)
        of = found.iter_tags() if isinstance(found, DynamicSection) else found.iter_symbols()
        return list(of)


def test_library_when_its_entry_points_are_listed(parity_cell: Cell) -> None:
    symbols = section(build(parity_cell), ".dynsym")
    defined = {symbol.name for symbol in symbols if symbol["st_shndx"] != "SHN_UNDEF"}
    assert len(declared()) > 60
    assert set(declared()) <= defined


def test_library_when_its_needs_are_listed(parity_cell: Cell) -> None:
    tags = section(build(parity_cell), ".dynamic")
    needed = [tag.needed for tag in tags if tag.entry.d_tag == "DT_NEEDED"]
    runtimes = [name for name in needed if name.startswith(tuple(RUNTIMES.values()))]
    assert len(runtimes) == 1
    assert runtimes[0].startswith(RUNTIMES[parity_cell.platform])
