"""Which files a run may hipify: hipify_torch's patterns and suffixes, laid over a folder."""

import fnmatch
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

# At the top of the project only: what version control and builds fill, and what others own.
_LEFT_OUT = ("build", ".git", "third_party")
# PyTorch's own build wants this one folder of what it left out.
_YET_IN = "third_party/nvfuser"
# What marks the folder of an environment, and the folders that packages are installed into.
_ENVIRONMENTS = ("pyvenv.cfg", "conda-meta")
_PACKAGES = ("site-packages", "dist-packages")
_PREFIXES = tuple(f"{name}/" for name in _LEFT_OUT)


@dataclass(frozen=True)
class Selection:
    """Patterns as hipify_torch takes them.

    `includes`, `ignores`: shell patterns, in which `*` spans folders.  `extensions`: what a name
    ends with; a file that is itself in `includes` needs none of them.
    """

    includes: Sequence[str]
    ignores: Sequence[str]
    extensions: Sequence[str]
    _exact: frozenset[str] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_exact", frozenset(self.includes))

    @cached_property
    def _included(self) -> re.Pattern[str]:
        return _any_of(self.includes)

    @cached_property
    def _ignored(self) -> re.Pattern[str]:
        return _any_of(self.ignores)

    def takes(self, *forms: str, ends: Sequence[str] | None = None) -> bool:
        """Whether a file is selected; `forms` are the ways to write its path.

        `ends`: in the place of the selection's own extensions.
        """
        return (
            (
                forms[0].endswith(tuple(self.extensions if ends is None else ends))
                or not self._exact.isdisjoint(forms)
            )
            and any(map(self._included.match, forms))
            and not any(map(self._ignored.match, forms))
        )


def is_left_out(path: str) -> bool:
    """Whether a file, seen from the project, is in a folder that no run looks into."""
    return path.startswith(_PREFIXES) and not path.startswith(f"{_YET_IN}/")


def is_installed(folder: Path) -> bool:
    """Whether a folder is an environment, or holds the packages of one: nobody's own sources."""
    return folder.name in _PACKAGES or any((folder / mark).exists() for mark in _ENVIRONMENTS)


def _any_of(patterns: Iterable[str]) -> re.Pattern[str]:
    # "(?!)" matches nothing: no pattern names no file.
    return re.compile("|".join(map(fnmatch.translate, patterns)) or "(?!)")


def files_below(folder: Path) -> Iterator[str]:
    """Yield the path of every file below a folder, seen from it, in a fixed order.

    Folders of installed packages are left out.
    """
    yield from _walk(folder, lambda _: True)


def project_files(project: Path) -> Iterator[str]:
    """Yield what files_below yields, without the folders at a project's top that are left out."""
    found = _walk(project, lambda path: not is_left_out(f"{path}/") or _leads_in(path))
    yield from (path for path in found if not is_left_out(path))


def _walk(root: Path, enters: Callable[[str], bool]) -> Iterator[str]:
    for at, folders, names in os.walk(root):
        below = os.path.relpath(at, root)
        prefix = "" if below == "." else f"{below}/"
        folders[:] = sorted(
            name
            for name in folders
            if enters(f"{prefix}{name}") and not is_installed(Path(at, name))
        )
        yield from (prefix + name for name in sorted(names))


def _leads_in(folder: str) -> bool:
    return f"{_YET_IN}/".startswith(f"{folder}/")
