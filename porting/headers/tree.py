"""Headers of a tree on disk: made from its files, or checked against those it has."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from porting.config import Target
from porting.diagnostics import Code, Diagnostic, Severity, by_place
from porting.errors import InputError, reason
from porting.generated import FOLDER, generated_patterns
from porting.headers import rust
from porting.headers.check import check_forwarding, check_header
from porting.headers.generate import HEADER, Headers, make_headers, units_of
from porting.mapping import Names
from porting.patterns import PathPatterns
from porting.rules import Project, Unit, collect_project
from porting.rules.api.fields import check_fields
from porting.rules.names import UNSUPPORTED
from porting.settings import Settings
from porting.source import SourceFile
from porting.tree import Tree, read_tree

_NO_COUNTERPART: Code = replace(UNSUPPORTED, severity=Severity.WARNING)


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


def tree_headers(source: Path, target: Target, settings: Settings) -> TreeHeaders:
    """Return what the tree's C, C++, CUDA and Rust files need.  Raises InputError."""
    read = _read(source, target, settings)
    made = _made(read, target)
    shim = rust.generate(read.crates, target, read.names)
    files = {**(made.files if made.uses.names else {}), **shim.files}
    return TreeHeaders(files, tuple(by_place([*_missing(made), *shim.diagnostics])))


def check_tree(
    source: Path, target: Target, settings: Settings, header: Path | None
) -> tuple[Diagnostic, ...]:
    """Return what the headers that the tree has lack.  Raises InputError when it has none.

    `header`: the C header when it is not in its usual place.
    """
    read = _read(source, target, settings)
    made = _made(read, target)
    found: list[Diagnostic] = []
    if made.uses.names or header is not None:
        path = header or source / HEADER
        shown = HEADER if header is None else str(header)
        found += check_header(_text(path), shown, made, read.names)
        found += check_forwarding(_forwarding(path.parent), made)
    if rust.generate(read.crates, target, read.names).files:
        found += rust.check(read.crates, _existing(source), target, read.names)
    return tuple(by_place(found))


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


def _missing(made: Headers) -> Iterator[Diagnostic]:
    """Yield a warning where a name is first used that no header can provide."""
    for item in made.missing:
        place = made.uses.place(item.name)
        if place is not None:
            yield _NO_COUNTERPART.at(
                place.file,
                f"no HIP name for {item.name}: {item.reason}",
                item.help,
                line=place.line,
                column=place.column,
                symbol=item.name,
            )


def _text(path: Path) -> str:
    try:
        return path.read_bytes().decode("latin-1")
    except OSError as error:
        raise InputError(
            f"{path} cannot be read: {reason(error)}; "
            "make it with `porting headers`, or name another by --header"
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
        path.relative_to(source).as_posix(): path.read_text(encoding="utf-8", errors="replace")
        for path in sorted((source / FOLDER).glob("*.rs"))
        if path.is_file()
    }
