"""Which CUDA library a header belongs to: `libraries.toml` as values."""

from __future__ import annotations

import fnmatch
import re
import tomllib
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Library:
    """One CUDA library: its headers, the look of its names, and how far they are read.

    skip: headers of which only the path is recorded; other_calls: headers
    whose argument counts do not count; hip: patterns of the AMD files searched for
    its names; scan: false when only paths and namespaces are recorded; namespace: the one that its
    names live in and are recorded with.
    """

    name: str
    headers: tuple[str, ...]
    prefix: re.Pattern[str]
    hip: tuple[str, ...]
    skip: tuple[str, ...]
    other_calls: tuple[str, ...]
    scan: bool
    namespace: str


def load(path: Path) -> tuple[Library, ...]:
    """Read the libraries, in the order in which a header is offered to them."""
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    return tuple(
        Library(
            row["name"],
            tuple(row["headers"]),
            re.compile(row.get("prefix", "$^")),
            tuple(row["hip"]),
            tuple(row.get("skip", ())),
            tuple(row.get("other_calls", ())),
            row.get("scan", True),
            row.get("namespace", ""),
        )
        for row in table["library"]
    )


def owner(libraries: tuple[Library, ...], header: str) -> Library | None:
    """Return the library a header (path relative to the include folder) belongs to."""
    for library in libraries:
        if any(_matches(header, pattern) for pattern in library.headers):
            return library
    return None


def _matches(header: str, pattern: str) -> bool:
    """Match a pattern whose `*` crosses folders only where the pattern itself names a folder."""
    if "/" in header and "/" not in pattern:
        return False
    return fnmatch.fnmatchcase(header, pattern)
