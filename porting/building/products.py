"""What a build has made: the libraries and programs that were not there before."""

from dataclasses import dataclass
from pathlib import Path

from porting.building.systems import INSTALLED
from porting.elf import Binary, ElfError, Kind, read_binary
from porting.link import vendor_file

_MAGIC = b"\x7fELF"


@dataclass(frozen=True)
class Product:
    """A linked file: `path` in the folder that was built, and what it says."""

    path: Path
    binary: Binary

    @property
    def is_installed(self) -> bool:
        """Whether it lies where it was installed: in a build tree, RUNPATH names its folders."""
        return INSTALLED in self.path.parts

    @property
    def is_library(self) -> bool:
        """Whether a process can load it."""
        return any(member.kind is Kind.SHARED for member in self.binary.members)

    @property
    def links_driver(self) -> bool:
        """Whether it needs a library that comes with NVIDIA's driver."""
        files = (vendor_file(name) for member in self.binary.members for name in member.needed)
        return any(file is not None and file.is_of_driver for file in files)


def snapshot(folder: Path) -> frozenset[Path]:
    """Return the files of a folder, to tell later which are new."""
    return frozenset(path for path in folder.rglob("*") if path.is_file())


def products(folder: Path, before: frozenset[Path]) -> list[Product]:
    """Return the linked files that a build added, sorted.

    Of a file that was installed, that one alone; of equal copies, the first.
    """
    added = [path for path in sorted(snapshot(folder) - before) if _is_linked(path)]
    installed = {path.name for path in added if INSTALLED in path.parts}
    found: dict[bytes, Product] = {}
    for path in added:
        if path.name in installed and INSTALLED not in path.parts:
            continue
        try:
            binary = read_binary(path)
        except ElfError:
            continue
        if any(member.kind in (Kind.SHARED, Kind.EXECUTABLE) for member in binary.members):
            found.setdefault(path.read_bytes(), Product(path, binary))
    return list(found.values())


def _is_linked(path: Path) -> bool:
    """Whether a file may be a product: links and what CMake tries compilers with are none."""
    return not path.is_symlink() and "CMakeFiles" not in path.parts and _is_elf(path)


def _is_elf(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(len(_MAGIC)) == _MAGIC
