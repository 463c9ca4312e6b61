"""Crates of a tree that depend on one that links CUDA: their programs need its run path too.

Cargo hands a build script's arguments for the linker to that package alone, so each crate that
depends on the package gets them from a build script of its own.
"""

import posixpath
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from porting.buildfiles.cargo.generate import NAME
from porting.buildfiles.cargo.script import Script
from porting.buildfiles.cargo.work import ROCM_HOME, include_text
from porting.buildfiles.model import BuildContext, rewritten
from porting.config import Mode
from porting.edits import Edit
from porting.generated import FOLDER
from porting.hipify import Hipified
from porting.rules.strings.machine import ROCM_VARIABLE
from porting.source import SourceFile

MANIFEST = "Cargo.toml"
SCRIPT = "build.rs"
_SECTIONS = ("dependencies", "dev-dependencies")
_BOTH = (
    "if let Some(folder) = gpu_build::run_path() {",
    '    println!("cargo:rustc-link-arg=-Wl,-rpath,{folder}");',
    "}",
)
_ROCM = (
    f"let rocm = {ROCM_HOME};",
    'println!("cargo:rustc-link-arg=-Wl,-rpath,{rocm}/lib");',
    f'println!("cargo:rerun-if-env-changed={ROCM_VARIABLE}");',
)


@dataclass(frozen=True)
class Dependents:
    """Build scripts of crates that depend on others, with run paths: changed ones and new ones.

    `without`: folders of crates whose build script is not theirs to be written.
    """

    changed: tuple[Hipified, ...] = ()
    generated: Mapping[str, str] | None = None
    without: tuple[str, ...] = ()


def manifests(files: Sequence[SourceFile]) -> dict[str, Mapping[str, Any]]:
    """Return folder -> content of each Cargo.toml; cargo says what is wrong with others."""
    found: dict[str, Mapping[str, Any]] = {}
    for source in files:
        if posixpath.basename(source.path) == MANIFEST:
            try:
                data = tomllib.loads(source.data.decode("utf-8"))
            except (UnicodeDecodeError, tomllib.TOMLDecodeError):
                continue
            found[posixpath.dirname(source.path)] = data
    return found


def dependents(crates: Mapping[str, Mapping[str, Any]], linking: frozenset[str]) -> frozenset[str]:
    """Return the folders of crates that depend on some that link, themselves or through others."""
    found: set[str] = set()
    todo = list(linking)
    while todo:
        wanted = todo.pop()
        for folder in crates.keys() - found - linking:
            if wanted in _paths(crates, folder):
                found.add(folder)
                todo.append(folder)
    return frozenset(found)


def _paths(crates: Mapping[str, Mapping[str, Any]], folder: str) -> Iterator[str]:
    """Yield the folders of the packages that a package names by their path."""
    data = crates[folder]
    tables = [data, *_table(data, "target").values()]
    for table in tables:
        for section in _SECTIONS:
            for name, given in _table(table, section).items():
                if isinstance(given, dict):
                    yield from _path(crates, folder, name, given)


def _path(
    crates: Mapping[str, Mapping[str, Any]], folder: str, name: str, given: Mapping[str, Any]
) -> Iterator[str]:
    if "path" in given:
        yield _joined(folder, str(given["path"]))
    elif given.get("workspace"):
        root = folder
        while "workspace" not in crates.get(root, {}) and root:
            root = posixpath.dirname(root)
        shared = _table(_table(crates.get(root, {}), "workspace"), "dependencies").get(name)
        if isinstance(shared, dict) and "path" in shared:
            yield _joined(root, str(shared["path"]))


def _joined(folder: str, path: str) -> str:
    joined = posixpath.normpath(posixpath.join(folder, path))
    return "" if joined == "." else joined


def _table(table: object, key: str) -> Mapping[str, Any]:
    found = table.get(key, {}) if isinstance(table, dict) else {}
    return found if isinstance(found, dict) else {}


def with_run_paths(
    folders: frozenset[str],
    crates: Mapping[str, Mapping[str, Any]],
    scripts: Mapping[str, Hipified],
    context: BuildContext,
) -> Dependents:
    """Return the build scripts of crates with the run path in them, made where there is none.

    `scripts`: those of the tree, converted.  One that was converted, or that nobody can read, is
    left to itself.
    """
    changed: list[Hipified] = []
    generated: dict[str, str] = {}
    without: list[str] = []
    for folder in sorted(folders):
        path = posixpath.join(folder, SCRIPT)
        own = _table(crates[folder], "package").get("build", SCRIPT)
        if "package" not in crates[folder]:
            continue
        if own is True or own == SCRIPT:
            if path not in context.paths:
                generated[path] = _new(path, context)
                continue
            done = _extended(scripts[path], context) if path in scripts else None
            if done is not None:
                changed.append(done)
                continue
        without.append(folder)
    return Dependents(tuple(changed), generated, tuple(without))


def _lines(context: BuildContext) -> tuple[str, ...]:
    return _BOTH if context.mode is Mode.COMPAT else _ROCM


def _includes(context: BuildContext) -> tuple[str, ...]:
    return (NAME,) if context.mode is Mode.COMPAT else ()


def _folder(path: str) -> str:
    return "../" * path.count("/") + FOLDER


def _new(path: str, context: BuildContext) -> str:
    """Return the text of a build script that does nothing else."""
    banner = context.banner([posixpath.join(posixpath.dirname(path), MANIFEST)], "//")
    about = "// Gives what this crate links the run path of a crate that it depends on.\n"
    body = "".join(f"    {line}\n" for line in _lines(context))
    end = include_text(_folder(path), _includes(context), "\n")
    return f"{banner}{about}fn main() {{\n{body}}}\n{end}"


def _extended(done: Hipified, context: BuildContext) -> Hipified | None:
    """Return a script that says nothing of CUDA with the run path, None where that is not clear."""
    source = done.source
    script = Script(source)
    brace = script.main_brace()
    if done.changed or done.diagnostics or script.fault is not None or brace < 0:
        return None
    at = script.tokens[brace].end
    lines = "".join(f"{source.newline}    {line}" for line in _lines(context))
    end = include_text(_folder(source.path), _includes(context), source.newline)
    gap = "" if source.text.endswith("\n") or not end else source.newline
    edits = [Edit(at, at, lines)]
    if end:
        edits.append(Edit(len(source.text), len(source.text), gap + end))
    return rewritten(source, edits)
