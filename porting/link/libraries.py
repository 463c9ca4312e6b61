"""Which files are libraries of the vendors, and which release a symbol version came with."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Final

from porting.config import release_key
from porting.libraries import NEWEST_KNOWN, How, Interface, Library, Side, libraries, table_rows

_OF_DRIVER: Final = ("cuda", "nvml")
# lib<name>.so.<version>; packers of wheels put a hash of the content behind the name.
_FILE: Final = re.compile(r"lib(?P<name>.+?)(?:-[0-9a-f]{8})?\.so(?:\.(?P<version>[\d.]+))?")


@cache
def version_releases() -> Mapping[str, tuple[int, int]]:
    """Return the first release that has each symbol version of libamdhip64."""
    rows = table_rows("porting.link", "symbol_versions.tsv")
    return MappingProxyType({row["version"]: release_key(row["since"]) for row in rows})


@dataclass(frozen=True, slots=True)
class VendorFile:
    """A file name that is one of a vendor's libraries."""

    library: Library
    platform: str
    version: str

    @property
    def major(self) -> str:
        """The number behind .so., "" without one."""
        return self.version.partition(".")[0]

    @property
    def is_of_driver(self) -> bool:
        """Whether it comes with NVIDIA's driver, and so only to machines with a GPU."""
        return self.platform == "cuda" and self.library.id in _OF_DRIVER


def vendor_file(name: str) -> VendorFile | None:
    """Return which vendor library a file name or SONAME is, None for any other file."""
    match = _FILE.fullmatch(name.rpartition("/")[2])
    if match is None:
        return None
    known = _by_name().get(match["name"])
    return VendorFile(*known, match["version"] or "") if known else None


@cache
def _by_name() -> Mapping[str, tuple[Library, str]]:
    found: dict[str, tuple[Library, str]] = {}
    for library in libraries().values():
        if library.id == "ibverbs":  # the system's on both platforms
            continue
        if library.rocm.name and library.rocm.how is not How.HEADERS:
            found.setdefault(library.rocm.name, (library, "rocm"))
        if library.cuda and library.cuda.name:
            found.setdefault(library.cuda.name, (library, "cuda"))
    return found


__all__ = [
    "NEWEST_KNOWN",
    "How",
    "Interface",
    "Library",
    "Side",
    "VendorFile",
    "libraries",
    "vendor_file",
    "version_releases",
]
