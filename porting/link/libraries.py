"""The libraries of both vendors, as `libraries.tsv` and `symbol_versions.tsv` tell of them."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib import resources
from types import MappingProxyType
from typing import Final

from porting.config import release_key

# The newest ROCm release whose SONAMEs and symbol versions are known.
NEWEST_KNOWN: Final = (7, 2)
_OF_DRIVER: Final = ("cuda", "nvml")
# lib<name>.so.<version>; packers of wheels put a hash of the content behind the name.
_FILE: Final = re.compile(r"lib(?P<name>.+?)(?:-[0-9a-f]{8})?\.so(?:\.(?P<version>[\d.]+))?")


class How(StrEnum):
    """How a program comes to a library's functions."""

    STATIC = "static"
    SHARED = "shared"
    DLOPEN = "dlopen"
    HEADERS = "headers"
    NONE = "none"


class Interface(StrEnum):
    """Whether ROCm's library has the functions of CUDA's, or is one that CUDA has nothing like."""

    SAME = "same"
    OWN = "own"
    ROCM = "rocm"
    MISSING = ""


@dataclass(frozen=True, slots=True)
class Side:
    """One vendor's library: its file is lib`name`.so, `static` the name of its static form.

    `package`, `target`: CMake's; `pkg_config`: a module's name.  All may be empty.
    """

    how: How
    name: str = ""
    static: str = ""
    package: str = ""
    target: str = ""
    pkg_config: str = ""


@dataclass(frozen=True, slots=True)
class Library:
    """A CUDA library and what takes its place.

    `tables`: the name tables whose names need it.  `version` is the number in CUDA's SONAME where
    it does not change with the toolkit.  `majors`: (release, number in ROCm's SONAME from it on).
    """

    id: str
    tables: tuple[str, ...]
    cuda: Side | None
    rocm: Side
    version: str
    majors: tuple[tuple[tuple[int, int], str], ...]
    interface: Interface

    def major(self, rocm: str) -> str | None:
        """Return the number in ROCm's SONAME in a release; None when it is not known."""
        release = release_key(rocm)
        if release[0] > NEWEST_KNOWN[0]:
            return None
        older = [number for since, number in self.majors if since <= release]
        return older[-1] if older else None

    def soname(self, rocm: str) -> str:
        """Return ROCm's SONAME in a release, the name without a number when it is not known."""
        number = self.major(rocm)
        return f"lib{self.rocm.name}.so" + (f".{number}" if number else "")

    def cuda_soname(self) -> str:
        """Return CUDA's SONAME, without a number when that changes with the toolkit."""
        name = self.cuda.name if self.cuda else ""
        return f"lib{name}.so" + (f".{self.version}" if self.version else "")


@cache
def libraries() -> Mapping[str, Library]:
    """Return every library by its id, in the order of the table."""
    rows = _rows("libraries.tsv")
    return MappingProxyType({row["library"]: _library(row) for row in rows})


@cache
def version_releases() -> Mapping[str, tuple[int, int]]:
    """Return the first release that has each symbol version of libamdhip64."""
    rows = _rows("symbol_versions.tsv")
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


def _rows(file: str) -> list[dict[str, str]]:
    text = (resources.files("porting.link") / file).read_text(encoding="utf-8")
    head, *lines = (line for line in text.splitlines() if line and not line.startswith("#"))
    names = head.split("\t")
    return [dict(zip(names, line.split("\t"), strict=True)) for line in lines]


def _library(row: Mapping[str, str]) -> Library:
    majors = (item.partition("=") for item in row["rocm_versions"].split())
    return Library(
        row["library"],
        tuple(row["tables"].split()),
        _side(row, "cuda") if row["cuda_how"] else None,
        _side(row, "rocm"),
        row["cuda_version"],
        tuple((release_key(since), number) for since, _, number in majors),
        Interface(row["interface"]),
    )


def _side(row: Mapping[str, str], vendor: str) -> Side:
    return Side(
        How(row[f"{vendor}_how"]),
        row[f"{vendor}_name"],
        row.get(f"{vendor}_static", ""),
        row[f"{vendor}_package"],
        row[f"{vendor}_target"],
        row[f"{vendor}_pkg_config"],
    )
