"""Collect every name that the headers of NVIDIA's wheels declare, over all pinned toolkits."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from nametables import libraries as library_table
from nametables.declarations import Declaration, macros_with_arguments, scan
from nametables.tokens import tokenize

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from nametables.libraries import Library

_KIND_ORDER = ("type", "function", "enumerator", "variable", "macro", "using")
_WORD = re.compile(r"[A-Za-z_]\w*")
_OVERLOADED = ("device", "fp16", "bf16", "fp8")
_ALIAS = re.compile(r"^\s*#\s*define\s+(\w+)\s+([A-Za-z_]\w*)\s*$", re.MULTILINE)
_NAMESPACE = re.compile(r"^\s*(?:inline\s+)?namespace\s+([A-Za-z_][\w:]*)\s*\{?", re.MULTILINE)


@dataclass(slots=True)
class CudaName:
    """One CUDA name: where it is declared, in which toolkits, and (functions) how many arguments.

    owner: the enum of an enumerator, the struct of a field, the namespace of anything else.
    """

    name: str
    library: str
    kind: str
    header: str
    owner: str = ""
    toolkits: set[str] = field(default_factory=set)
    arities: set[int] = field(default_factory=set)


@dataclass(slots=True)
class Inventory:
    """All names, all header paths (library, toolkits) and all namespaces of the CUDA side."""

    names: dict[str, CudaName] = field(default_factory=dict)
    headers: dict[str, tuple[str, set[str]]] = field(default_factory=dict)
    namespaces: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Place:
    """Where declarations are being read."""

    library: Library
    header: str
    toolkit: str


def collect(folders: Iterable[tuple[str, Path]], libraries: tuple[Library, ...]) -> Inventory:
    """Read every header under the given (toolkit, folder) pairs."""
    inventory = Inventory()
    aliases: dict[str, set[str]] = {}
    for toolkit, folder in folders:
        for path, header in _headers(folder):
            library = library_table.owner(libraries, header)
            if library is None:
                continue
            text = path.read_text(encoding="utf-8", errors="replace")
            inventory.headers.setdefault(header, (library.name, set()))[1].add(toolkit)
            if library.scan and header not in library.skip:
                _add_declarations(inventory, _Place(library, header, toolkit), text)
            elif not library.scan:
                _add_namespaces(inventory, library, text)
            for alias, real in _ALIAS.findall(text):
                aliases.setdefault(alias, set()).add(real)
    _share_arities(inventory, aliases)
    return inventory


def _share_arities(inventory: Inventory, aliases: dict[str, set[str]]) -> None:
    """Give a name that is `#define`d as another one the argument counts of that one."""
    for alias, real_names in aliases.items():
        if alias in inventory.names:
            for real in real_names & inventory.names.keys():
                inventory.names[alias].arities |= inventory.names[real].arities
                if inventory.names[real].kind == "function":
                    inventory.names[alias].kind = "function"


def _headers(folder: Path) -> list[tuple[Path, str]]:
    """Return (path, path as `#include` spells it) of the headers of one wheel."""
    found = []
    for path in sorted(p for p in folder.rglob("*") if p.is_file()):
        spelled = path.relative_to(folder).as_posix().split("/include/", 1)[-1]
        spelled = spelled.removeprefix("cccl/")
        working = "/detail" in f"/{spelled}" and not spelled.startswith("cooperative_groups/")
        if path.suffix in (".h", ".hpp", ".cuh", ".inl", "") and not working:
            found.append((path, spelled))
    return found


def _add_declarations(inventory: Inventory, place: _Place, text: str) -> None:
    declared = scan(text, frozenset(macros_with_arguments(text)))
    for item in declared:
        name = _recorded_name(place.library, item)
        if name:
            _merge(inventory, name, place, item)
    known = {item.name for item in declared}
    for word in sorted(_words(text) - known):
        if place.library.prefix.match(word):
            _merge(inventory, word, place, Declaration(word, "used"))


def _words(text: str) -> set[str]:
    """Return every identifier of a header outside comments, also those in macro bodies."""
    found: set[str] = set()
    for token in tokenize(text):
        if token.kind == "word":
            found.add(token.text)
        elif token.kind == "directive" and "include" not in token.text[:12]:
            found |= set(_WORD.findall(token.text))
    return found


def _recorded_name(library: Library, item: Declaration) -> str:
    """Return the name under which a declaration is recorded; an empty one leaves it out."""
    if library.namespace and item.kind != "macro":
        return _in_namespace(library.namespace, item)
    return f"{item.owner}::{item.name}" if item.kind == "field" else item.name


def _in_namespace(namespace: str, item: Declaration) -> str:
    """Return the full name of what users of the namespace see; its workings are left out."""
    owner = item.owner.removeprefix(namespace).removeprefix("::")
    if item.name.startswith("_") or owner.startswith(("_", "detail", "experimental")):
        return ""
    nested = bool(owner) and item.kind != "enumerator"
    if nested or item.kind not in ("function", "type", "enumerator"):
        return ""
    return f"{namespace}::{item.name}"


def _merge(inventory: Inventory, name: str, place: _Place, item: Declaration) -> None:
    library = place.library
    entry = inventory.names.get(name)
    if entry is None:
        entry = CudaName(name, library.name, item.kind, place.header, item.owner)
        inventory.names[name] = entry
    elif _better(item, library, entry):
        entry.kind, entry.library, entry.header = item.kind, library.name, place.header
        entry.owner = item.owner
    entry.toolkits.add(place.toolkit)
    if place.header not in library.other_calls:
        entry.arities.update(item.arities)


def _better(item: Declaration, library: Library, entry: CudaName) -> bool:
    """Tell whether a declaration says more than the one an entry has.

    A name that two device libraries overload belongs to the first of them.
    """
    ranks = _rank(item.kind), _rank(entry.kind)
    both = {library.name, entry.library} <= set(_OVERLOADED)
    earlier = both and _OVERLOADED.index(library.name) < _OVERLOADED.index(entry.library)
    return ranks[0] < ranks[1] or (ranks[0] == ranks[1] and earlier)


def _rank(kind: str) -> int:
    return _KIND_ORDER.index(kind) if kind in _KIND_ORDER else len(_KIND_ORDER)


def _add_namespaces(inventory: Inventory, library: Library, text: str) -> None:
    for match in _NAMESPACE.finditer(text):
        inventory.namespaces.setdefault(match.group(1), library.name)
