"""Headers of a tree on disk: made from its files, or checked against those it has."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from porting.config import Target
from porting.diagnostics import Diagnostic, by_place
from porting.errors import InputError, reason
from porting.generated import generated_patterns
from porting.headers import rust
from porting.headers.check import check_forwarding, check_header
from porting.headers.generate import HEADER, INCLUDE, Headers, make_headers, units_of
from porting.headers.without import Porter, names_without
from porting.mapping import Names
from porting.patterns import PathPatterns
from porting.rules import Project, Unit, collect_project
from porting.rules.api.fields import check_fields
from porting.settings import Settings
from porting.source import SourceFile
from porting.tree import Tree, read_tree

_RUST = (rust.MODULE, rust.SYMBOLS, rust.BUILD)


@dataclass(frozen=True)
class TreeHeaders:
    """The files for a tree, by path below its root, and the names that they cannot provide."""

    files: Mapping[str, str]
    findings: tuple[Diagnostic, ...]

    @property
    def header(self) -> str:
        """The C header, or the Rust module of a tree without C."""
        return self.files.get(HEADER) or "".join(self.files.values())


@dataclass(frozen=True)
class _Read:
    """A tree, ready to be asked."""

    tree: Tree
    names: Names
    project: Project
    units: tuple[Unit, ...]
    crates: tuple[SourceFile, ...]


def tree_headers(source: Path, target: Target, settings: Settings, port: Porter) -> TreeHeaders:
    """Return what the tree's C, C++, CUDA and Rust files need.  Raises InputError.

    `port`: what a port finds in a file, asked for names that no header can provide.
    """
    read = _read(source, target, settings)
    made = _made(read, target)
    shim = rust.generate(read.crates, target, read.names)
    files = {**(made.files if made.uses.names else {}), **shim.files}
    without = names_without(made, read.units, read.names, port)
    return TreeHeaders(files, tuple(by_place([*without, *shim.diagnostics])))


@dataclass(frozen=True)
class TreeCheck:
    """What the generated files of a tree lack, and which of them were read to tell.

    `checked`: paths below the root.  `absent`: the C header, where the tree would need one and has
    only Rust files, as a renamed tree does.
    """

    findings: tuple[Diagnostic, ...]
    checked: tuple[str, ...]
    absent: str = ""

    @property
    def summary(self) -> str:
        """Say in a line what was compared with the tree's sources, and what was not."""
        if not self.checked:
            return "nothing to check: no source of the tree needs a generated file"
        text = f"checked: {', '.join(self.checked)}"
        if self.absent:
            text += f"; not checked: C, C++ and CUDA sources, as {self.absent} is not there"
        return text


def check_tree(
    source: Path, target: Target, settings: Settings, header: Path | None, port: Porter
) -> TreeCheck:
    """Return what the headers that the tree has lack.  Raises InputError when it has none.

    `header`: the C header when it is not in its usual place.  `port`: see `tree_headers`.
    """
    read = _read(source, target, settings)
    made = _made(read, target)
    rust_files = _existing(source)
    found: list[Diagnostic] = []
    checked: list[str] = []
    absent = ""
    if made.uses.names or header is not None:
        path = header or source / HEADER
        forwarding = _forwarding(path.parent)
        if header is None and rust_files and not forwarding and not path.exists():
            absent = HEADER
        else:
            shown = HEADER if header is None else str(header)
            text = "" if header is None and forwarding and not path.exists() else _text(path)
            found += check_header(text, shown, made, read.names)
            found += check_forwarding(forwarding, made)
            found += names_without(made, read.units, read.names, port)
            checked += [shown, *(f"{INCLUDE}/{name}" for name in sorted(forwarding))]
    needed = rust.generate(read.crates, target, read.names).files
    if needed and not rust_files and not checked:
        raise _nothing_there(", ".join(needed))
    if needed:
        found += rust.check(read.crates, rust_files, target, read.names)
        checked += rust_files
    return TreeCheck(tuple(by_place(found)), tuple(checked), absent)


def _read(source: Path, target: Target, settings: Settings) -> _Read:
    verbatim = PathPatterns((*settings.verbatim, *generated_patterns(source)))
    tree = read_tree(source, PathPatterns(settings.exclude), verbatim)
    names = Names.load(target.rocm)
    project = collect_project(tree.sources, tree.paths)
    macros = (*project.platform_macros, *settings.platform_macros)
    project = replace(project, platform_macros=macros, defines=settings.defines)
    units = tuple(units_of(tree.sources, target, names, project))
    crates = () if tree.single else rust.rust_sources(tree)
    return _Read(tree, names, project, units, crates)


def _made(read: _Read, target: Target) -> Headers:
    members = [found for unit in read.units for found in check_fields(unit)]
    return make_headers(read.units, target, read.names, read.project, members)


def _nothing_there(files: str) -> InputError:
    return InputError(
        f"the tree's crates need {files}, and none of them is there; "
        "make them with `porting headers TREE -o TREE`"
    )


def _text(path: Path) -> str:
    try:
        return path.read_bytes().decode("latin-1")
    except OSError as error:
        raise InputError(
            f"{path} cannot be read: {reason(error)}; "
            "make it with `porting headers TREE -o TREE`, or name another by --header"
        ) from error


def _forwarding(folder: Path) -> dict[str, str]:
    """Return the headers beside a compat header that stand for CUDA's: name -> text."""
    include = folder / "include"
    return {
        path.relative_to(include).as_posix(): _text(path)
        for path in include.rglob("*")
        if path.is_file()
    }


def _existing(source: Path) -> dict[str, str]:
    """Return the generated Rust files that a tree has, by path below its root."""
    return {
        path: (source / path).read_text(encoding="utf-8", errors="replace")
        for path in sorted(_RUST)
        if (source / path).is_file()
    }
