"""Where the dynamic loader finds a library: its folders, its cache, and their order.

Source: ld.so(8); glibc's elf/dl-load.c for the order and sysdeps/generic/dl-cache.h for the cache.
"""

import os
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Final

_MULTIARCH: Final = "x86_64-linux-gnu"
DEFAULT_FOLDERS: Final = (
    f"/lib/{_MULTIARCH}",
    f"/usr/lib/{_MULTIARCH}",
    "/lib64",
    "/usr/lib64",
    "/lib",
    "/usr/lib",
)
_CACHE: Final = Path("/etc/ld.so.cache")
_CACHE_MAGIC: Final = b"glibc-ld.so.cache1.1"
_CACHE_HEADER = struct.Struct("<20sII20x")
_CACHE_ENTRY = struct.Struct("<iIIIQ")
_LIBC6_X86_64: Final = 0x0303


@dataclass(frozen=True)
class Search:
    """The places that hold for every file: LD_LIBRARY_PATH, the cache, the default folders."""

    environment: tuple[str, ...] = ()
    cached: Mapping[str, str] = field(default_factory=dict)
    defaults: tuple[str, ...] = DEFAULT_FOLDERS

    @classmethod
    def of_system(cls, environ: Mapping[str, str]) -> "Search":
        """Return what the loader of this machine would search for a process started now."""
        listed = environ.get("LD_LIBRARY_PATH", "")
        folders = (
            tuple(part or "." for part in listed.replace(";", ":").split(":")) if listed else ()
        )
        return cls(folders, _system_cache())


def candidates(
    name: str,
    origin: Path,
    search: Search,
    rpaths: tuple[tuple[str, Path], ...],
    runpath: tuple[str, ...],
) -> Iterator[Path]:
    """Yield where a needed name may be, in the loader's order.

    `rpaths`: DT_RPATH folders of the file and of those that loaded it, each with its $ORIGIN; none
    where the file has a RUNPATH.  `origin`: the folder of the file that needs the name.
    """
    if "/" in name:
        yield Path(expand(name, origin))
        return
    for folder, place in rpaths:
        yield Path(expand(folder, place), name)
    for folder in search.environment:
        yield Path(folder, name)
    for folder in runpath:
        yield Path(expand(folder, origin), name)
    if name in search.cached:
        yield Path(search.cached[name])
    for folder in search.defaults:
        yield Path(folder, name)


def expand(folder: str, origin: Path) -> str:
    """Return a folder with the loader's tokens replaced; an empty one is the current folder."""
    for token, value in (
        ("ORIGIN", str(origin)),
        ("LIB", f"lib/{_MULTIARCH}"),
        ("PLATFORM", "x86_64"),
    ):
        folder = folder.replace(f"${{{token}}}", value).replace(f"${token}", value)
    return folder or "."


@cache
def _system_cache() -> Mapping[str, str]:
    try:
        data = _CACHE.read_bytes()
    except OSError:
        return MappingProxyType({})
    return MappingProxyType(parse_cache(data))


def parse_cache(data: bytes) -> dict[str, str]:
    """Return name -> path of the x86-64 libraries in an ld.so.cache, nothing for another format."""
    start = data.find(_CACHE_MAGIC)
    if start < 0 or start + _CACHE_HEADER.size > len(data):
        return {}
    _, count, _ = _CACHE_HEADER.unpack_from(data, start)
    first = start + _CACHE_HEADER.size
    if first + count * _CACHE_ENTRY.size > len(data):
        return {}
    found: dict[str, str] = {}
    for number in range(count):
        flags, key, value, _, _ = _CACHE_ENTRY.unpack_from(data, first + number * _CACHE_ENTRY.size)
        if flags == _LIBC6_X86_64:
            found.setdefault(_text(data, start + key), _text(data, start + value))
    return found


def _text(data: bytes, place: int) -> str:
    end = data.find(b"\0", place)
    return os.fsdecode(data[place:end]) if end >= 0 else ""
