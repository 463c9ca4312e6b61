"""The libraries of both vendors and how a program comes to them, as `libraries.tsv` tells.

Every other list of them is made of this one: of file names in strings, of stand-ins that a ROCm
tree or a CUDA home holds, of link plans and of what build files say.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib import resources
from types import MappingProxyType
from typing import Final

from porting.config import release_key

# The newest ROCm release whose SONAMEs and symbol versions are known.
NEWEST_KNOWN: Final = (7, 2)


_Majors = tuple[tuple[tuple[int, int], str], ...]


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
    it does not change with the toolkit, else `cuda_majors` has those that are known.  `majors`:
    (release, number in ROCm's SONAME from it on).
    """

    id: str
    tables: tuple[str, ...]
    cuda: Side | None
    rocm: Side
    version: str
    cuda_majors: _Majors
    majors: _Majors
    interface: Interface

    def major(self, rocm: str) -> str | None:
        """Return the number in ROCm's SONAME in a release; None when it is not known."""
        release = release_key(rocm)
        if release[0] > NEWEST_KNOWN[0]:
            return None
        return _latest(self.majors, release)

    def soname(self, rocm: str) -> str:
        """Return ROCm's SONAME in a release, the name without a number when it is not known."""
        number = self.major(rocm)
        return f"lib{self.rocm.name}.so" + (f".{number}" if number else "")

    def cuda_soname(self, release: str = "") -> str:
        """Return CUDA's SONAME in a release of the toolkit, without a number that is not known."""
        name = self.cuda.name if self.cuda else ""
        known = _latest(self.cuda_majors, release_key(release)) if release else None
        number = self.version or known
        return f"lib{name}.so" + (f".{number}" if number else "")


@cache
def libraries() -> Mapping[str, Library]:
    """Return every library by its id, in the order of the table."""
    rows = table_rows("porting", "libraries.tsv")
    return MappingProxyType({row["library"]: _library(row) for row in rows})


def table_rows(package: str, file: str) -> list[dict[str, str]]:
    """Return the rows of a table with tabs among a package's files: column -> value."""
    text = (resources.files(package) / file).read_text(encoding="utf-8")
    head, *lines = (line for line in text.splitlines() if line and not line.startswith("#"))
    names = head.split("\t")
    return [dict(zip(names, line.split("\t"), strict=True)) for line in lines]


def _library(row: Mapping[str, str]) -> Library:
    is_fixed = "=" not in row["cuda_version"]
    return Library(
        row["library"],
        tuple(row["tables"].split()),
        _side(row, "cuda") if row["cuda_how"] else None,
        _side(row, "rocm"),
        row["cuda_version"] if is_fixed else "",
        () if is_fixed else tuple(_majors(row["cuda_version"])),
        tuple(_majors(row["rocm_versions"])),
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


def _majors(text: str) -> Iterator[tuple[tuple[int, int], str]]:
    for item in text.split():
        since, _, number = item.partition("=")
        yield release_key(since), number


def _latest(majors: _Majors, release: tuple[int, int]) -> str | None:
    older = [number for since, number in majors if since <= release]
    return older[-1] if older else None
