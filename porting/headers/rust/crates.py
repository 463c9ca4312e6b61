"""The Rust crates of a tree: their manifests, their sources, their build scripts."""

import posixpath
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from porting.generated import FOLDER
from porting.headers.rust.items import STRINGS, Items
from porting.headers.rust.lexer import Kind, Token, string_value, tokens
from porting.headers.rust.reader import read_items
from porting.source import SourceFile

MANIFEST = "Cargo.toml"
# What a source asks to know that it is compiled for ROCm: ported build scripts set it.
CFG = "gpu_rocm"
_MODULE = "rocm_compat"
_GENERATED = re.compile(rf"(?:.*/)?{FOLDER}/rocm_\w+\.rs")
_HIP_WORD = re.compile(rf"hip[A-Z]\w*|HIP_\w+|hip_sys|{_MODULE}")
_HIP_FEATURES = frozenset(("rocm", "hip", "amd"))


@dataclass(frozen=True)
class RustFile:
    """A Rust source: its code, and the items in it that speak to C."""

    source: SourceFile

    @property
    def path(self) -> str:
        """Where it is in the tree."""
        return self.source.path

    @cached_property
    def code(self) -> Sequence[Token]:
        """Its tokens, without comments and white space."""
        return tokens(self.source.text)

    @cached_property
    def items(self) -> Items:
        """Its items."""
        return read_items(self.source.text)


@dataclass(frozen=True)
class Crate:
    """A package; `root` is its folder, empty for the tree's own; `script` is its build script."""

    root: str
    manifest: Mapping[str, Any]
    files: tuple[RustFile, ...]
    script: RustFile | None

    @property
    def paths(self) -> tuple[str, ...]:
        """Its manifest and its sources, without the build script."""
        return (posixpath.join(self.root, MANIFEST), *(file.path for file in self.files))

    @property
    def name(self) -> str:
        """The package's name."""
        return str(self.package.get("name", posixpath.basename(self.root)))

    @property
    def package(self) -> Mapping[str, Any]:
        """The manifest's [package] table."""
        package = self.manifest.get("package", {})
        return package if isinstance(package, dict) else {}

    @property
    def edition(self) -> str:
        """The language edition: 2015 where none is stated."""
        stated = self.package.get("edition", "2015")
        return stated if isinstance(stated, str) else "2021"  # inherited from a workspace

    @property
    def features(self) -> frozenset[str]:
        """The features that the manifest declares, optional dependencies among them."""
        found = set(_table(self.manifest, "features"))
        tables = [self.manifest, *_table(self.manifest, "target").values()]
        for table in tables:
            for name, value in _table(table, "dependencies").items():
                if isinstance(value, dict) and value.get("optional"):
                    found.add(name)
        return frozenset(found)

    @property
    def dependencies(self) -> frozenset[str]:
        """The crates that the manifest names, as code spells them."""
        found: set[str] = set()
        for table in (self.manifest, *_table(self.manifest, "target").values()):
            for section in ("dependencies", "build-dependencies", "dev-dependencies"):
                found.update(name.replace("-", "_") for name in _table(table, section))
        return frozenset(found)

    @cached_property
    def takes_generated(self) -> bool:
        """Whether its sources name the generated files, or their module and have none like it."""
        if _MODULE in self.dependencies or any(map(_is_own_module, self.files)):
            return False
        return any(
            token.name == _MODULE
            if token.kind is Kind.IDENT
            else token.kind in STRINGS and _GENERATED.fullmatch(string_value(token))
            for file in self.files
            for token in file.code
        )

    @property
    def asks_for_rocm(self) -> bool:
        """Whether its sources have a branch for ROCm builds."""
        return any(token.name == CFG for file in self.files for token in file.code)

    @cached_property
    def is_ported(self) -> bool:
        """Whether the crate speaks HIP already, otherwise than through the generated files."""
        if self.takes_generated:
            return False
        return bool(self.features & _HIP_FEATURES) or any(
            token.kind is Kind.IDENT and _HIP_WORD.fullmatch(token.name)
            for file in self.files
            for token in file.code
        )


def _is_own_module(file: RustFile) -> bool:
    """Whether a file is a module of the name of the generated one, or holds such a module."""
    words = [token.text for token in file.code]
    return file.path.endswith((f"/{_MODULE}.rs", f"/{_MODULE}/mod.rs")) or any(
        words[at : at + 3] == ["mod", _MODULE, "{"] for at in range(len(words) - 2)
    )


def _table(table: object, key: str) -> Mapping[str, Any]:
    found = table.get(key, {}) if isinstance(table, dict) else {}
    return found if isinstance(found, dict) else {}


def crates(sources: Sequence[SourceFile]) -> tuple[Crate, ...]:
    """Return the packages among the sources (manifests and Rust files), sorted by folder."""
    manifests = _manifests(sources)
    files: dict[str, list[RustFile]] = {root: [] for root in manifests}
    for source in sorted(sources, key=lambda s: s.path):
        root = _owner(source.path, manifests) if source.suffix == ".rs" else None
        if root is not None:
            files[root].append(RustFile(source))
    return tuple(_crate(root, manifests[root], files[root]) for root in sorted(manifests))


def _manifests(sources: Sequence[SourceFile]) -> dict[str, Mapping[str, Any]]:
    found: dict[str, Mapping[str, Any]] = {}
    for source in sources:
        if posixpath.basename(source.path) != MANIFEST:
            continue
        try:
            data = tomllib.loads(source.data.decode("utf-8"))
        except (UnicodeDecodeError, tomllib.TOMLDecodeError):
            continue  # cargo says what is wrong with it
        if "package" in data:
            found[posixpath.dirname(source.path)] = data
    return found


def _owner(path: str, manifests: Mapping[str, object]) -> str | None:
    """Return the folder of the package that a file belongs to: the nearest above it."""
    folder = posixpath.dirname(path)
    while folder not in manifests:
        if not folder:
            return None
        folder = posixpath.dirname(folder)
    return folder


def _crate(root: str, manifest: Mapping[str, Any], files: Sequence[RustFile]) -> Crate:
    stated = _table(manifest, "package").get("build", "build.rs")
    path = posixpath.normpath(posixpath.join(root, str(stated)))
    script = next((f for f in files if f.path == path), None)
    return Crate(root, manifest, tuple(f for f in files if f is not script), script)
