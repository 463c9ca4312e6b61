"""Hand-written facts with their sources: exceptions, reasons, ways out (`curated/*.toml`)."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path


class CuratedError(Exception):
    """A curated file says something that the headers and stubs do not bear out."""


@dataclass(frozen=True, slots=True)
class Fact:
    """What is known by hand about one CUDA name or (pattern) a family of them.

    target: None when the fact does not speak of it, empty when HIP has no counterpart.
    """

    pattern: re.Pattern[str]
    library: str
    target: str | None
    action: str
    reason: str
    help: str
    source: str

    @property
    def exact(self) -> bool:
        """Tell whether the fact is about one name."""
        return re.escape(self.pattern.pattern) == self.pattern.pattern


@dataclass(frozen=True, slots=True)
class Declared:
    """HIP names of a header that no wheel carries, known from its published source."""

    file: str
    first: str
    last: str
    kind: str
    names: tuple[str, ...]
    source: str


@dataclass(frozen=True, slots=True)
class Lifetime:
    """First and last release of a HIP name, where the read files do not tell; None: no word."""

    first: str | None
    last: str | None
    source: str


@dataclass(slots=True)
class Curated:
    """All curated facts."""

    exact: dict[str, Fact] = field(default_factory=dict)
    patterns: list[Fact] = field(default_factory=list)
    defaults: dict[str, Fact] = field(default_factory=dict)
    declared: list[Declared] = field(default_factory=list)
    since: dict[str, Lifetime] = field(default_factory=dict)
    since_patterns: list[tuple[re.Pattern[str], Lifetime]] = field(default_factory=list)
    headers: list[dict[str, Any]] = field(default_factory=list)
    namespaces: list[dict[str, Any]] = field(default_factory=list)
    ignored: list[re.Pattern[str]] = field(default_factory=list)
    unset: set[str] = field(default_factory=set)

    def lifetime(self, target: str) -> Lifetime | None:
        """Return what is known about the releases that have a HIP name."""
        if target in self.since:
            return self.since[target]
        return next((life for text, life in self.since_patterns if text.fullmatch(target)), None)

    def fact(self, name: str, library: str) -> Fact | None:
        """Return what is known about a name: the exact fact, else the first pattern that fits."""
        if name in self.exact:
            return self.exact[name]
        for fact in self.patterns:
            if fact.library in ("", library) and fact.pattern.fullmatch(name):
                return fact
        return None


def load(folder: Path) -> Curated:
    """Read every curated file of a folder."""
    curated = Curated()
    for path in sorted(folder.glob("*.toml")):
        table = tomllib.loads(path.read_text(encoding="utf-8"))
        library = table.get("library", "")
        for row in table.get("name", ()):
            for name in row["names"] if "names" in row else [row["name"]]:
                if name in curated.exact:
                    raise CuratedError(f"{path.name}: {name} has a second fact; merge the two")
                curated.exact[name] = _fact(row, library, name)
        curated.patterns += [_fact(row, library, row["match"]) for row in table.get("pattern", ())]
        if "default" in table:
            curated.defaults[library] = _fact(table["default"], library, ".*")
        curated.declared += [_declared(row) for row in table.get("declares", ())]
        for row in table.get("since", ()):
            curated.since |= {name: _lifetime(row) for name in row.get("names", ())}
            curated.since_patterns += [
                (re.compile(text), _lifetime(row)) for text in row.get("match", ())
            ]
        curated.headers += table.get("header", ())
        curated.namespaces += table.get("namespace", ())
        curated.unset |= set(table.get("unset", ()))
        curated.ignored += [re.compile(text) for text in table.get("ignore", ())]
    return curated


def _fact(row: dict[str, Any], library: str, pattern: str) -> Fact:
    return Fact(
        re.compile(pattern),
        row.get("library", library),
        row.get("target"),
        row.get("action", ""),
        row.get("reason", ""),
        row.get("help", ""),
        row.get("source", ""),
    )


def _lifetime(row: dict[str, Any]) -> Lifetime:
    return Lifetime(row.get("first"), row.get("last"), row["source"])


def _declared(row: dict[str, Any]) -> Declared:
    return Declared(
        row["file"],
        row["first"],
        row.get("last", ""),
        row.get("kind", "function"),
        tuple(row["names"]),
        row["source"],
    )
