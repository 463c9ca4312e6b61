"""The files of a ported tree as a compiler sees them: units, languages, who includes whom."""

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path, PurePosixPath

from porting.source import C_SUFFIXES, CUDA_SUFFIXES
from porting.syntax import tokenize

_HIP_SUFFIXES = frozenset((".cu", ".hip"))
_CXX_SUFFIXES = frozenset((".cpp", ".cc", ".cxx", ".c++"))
_HEADER_SUFFIXES = frozenset((".cuh", ".hu", ".h", ".hh", ".hpp", ".hxx", ".h++"))
_INCLUDE = re.compile(r"""^[ \t]*#[ \t]*include[ \t]*([<"])([^>"\n]+)[>"]""", re.MULTILINE)
_DEVICE_CODE = re.compile(r"__global__|<<<")
_GPU = re.compile(r"\b(?:hip|rccl|nccl)[A-Z/]|__global__|__device__|<<<")


class Language(StrEnum):
    """What a unit is compiled as; the values are clang's for -x."""

    HIP = "hip"
    CXX = "c++"
    C = "c"


@dataclass(frozen=True)
class Unit:
    """A file that is compiled by itself; `path` is below the root, with forward slashes."""

    path: str
    language: Language


@dataclass(frozen=True)
class Include:
    """An include line as written."""

    path: str
    quoted: bool


@dataclass
class SourceTree:
    """A ported tree, or one file of it, read once.

    `root` is the folder that paths are below.  Nothing is followed out of it, and folders whose
    name begins with a dot are left out.
    """

    root: Path
    only: str = ""
    _text: dict[str, str] = field(default_factory=dict, repr=False)
    _files: list[str] = field(default_factory=list, repr=False)
    _by_name: dict[str, list[str]] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        """List the files; of a single one only its neighbours, which may be anybody's folder."""
        self._files = sorted(_walk(self.root, deep=not self.only))
        for path in self._files:
            self._by_name.setdefault(PurePosixPath(path).name, []).append(path)

    def units(self) -> list[Unit]:
        """Return what is to be compiled: every source, or the one file that was asked for."""
        if self.only:
            language = self._language(self.only) or self._header_language(self.only)
            return [Unit(self.only, language)]
        found = ((path, self._language(path)) for path in self._files)
        return [Unit(path, language) for path, language in found if language is not None]

    def lonely_headers(self, units: Iterable[Unit]) -> list[Unit]:
        """Return the headers with GPU code that no unit reaches, as units of their own."""
        reached: set[str] = set()
        for unit in units:
            reached.update(self.closure(unit.path))
        return [
            Unit(path, self._header_language(path))
            for path in self._files
            if PurePosixPath(path).suffix.lower() in _HEADER_SUFFIXES
            and path not in reached
            and _GPU.search(self.text(path))
        ]

    def reaches_gpu(self, path: str) -> bool:
        """Whether a unit, or a file of the tree that it may include, has anything of a GPU."""
        return any(_GPU.search(self.text(name)) for name in self.closure(path))

    def text(self, path: str) -> str:
        """Return a file as Latin-1 text; empty when it cannot be read."""
        if path not in self._text:
            try:
                self._text[path] = (self.root / path).read_bytes().decode("latin-1")
            except OSError:
                self._text[path] = ""
        return self._text[path]

    def includes(self, path: str) -> Iterator[Include]:
        """Yield the include lines of a file, those in comments and dead branches too."""
        for match in _INCLUDE.finditer(self.text(path)):
            yield Include(match[2].strip(), match[1] == '"')

    def closure(self, path: str) -> set[str]:
        """Return the files of the tree that a unit may include, itself among them."""
        reached: set[str] = set()
        waiting = [path]
        while waiting:
            current = waiting.pop()
            if current in reached:
                continue
            reached.add(current)
            found = (self.find(include, current) for include in self.includes(current))
            waiting += [name for name in found if name]
        return reached

    def find(self, include: Include, includer: str) -> str:
        """Return the file of the tree that an include line most likely means, else "".

        The file beside the includer for a quoted name; otherwise the file whose path ends with the
        name and that is nearest to the includer.
        """
        wanted = os.path.normpath(include.path)
        beside = os.path.normpath(PurePosixPath(includer).parent / include.path)
        named = self._by_name.get(PurePosixPath(wanted).name, [])
        if include.quoted and not beside.startswith("..") and (self.root / beside).is_file():
            return beside
        matching = [path for path in named if f"/{path}".endswith(f"/{wanted}")]
        return max(matching, key=lambda path: _nearness(path, includer), default="")

    def folders_for(self, path: str, provided: Iterable[Path]) -> list[str]:
        """Return the folders that a unit needs to find the tree's headers, in order of first use.

        `provided` are folders the compiler searches anyway; what they hold is not looked for.
        """
        known = tuple(provided)
        folders: dict[str, None] = {}
        for current in sorted(self.closure(path)):
            for include in self.includes(current):
                if any((folder / include.path).is_file() for folder in known):
                    continue
                if folder := self._folder_for(include, current):
                    folders[folder] = None
        return list(folders)

    def _folder_for(self, include: Include, includer: str) -> str:
        """Return the folder to search for an include line, "" when none is needed or known."""
        target = self.find(include, includer)
        ending = os.path.normpath(include.path)
        if not f"/{target}".endswith(f"/{ending}"):
            return ""
        folder = target.removesuffix(ending).rstrip("/") or "."
        beside = str(PurePosixPath(includer).parent)
        return "" if include.quoted and folder == beside else folder

    def _language(self, path: str) -> Language | None:
        suffix = PurePosixPath(path).suffix.lower()
        if suffix in _HIP_SUFFIXES:
            return Language.HIP
        if suffix in _CXX_SUFFIXES:
            return Language.HIP if self._has_device_code(path) else Language.CXX
        return Language.C if suffix == ".c" else None

    def _header_language(self, path: str) -> Language:
        is_cuda = PurePosixPath(path).suffix.lower() in CUDA_SUFFIXES or self._has_device_code(path)
        return Language.HIP if is_cuda else Language.CXX

    def _has_device_code(self, path: str) -> bool:
        """Whether a file defines or launches kernels.

        A .cpp without either is compiled as C++, as nvcc and the usual build files do.
        """
        text = self.text(path)
        if not _DEVICE_CODE.search(text):
            return False
        return any(token.text in {"__global__", "<<<"} for token in tokenize(text).tokens)


def _walk(root: Path, *, deep: bool) -> Iterator[str]:
    """Yield the C-family files in `root`, and when `deep` below it; links are not followed."""
    for folder, folders, files in os.walk(root):
        folders[:] = [name for name in folders if deep and not name.startswith(".")]
        for name in files:
            path = Path(folder, name)
            if path.suffix.lower() in C_SUFFIXES and path.is_file() and not path.is_symlink():
                yield path.relative_to(root).as_posix()


def _nearness(path: str, includer: str) -> tuple[int, int, str]:
    """Order candidates: more folders shared with the includer, then fewer in all, then by name."""
    theirs, ours = PurePosixPath(path).parts, PurePosixPath(includer).parts
    shared = 0
    while shared < min(len(theirs), len(ours)) and theirs[shared] == ours[shared]:
        shared += 1
    return shared, -len(theirs), path
