"""Read an input tree: what is in it, in one fixed order, without following links out of it."""

import os
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

from porting.errors import InputError, reason
from porting.patterns import PathPatterns
from porting.source import C_SUFFIXES, SourceFile

# Folders of version control; `.git` is a file in a submodule or a linked work tree.
VCS_NAMES = frozenset((".git", ".hg", ".svn", ".bzr", ".jj", ".sl", "CVS", "_darcs"))
# What a port leaves in its output (see porting.output.manifest); it is no part of a tree.
MANIFEST_NAME = ".porting-manifest.json"
# CMake writes it into each folder that it builds in, and refuses one from elsewhere.
_BUILD_MARK = "CMakeCache.txt"


class Kind(StrEnum):
    """What an entry of a tree is."""

    SOURCE = "source"  # C, C++ or CUDA text by its suffix: to be ported
    FILE = "file"
    LINK = "link"
    FOLDER = "folder"
    SPECIAL = "special"  # a device, socket or pipe
    BUILD = "build"  # a folder in which CMake has built; what is in it is no part of the tree


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of a tree; `path` is relative and posix, `link` a symbolic link's text."""

    path: str
    kind: Kind
    mode: int
    link: str = ""


@dataclass(frozen=True)
class Tree:
    """An input: its entries sorted by path, and the bytes of its sources.

    `shown` is what people typed to name it; `root` holds the entries.  `single`: the input is one
    file, the only entry.
    """

    root: Path
    shown: str
    entries: tuple[Entry, ...]
    sources: tuple[SourceFile, ...]
    single: bool = False

    @property
    def paths(self) -> frozenset[str]:
        """Every file's path."""
        return frozenset(e.path for e in self.entries if e.kind in (Kind.SOURCE, Kind.FILE))

    def read_others(self, wanted: Callable[[str], bool], largest: int) -> tuple[SourceFile, ...]:
        """Read the text files beside the sources whose path is wanted, up to `largest` bytes.

        One that vanished since the tree was read is left out: the copying will say so.
        """
        paths = (e.path for e in self.entries if e.kind is Kind.FILE and wanted(e.path))
        read = ((path, _read_small(self.root / path, largest)) for path in paths)
        found = (SourceFile(path, data) for path, data in read if data is not None)
        return tuple(source for source in found if not source.is_binary)


def read_tree(
    source: Path, exclude: PathPatterns | None = None, verbatim: PathPatterns | None = None
) -> Tree:
    """Read a file or a folder.

    `exclude`: paths left out.  `verbatim`: paths that are files to copy, whatever their suffix.
    Raises InputError for what is missing or cannot be read, before anything is written.
    """
    info = stat_input(source)
    none = PathPatterns()
    if stat.S_ISDIR(info.st_mode):
        walk = _walk(source, exclude or none, verbatim or none)
        entries = tuple(sorted(walk, key=lambda e: e.path))
        root, shown, single = source, str(source), False
    elif stat.S_ISREG(info.st_mode):
        entries = (Entry(source.name, Kind.SOURCE, stat.S_IMODE(info.st_mode)),)
        root, shown, single = source.parent, str(source.parent), True
    else:
        raise InputError(f"{source} is no file and no folder; only those can be ported")
    sources = tuple(
        SourceFile(e.path, _read(root / e.path)) for e in entries if e.kind is Kind.SOURCE
    )
    _check_readable(root, entries)
    return Tree(root, shown, entries, sources, single)


def _read_small(path: Path, largest: int) -> bytes | None:
    try:
        return path.read_bytes() if path.stat().st_size <= largest else None
    except OSError:
        return None


def stat_input(source: Path) -> os.stat_result:
    """Return what the system says of an input; raise InputError when it cannot be had."""
    try:
        return source.stat()
    except FileNotFoundError as error:
        raise InputError(f"{source} does not exist; check the path") from error
    except OSError as error:
        raise _unreadable(source, error) from error


def _walk(root: Path, exclude: PathPatterns, verbatim: PathPatterns) -> Iterator[Entry]:
    """Yield the entries below `root`; links are entries, never followed."""
    todo = [""]
    while todo:
        under = todo.pop()
        for item in _scan(root / under):
            path = f"{under}/{item.name}" if under else item.name
            if item.name in VCS_NAMES or path == MANIFEST_NAME or exclude.match(path):
                continue
            entry = _entry(item, path, verbatim)
            # Path.is_file raises where nothing may be asked; the folder is told of when it is read.
            if entry.kind is Kind.FOLDER and os.path.isfile(root / path / _BUILD_MARK):  # noqa: PTH113
                entry = replace(entry, kind=Kind.BUILD)
            yield entry
            if entry.kind is Kind.FOLDER:
                todo.append(path)


def _scan(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as found:
            return list(found)
    except OSError as error:
        raise _unreadable(folder, error) from error


def _entry(item: os.DirEntry[str], path: str, verbatim: PathPatterns) -> Entry:
    try:
        mode = item.stat(follow_symlinks=False).st_mode
        link = os.readlink(item.path) if stat.S_ISLNK(mode) else ""  # noqa: PTH115 - keeps the text
    except OSError as error:
        raise _unreadable(Path(item.path), error) from error
    return Entry(path, _kind(mode, path, verbatim), stat.S_IMODE(mode), link)


def _kind(mode: int, path: str, verbatim: PathPatterns) -> Kind:
    if stat.S_ISLNK(mode):
        return Kind.LINK
    if stat.S_ISDIR(mode):
        return Kind.FOLDER
    if not stat.S_ISREG(mode):
        return Kind.SPECIAL
    is_source = os.path.splitext(path)[1].lower() in C_SUFFIXES and not verbatim.match(path)  # noqa: PTH122
    return Kind.SOURCE if is_source else Kind.FILE


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise _unreadable(path, error) from error


def _check_readable(root: Path, entries: tuple[Entry, ...]) -> None:
    """Find a file that cannot be copied now, not halfway through the copying."""
    for entry in entries:
        path = root / entry.path
        if entry.kind is Kind.FILE and not os.access(path, os.R_OK):
            raise InputError(_unreadable_text(path, "permission denied"))


def _unreadable(path: Path, error: OSError) -> InputError:
    return InputError(_unreadable_text(path, reason(error)))


def _unreadable_text(path: Path, why: str) -> str:
    return (
        f"{path} cannot be read: {why}; nothing was written; "
        "mend that, or exclude it in [tool.porting]"
    )
