"""What a build has made: the files that were not there, or not the same, before."""

import hashlib
import os
import platform
import stat
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from porting.building.systems import INSTALLED
from porting.elf import Binary, ElfError, Kind, read_binary
from porting.errors import reason
from porting.link import vendor_file
from porting.link.follows import WANTED

_ELF: Final = b"\x7fELF"
# What is made and not loaded: archives, bundles of device code, LLVM's bitcode.
_OTHERS: Final = (b"!<arch>\n", b"!<thin>\n", b"__CLANG_OFFLOAD_BUNDLE__", b"CCOB", b"BC\xc0\xde")
_OBJECT, _CORE = 1, 4  # ELF types
_DEVICES: Final = frozenset(("amdgpu", "cuda"))
# The machine of this one in the words of porting.elf.
_HERE: Final = {"x86_64": "x86-64"}.get(platform.machine(), platform.machine())
# Folders of what CMake and Meson try compilers with.
_PROBES: Final = frozenset(("CMakeFiles", "meson-private"))

Snapshot = Mapping[Path, tuple[int, int, int]]


@dataclass(frozen=True)
class Product:
    """A program or shared library: `path` in the folder that was built, and what it says."""

    path: Path
    binary: Binary

    @property
    def is_installed(self) -> bool:
        """Whether it lies where it was installed: in a build tree, RUNPATH names its folders."""
        return INSTALLED in self.path.parts

    @property
    def is_library(self) -> bool:
        """Whether a process can load it."""
        return self.binary.members[0].kind is Kind.SHARED

    @property
    def machine(self) -> str:
        """The processor that it is for."""
        return self.binary.members[0].machine

    @property
    def runs_here(self) -> bool:
        """Whether it is for this machine's processor."""
        return self.machine == _HERE

    @property
    def loader(self) -> str:
        """The loader that starts it, "" when it is linked statically."""
        return self.binary.members[0].interpreter

    @property
    def links_driver(self) -> bool:
        """Whether it needs a library that comes with NVIDIA's driver."""
        files = (vendor_file(name) for member in self.binary.members for name in member.needed)
        return any(file is not None and file.is_of_driver for file in files)


@dataclass(frozen=True)
class Made:
    """What a build has made.

    `unreadable`: programs and libraries that are damaged or of another kind, with why.  `others`:
    what is not loaded: archives, objects, device code.
    """

    products: tuple[Product, ...] = ()
    unreadable: tuple[tuple[Path, str], ...] = ()
    others: tuple[Path, ...] = ()

    @property
    def nothing(self) -> bool:
        """Whether a build could as well not have been run."""
        return not (self.products or self.unreadable or self.others)


def snapshot(folder: Path) -> Snapshot:
    """Return the files of a folder, to tell later which are new or another."""
    return dict(_files(folder))


def changed_since(folder: Path, before: Snapshot) -> Snapshot:
    """Return the files that are new or another."""
    return {path: state for path, state in _files(folder) if before.get(path) != state}


def _files(folder: Path) -> Iterator[tuple[Path, tuple[int, int, int]]]:
    for place, _, names in os.walk(folder):  # what cannot be listed has no product for anybody
        for name in names:
            path = Path(place, name)
            with suppress(OSError):  # a name that is too long; one that went away
                info = path.lstat()
                if stat.S_ISREG(info.st_mode):
                    yield path, (info.st_mtime_ns, info.st_size, info.st_ino)


def made_since(folder: Path, before: Snapshot) -> Made:
    """Return what a build added or replaced, sorted.

    Of a file that was installed, that one alone; of equal copies, the first.
    """
    new = sorted(changed_since(folder, before))
    found: dict[bytes, Product] = {}
    unreadable: list[tuple[Path, str]] = []
    others: list[Path] = []
    for path in _without_copies(path for path in new if not _is_probe(path)):
        try:
            start = _start(path)
        except OSError as error:  # of a user who may not read what his own build wrote
            unreadable.append((path, f"it cannot be read: {reason(error)}"))
            continue
        if not start.startswith(_ELF):
            others += [path] if start.startswith(_OTHERS) or path.suffix == ".ptx" else []
            continue
        try:
            binary = read_binary(path, WANTED)
        except ElfError as error:
            if _type(start) == _OBJECT:
                others.append(path)
            elif _type(start) != _CORE:
                unreadable.append((path, str(error)))
            continue
        file = binary.members[0]
        if file.kind is Kind.OBJECT or file.machine in _DEVICES:
            others.append(path)
        else:
            found.setdefault(_digest(path), Product(path, binary))
    return Made(tuple(found.values()), tuple(unreadable), tuple(others))


def _without_copies(paths: Iterator[Path]) -> Iterator[Path]:
    """Leave out what was installed from; installing changes the RUNPATH in place, not the size."""
    listed = [(path, path.stat().st_size) for path in paths]
    installed = {(path.name, size) for path, size in listed if INSTALLED in path.parts}
    for path, size in listed:
        if INSTALLED in path.parts or (path.name, size) not in installed:
            yield path


def _is_probe(path: Path) -> bool:
    """Whether a build system made it to try a compiler; CMake's objects lie there too."""
    below = [place for place, part in enumerate(path.parts[:-1]) if part in _PROBES]
    return bool(below) and not path.parts[below[-1] + 1].endswith(".dir")


def _start(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(32)


def _type(start: bytes) -> int:
    """Return the ELF type, whose two bytes stand in the order that the fifth one tells."""
    return int.from_bytes(start[16:18], "big" if start[5:6] == b"\x02" else "little")


def _digest(path: Path) -> bytes:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").digest()
