"""What one process would load: the libraries its files need, and theirs, found as ld.so does."""

from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from porting.elf import Binary, ElfError, ElfFile
from porting.link.loader import Search, candidates

_GPU_HOST: Final = "x86-64"
Read = Callable[[Path], Binary]


@dataclass(frozen=True, slots=True)
class Loaded:
    """One file of a process: `asked` is the name that brought it in, by the file `by`."""

    path: Path
    file: ElfFile
    asked: str
    by: str


@dataclass(frozen=True, slots=True)
class Missing:
    """A needed name that was not found."""

    name: str
    by: str


@dataclass
class Reach:
    """The files of a process in the order in which they are loaded; the first ones were named.

    `others`: (name, path it would be found at, by whom) where another copy was loaded before.
    """

    loaded: list[Loaded] = field(default_factory=list)
    missing: list[Missing] = field(default_factory=list)
    others: list[tuple[str, Path, str]] = field(default_factory=list)

    def defines(self, symbol: str) -> bool:
        """Whether a file of the process defines a symbol."""
        return any(symbol in item.file.defined for item in self.loaded)


@dataclass(frozen=True, slots=True)
class _Turn:
    """A file whose needed libraries are to be found; `rpaths` hold for it and what it loads."""

    item: Loaded
    rpaths: tuple[tuple[str, Path], ...]


def reach(roots: Iterable[tuple[Path, ElfFile]], search: Search, read: Read) -> Reach:
    """Return what a process loads that loads these files, in this order, breadth first."""
    walk = _Walk(search, read)
    for path, file in roots:
        walk.add(Loaded(path, file, file.soname or path.name, ""), ())
        walk.run()
    return walk.reach


class _Walk:
    """The state of a walk: what is loaded under which names, what is still to be looked at."""

    def __init__(self, search: Search, read: Read) -> None:
        self.reach = Reach()
        self._search = search
        self._read = read
        self._names: dict[str, Loaded] = {}
        self._files: dict[tuple[int, int], Loaded] = {}
        self._turns: deque[_Turn] = deque()

    def add(self, item: Loaded, inherited: tuple[tuple[str, Path], ...]) -> None:
        """Load a file unless it is there; the loader knows it by name, SONAME and inode."""
        info = item.path.stat()
        key = (info.st_dev, info.st_ino)
        known = self._files.setdefault(key, item)
        self._names.setdefault(item.asked, known)
        if known is not item:
            return
        if item.file.soname:
            self._names.setdefault(item.file.soname, item)
        self.reach.loaded.append(item)
        origin = item.path.absolute().parent
        own = tuple((folder, origin) for folder in item.file.rpath or ())
        self._turns.append(_Turn(item, (*own, *inherited)))

    def run(self) -> None:
        """Find what the loaded files need, and what that needs."""
        while self._turns:
            turn = self._turns.popleft()
            for name in turn.item.file.needed:
                self._need(turn, name)

    def _need(self, turn: _Turn, name: str) -> None:
        by = turn.item.file.name
        known = self._names.get(name)
        found = self._find(turn, name)
        if known is not None:
            if found and not found[0].samefile(known.path):
                self.reach.others.append((name, found[0], by))
            return
        if found is None:
            missing = Missing(name, by)
            if missing not in self.reach.missing:
                self.reach.missing.append(missing)
            return
        self.add(Loaded(*found, name, by), turn.rpaths)

    def _find(self, turn: _Turn, name: str) -> tuple[Path, ElfFile] | None:
        """Return the first file of that name that the loader would take: 64-bit, same machine."""
        item = turn.item
        runpath = item.file.runpath
        rpaths = turn.rpaths if runpath is None else ()
        origin = item.path.absolute().parent
        for path in candidates(name, origin, self._search, rpaths, runpath or ()):
            if not path.is_file():
                continue
            try:
                binary = self._read(path)
            except ElfError:
                continue
            if not binary.is_archive and binary.members[0].machine == _GPU_HOST:
                return path, binary.members[0]
        return None
