"""What each CUDA name becomes in a given ROCm release: the generated tables, looked up lazily."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib import resources
from types import MappingProxyType

from porting.errors import MappingError

_OTHERS = ("headers", "namespaces", "private", "releases")


class Status(StrEnum):
    """What a CUDA name turns into in the target release."""

    MAPPED = "mapped"
    UNCHANGED = "unchanged"
    UNSUPPORTED = "unsupported"


class Action(StrEnum):
    """What besides, or instead of, a new spelling the name needs.

    SYMBOL: the argument that names a device variable must be wrapped in HIP_SYMBOL.
    CAST: an integer handle or argument becomes a pointer (or the other way round).
    ARGUMENTS: the argument list differs, or the right function depends on its length.
    """

    NONE = "none"
    RENAME = "rename"
    SYMBOL = "symbol"
    CAST = "cast"
    ARGUMENTS = "arguments"
    HEADER = "header"
    NAMESPACE = "namespace"


@dataclass(frozen=True, slots=True)
class Name:
    """One CUDA name resolved for one ROCm release.

    kind: function, type, enumerator, macro, variable, field, intrinsic, header or namespace.
    since, until: first and last release that has the target; until is None while the newest has.
    cite: the header or stub that declares the target, or the ones searched in vain.
    """

    name: str
    library: str
    kind: str
    status: Status
    target: str | None
    action: Action
    reason: str
    help: str
    since: str | None
    until: str | None
    cite: str
    declared: str


@dataclass(frozen=True, slots=True)
class Release:
    """One ROCm release of the tables; `level`: headers (compiles) or stubs (names)."""

    name: str
    level: str
    sources: str


@dataclass(frozen=True, slots=True)
class _Table:
    """One file: its shared texts and its unparsed lines."""

    library: str
    texts: Mapping[str, str]


class Names:
    """The tables as one ROCm release sees them.  Lines are parsed when they are first asked for."""

    def __init__(self, release: str) -> None:
        self.release = release
        self._order = {name: number for number, name in enumerate(_tables().releases)}
        self._position = self._order[release]
        self._identifiers: dict[str, Name | None] = {}
        self._headers: dict[str, Name | None] = {}
        self._namespaces: dict[str, Name | None] = {}

    @classmethod
    def load(cls, rocm: str) -> "Names":
        """Return the names of a release.

        A release between two known ones has the names of the older one.  Raises MappingError for
        a release older than the oldest, and for text that is no release.
        """
        return cls(_nearest(rocm, tuple(_tables().releases)))

    def get(self, name: str) -> Name | None:
        """Return what becomes of an identifier, or None when no CUDA header declares it.

        Members of structs are looked up as `Struct::member`, names in `cooperative_groups` and
        `nvcuda` with their namespace.
        """
        found = self._identifiers.get(name)
        if found is None and name in (lines := _tables().identifiers):
            found = self._identifiers[name] = self._resolve(*lines[name])
        return found

    def among(self, words: Iterable[str]) -> dict[str, Name]:
        """Return those of many identifiers that CUDA headers declare, and what they become."""
        known = filter(_tables().identifiers.__contains__, words)
        return {word: name for word in known if (name := self.get(word)) is not None}

    def private(self, name: str) -> Name | None:
        """Return the record of a name that only CUDA's own headers mean, or None.

        Such a name says nothing about a user's code: `get` does not know it.
        """
        line = _private().get(name)
        return self._resolve(*line) if line else None

    def header(self, path: str) -> Name | None:
        """Return what becomes of `#include <path>`, or None when it is no CUDA header."""
        if path not in self._headers:
            line = _tables().headers.get(path)
            self._headers[path] = self._resolve(*line) if line else None
        return self._headers[path]

    def namespace(self, path: str) -> Name | None:
        """Return what becomes of a C++ namespace such as `cub` or `thrust::cuda`."""
        if path not in self._namespaces:
            line = _tables().namespaces.get(path)
            self._namespaces[path] = self._resolve(*line) if line else None
        return self._namespaces[path]

    def libraries(self) -> tuple[str, ...]:
        """Return the CUDA libraries that have a table."""
        return _tables().libraries

    def releases(self) -> tuple[str, ...]:
        """Return the known ROCm releases, oldest first."""
        return tuple(_tables().releases)

    def __iter__(self) -> Iterator[Name]:
        """Resolve every identifier, library by library, in the order of the tables."""
        for name, line in _tables().identifiers.items():
            yield self.get(name) or self._resolve(*line)

    def counts(self) -> dict[str, Counter[Status]]:
        """Return, per library, how many identifiers are mapped, unchanged and unsupported."""
        found: dict[str, Counter[Status]] = {}
        for name in self:
            found.setdefault(name.library, Counter())[name.status] += 1
        return found

    def _resolve(self, table: _Table, line: str) -> Name:
        name, kind, declared, target, action, first, last, note, cite, *more = line.split("\t")
        reason, _, advice = table.texts.get(note, "\t").partition("\t")
        wanted = name if target == "=" else target
        status = _status(name, kind, wanted)
        if wanted:
            shown = f"the counterpart of {name}" if kind in ("header", "namespace") else wanted
            missing = self._missing(shown, first, last)
            status, reason = (Status.UNSUPPORTED, missing) if missing else (status, reason)
        supported = status is not Status.UNSUPPORTED
        return Name(
            name,
            table.library or more[0],
            kind,
            status,
            wanted if supported else None,
            Action(action or "none") if supported else Action.NONE,
            reason,
            advice,
            first or None,
            last or None,
            table.texts.get(cite, ""),
            table.texts.get(declared, ""),
        )

    def _missing(self, target: str, first: str, last: str) -> str:
        """Say why the target release lacks a HIP name, or return an empty string."""
        if self._order[first] > self._position:
            return f"{target} exists from ROCm {first}; the target is {self.release}"
        if last and self._order[last] < self._position:
            return f"{target} exists up to ROCm {last}; the target is {self.release}"
        return ""


def _status(name: str, kind: str, target: str) -> Status:
    """Return the status in the releases that have the target; a member is compared by itself."""
    if not target:
        return Status.UNSUPPORTED
    same = target == name
    if kind == "field":
        same = target.partition("::")[2] == name.partition("::")[2]
    return Status.UNCHANGED if same else Status.MAPPED


@dataclass(frozen=True, slots=True)
class _Tables:
    """All files, read once per process."""

    releases: Mapping[str, Release]
    libraries: tuple[str, ...]
    identifiers: Mapping[str, tuple[_Table, str]]
    headers: Mapping[str, tuple[_Table, str]]
    namespaces: Mapping[str, tuple[_Table, str]]


def releases() -> tuple[Release, ...]:
    """Return the ROCm releases that the tables know, oldest first."""
    return tuple(_tables().releases.values())


def is_function(name: str) -> bool:
    """Whether a CUDA header declares a function of this name, whatever a release has for it."""
    found = _tables().identifiers.get(name)
    return found is not None and found[1].split("\t", 2)[1] == "function"


@cache
def _tables() -> _Tables:
    folder = resources.files("porting") / "mappings"
    files = {item.name.removesuffix(".tsv"): item for item in folder.iterdir()}
    if not set(_OTHERS) <= set(files):
        raise MappingError(
            f"the name tables are missing from {folder}; the installation is incomplete, "
            "so install eclosion again"
        )
    texts = {
        name: item.read_text(encoding="utf-8")
        for name, item in files.items()
        if item.name.endswith(".tsv") and name != "private"
    }
    identifiers: dict[str, tuple[_Table, str]] = {}
    libraries = tuple(sorted(set(texts) - set(_OTHERS)))
    for library in libraries:
        identifiers.update(_lines(texts[library], library))
    return _Tables(
        MappingProxyType(_releases(texts["releases"])),
        libraries,
        MappingProxyType(identifiers),
        MappingProxyType(_lines(texts["headers"], "")),
        MappingProxyType(_lines(texts["namespaces"], "")),
    )


@cache
def _private() -> Mapping[str, tuple[_Table, str]]:
    """Return the names that only CUDA's headers mean; read when first asked for."""
    path = resources.files("porting") / "mappings" / "private.tsv"
    return MappingProxyType(_lines(path.read_text(encoding="utf-8"), ""))


def _lines(text: str, library: str) -> dict[str, tuple[_Table, str]]:
    """Split one file into name -> (its table, the unparsed line)."""
    head, _, body = text.partition("\n\n")
    texts = dict(line[1:].split("\t", 1) for line in head.split("\n") if "\t" in line)
    table = _Table(library, texts)
    return {line[: line.index("\t")]: (table, line) for line in body.split("\n") if line}


def _releases(text: str) -> dict[str, Release]:
    rows = [line.split("\t") for line in text.partition("\n\n")[2].split("\n") if line]
    return {row[0]: Release(*row) for row in rows}


def _nearest(rocm: str, known: tuple[str, ...]) -> str:
    """Return the newest known release that is not newer than the one asked for."""
    listed = ", ".join(known)
    if not re.fullmatch(r"\d+\.\d+(\.\d+)?", rocm):
        raise MappingError(f"{rocm!r} is no ROCm release; the tables know {listed}")
    older = [name for name in known if _version(name) <= _version(rocm)]
    if not older:
        raise MappingError(
            f"ROCm {rocm} is older than the tables reach; they know {listed}, so name one of them"
        )
    return older[-1]


def _version(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split("."))[:2]
