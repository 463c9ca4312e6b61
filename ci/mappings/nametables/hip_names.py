"""Collect what exists on the HIP side, per ROCm release, each name with the file that says so."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from nametables import stubs
from nametables.declarations import Declaration, macros_with_arguments, scan

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from nametables.sources import Wheel

_HEADER_ROOT = "triton/backends/amd/include/"
_FULL_HEADERS = "6.2"
_GROUPS = "cooperative_groups"


@dataclass(frozen=True, slots=True)
class Evidence:
    """One file that declares a name in one release; `source` is header or stub."""

    release: str
    source: str
    file: str
    kind: str
    owner: str
    arities: tuple[int, ...]


@dataclass(slots=True)
class HipInventory:
    """Evidence per name, and per (source, file) the releases in which that file was read."""

    names: dict[str, list[Evidence]] = field(default_factory=dict)
    examined: dict[tuple[str, str], set[str]] = field(default_factory=dict)
    releases: tuple[str, ...] = ()
    unset: frozenset[str] = frozenset()

    def has(self, name: str) -> bool:
        """Tell whether any release has the name."""
        return name in self.names

    def present(self, name: str) -> set[str]:
        """Return the releases in which a read file declares the name."""
        return {e.release for e in self.names.get(name, ())}

    def absent(self, name: str) -> set[str]:
        """Return the releases whose copy of the files that declare it elsewhere lacks the name.

        What is known of a published header is a list of names, not a file that was read.
        """
        examined: set[str] = set()
        for evidence in self.names.get(name, ()):
            if evidence.source != "published":
                examined |= self.examined[(evidence.source, evidence.file)]
        return examined - self.present(name)

    def is_type(self, name: str) -> bool:
        """Tell whether a name is a type, or a macro that may stand for one."""
        return any(e.kind in ("type", "macro", "using") for e in self.names.get(name, ()))

    def arities(self, name: str) -> set[int]:
        """Return with how many arguments a function can be called, over all releases."""
        return {count for e in self.names.get(name, ()) for count in e.arities}


def collect(
    wheels: Iterable[tuple[Wheel, Path]],
    releases: tuple[str, ...],
    unset: frozenset[str] = frozenset(),
) -> HipInventory:
    """Read the headers and stubs of every ROCm wheel; `unset` are macros that no build defines."""
    inventory = HipInventory(releases=releases, unset=unset)
    for wheel, folder in wheels:
        if wheel.role == "rocm-headers":
            _read_headers(inventory, wheel.release, folder / _HEADER_ROOT)
        elif wheel.role == "rocm-clang":
            _read_headers(inventory, wheel.release, folder, "clang/")
        elif wheel.role == "rocm-stubs":
            _read_stubs(inventory, wheel.release, folder)
    for key, seen in inventory.examined.items():
        if key[0] == "header" and key[1].startswith("hip/"):
            seen.add(_FULL_HEADERS)
    return inventory


def add(inventory: HipInventory, release: str, source: str, file: str, item: Declaration) -> None:
    """Record one declaration of one file of one release."""
    inventory.examined.setdefault((source, file), set()).add(release)
    in_groups = item.owner == _GROUPS and item.kind in ("function", "type")
    qualified = item.kind == "field" or in_groups
    name = f"{item.owner}::{item.name}" if qualified else item.name
    evidence = Evidence(release, source, file, item.kind, item.owner, item.arities)
    entries = inventory.names.setdefault(name, [])
    if evidence not in entries:
        entries.append(evidence)


def _read_headers(inventory: HipInventory, release: str, root: Path, prefix: str = "") -> None:
    for path in sorted(p for p in root.rglob("*.h*") if p.is_file()):
        text = path.read_text(encoding="utf-8", errors="replace")
        file = prefix + (path.name if prefix else path.relative_to(root).as_posix())
        if file.endswith("_prof_str.h") or "ostream_ops" in file:
            continue
        for item in scan(text, frozenset(macros_with_arguments(text)), inventory.unset):
            add(inventory, release, "header", file, item)


def _read_stubs(inventory: HipInventory, release: str, folder: Path) -> None:
    for path in sorted(folder.rglob("c*.pxd")):
        text = path.read_text(encoding="utf-8", errors="replace")
        declared = stubs.declarations(text)
        default = next((header for _, header in declared if header), path.name)
        for item, header in declared:
            add(inventory, release, "stub", header or default, item)
