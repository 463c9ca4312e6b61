"""Which CUDA names a tree uses in live code, and where first."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from porting.headers.parts import part_names
from porting.mapping import Names
from porting.rules import Unit
from porting.rules.cooperative.provided import PARTITION
from porting.rules.pasting import Paste
from porting.rules.strings.codes import SYMBOL
from porting.rules.strings.sonames import LIBRARY_NAME
from porting.rules.strings.symbols import check_symbols
from porting.rules.torch_headers import rocm_header
from porting.syntax import call_at, declares, match_angle

# Compiler and platform names that no table of a library has.
PLATFORM: Final = frozenset(("__CUDACC__", "__grid_constant__", "__cluster_dims__", "__maxnreg__"))
# Names of namespaces that headers define, and that nothing else is called.
_INNER: Final = frozenset((PARTITION,))
_COMPILER: Final = "__CUDACC__"
_TAG_WORDS: Final = frozenset(("struct", "enum", "union", "class"))
# Looked up by name themselves, these find others by name.
FINDERS: Final = ("cuGetProcAddress", "cuGetProcAddress_v2")
# Functions that find others by name.
ENTRY_POINTS: Final = (
    *FINDERS,
    *("cudaGetDriverEntryPoint", "cudaGetDriverEntryPointByVersion"),
)
_LOOK_UPS: Final = frozenset(("dlopen", "dlsym", *ENTRY_POINTS))
_PACKS: Final = frozenset(("__VA_ARGS__", "..."))
_CUB_WARPS: Final = ("WarpReduce", "WarpScan")


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """Where a name is used, as people count."""

    file: str
    line: int
    column: int


@dataclass(frozen=True)
class Use:
    """A name and how the tree uses it.

    `place`: the first, in the order of files and lines.  `counts`: the numbers of arguments it is
    called with.  `is_value`: it is also named without being called, so its address or its spelling
    may be taken.  `is_tag`: it also stands behind struct, enum or union.
    """

    name: str
    place: Place
    counts: frozenset[int] = frozenset()
    is_value: bool = False
    is_tag: bool = False


@dataclass(frozen=True)
class Uses:
    """What the compat header of a tree must provide.

    `headers`: CUDA headers by the path in the #include.  `namespaces`: C++ namespaces by their
    path, such as `cub`.  `libraries`: file names of CUDA libraries in strings.  `symbols`: function
    names that are strings of their own.  `look_ups`: functions that find others by name, like
    dlsym.  `cub_warps`: warp primitives of CUB.  All map to the first place.
    """

    names: Mapping[str, Use] = field(default_factory=dict)
    headers: Mapping[str, Place] = field(default_factory=dict)
    namespaces: Mapping[str, Place] = field(default_factory=dict)
    libraries: Mapping[str, Place] = field(default_factory=dict)
    symbols: Mapping[str, Place] = field(default_factory=dict)
    look_ups: Mapping[str, Place] = field(default_factory=dict)
    cub_warps: Mapping[str, Place] = field(default_factory=dict)

    def place(self, name: str) -> Place | None:
        """Return where a name is first used, whatever it is."""
        if name in self.names:
            return self.names[name].place
        for found in (self.headers, self.namespaces, self.libraries, self.symbols, self.look_ups):
            if name in found:
                return found[name]
        return None


@dataclass
class _Building:
    """What is known of one name so far."""

    place: Place
    counts: set[int] = field(default_factory=set)
    is_value: bool = False
    is_tag: bool = False


class _Gathering:
    """Uses in the order in which units are read."""

    def __init__(self, names: Names) -> None:
        self.table = names
        self._own = PLATFORM | _INNER | part_names()
        # Ordinary words among them may be the tree's: then the header must not have them.
        self._words = frozenset(name for name in part_names() if not name.startswith("__"))
        self.trees: set[str] = set()
        self.names: dict[str, _Building] = {}
        self.headers: dict[str, Place] = {}
        self.namespaces: dict[str, Place] = {}
        self.libraries: dict[str, Place] = {}
        self.symbols: dict[str, Place] = {}
        self.look_ups: dict[str, Place] = {}
        self.cub_warps: dict[str, Place] = {}
        self.tells_compilers_apart = False

    def read(self, unit: Unit) -> None:
        """Add what one file uses."""
        for text, numbers in unit.index.items():
            if text in _LOOK_UPS:
                self.look_ups.setdefault(text, _place(unit, numbers[0]))
            if self.table.get(text) is not None or text in self._own:
                self._name(unit, text, numbers)
            elif self.table.namespace(text) is not None:
                self._namespace(unit, text, numbers)
        asked = len(list(unit.lexed.tokens.find(_COMPILER)))
        self.tells_compilers_apart |= asked > len(unit.where(_COMPILER))
        if unit.where("cub"):
            for text in _CUB_WARPS:
                if unit.where(text):
                    self.cub_warps.setdefault(text, _place(unit, unit.where(text)[0]))
        self._headers(unit)
        self._strings(unit)

    def joined(self, paste: Paste, units: Sequence[Unit]) -> None:
        """Add the names that one joint of a macro makes, at the place of the macro."""
        place = _definition(units, paste.macro.name)
        for whole in paste.by_name:
            name = re.match(r"\w*", whole)
            text = name[0] if name else ""
            if place is None or self.table.get(text) is None:
                continue
            if paste.joint.is_string:
                self.symbols.setdefault(text, place)
            else:
                self.names.setdefault(text, _Building(place)).is_value = True

    def _name(self, unit: Unit, text: str, numbers: Sequence[int]) -> None:
        if text in self._words and any(declares(unit.lexed, number) for number in numbers):
            self.trees.add(text)
        used = self.names.setdefault(text, _Building(_place(unit, numbers[0])))
        for number in numbers:
            before = unit.tokens[number - 1].text if number else ""
            used.is_tag = used.is_tag or before in _TAG_WORDS
            count = _count(unit, number)
            if count is None:
                used.is_value = True
            else:
                used.counts.add(count)

    def _namespace(self, unit: Unit, text: str, numbers: Sequence[int]) -> None:
        tokens = unit.tokens
        for number in numbers:
            before = [token.text for token in tokens[max(number - 2, 0) : number]]
            after = tokens[number + 1].text if number + 1 < len(tokens) else ""
            if after == "::" or before == ["using", "namespace"]:
                path = text
                inner = f"{text}::{tokens[number + 2].text}" if after == "::" else ""
                if inner and self.table.namespace(inner) is not None:
                    path = inner
                if before[-1:] != ["::"]:
                    self.namespaces.setdefault(path, _place(unit, number))

    def _headers(self, unit: Unit) -> None:
        for header in unit.headers:
            beside = header.quoted and unit.project.beside(unit.source.path, header.path)
            known = self.table.header(header.path) is not None or rocm_header(header.path)
            if not beside and known:
                position = unit.source.position(header.start)
                self.headers.setdefault(header.path, Place(unit.source.path, *position))

    def _strings(self, unit: Unit) -> None:
        for number in unit.strings:
            token = unit.tokens[number]
            for match in LIBRARY_NAME.finditer(unit.source.text, token.start, token.end):
                if match["linux"] and "%" not in match["version"]:
                    self.libraries.setdefault(match[0].rstrip("."), _place(unit, number))
        for finding in check_symbols(unit):
            if finding.code == SYMBOL.code or finding.symbol in FINDERS:
                place = Place(finding.file, finding.line, finding.column)
                self.symbols.setdefault(finding.symbol, place)


def uses_of(units: Iterable[Unit], pastes: Iterable[Paste], names: Names) -> Uses:
    """Return what CUDA names some files use, in branches that every platform compiles.

    The files are read in the order of their paths, so the same tree gives the same answer.
    """
    ordered = sorted(units, key=lambda unit: unit.source.path)
    found = _Gathering(names)
    for unit in ordered:
        found.read(unit)
    for paste in pastes:
        found.joined(paste, ordered)
    if found.tells_compilers_apart:
        # Conditions for both vendors ask for it: defined for HIP, it would choose CUDA's branch.
        found.names.pop(_COMPILER, None)
    return Uses(
        {
            name: Use(name, used.place, frozenset(used.counts), used.is_value, used.is_tag)
            for name, used in sorted(found.names.items())
            if name not in found.trees
        },
        *(
            dict(sorted(part.items()))
            for part in (
                found.headers,
                found.namespaces,
                found.libraries,
                found.symbols,
                found.look_ups,
                found.cub_warps,
            )
        ),
    )


def _place(unit: Unit, number: int) -> Place:
    position = unit.source.position(unit.tokens[number].start)
    return Place(unit.source.path, position.line, position.column)


def _count(unit: Unit, number: int) -> int | None:
    """Return the number of arguments of a call, None for what is none or does not show it."""
    tokens = unit.tokens
    at = number
    if tokens[at + 1].text == "<":
        at = match_angle(tokens, at + 1) or at
    if tokens[at + 1].text != "(" or tokens[at + 1].directive != tokens[number].directive:
        return None
    call = call_at(tokens, number)
    if call is None:
        return None
    for argument in call.arguments:
        if any(t.text in _PACKS for t in tokens[argument.first : argument.last]):
            return None
    return len(call.arguments)


def _definition(units: Iterable[Unit], macro: str) -> Place | None:
    """Return where a macro is defined in live code."""
    for unit in units:
        for number in unit.where(macro):
            token = unit.tokens[number]
            if token.directive < 0:
                continue
            directive = unit.lexed.directives[token.directive]
            if directive.name == "define" and directive.first == number:
                return _place(unit, number)
    return None
