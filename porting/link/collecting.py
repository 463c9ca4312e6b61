"""Which files an audit is about: those named, and in place of a folder the binaries in it."""

import os
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from porting.errors import InputError, reason

_MAGICS = (b"\x7fELF", b"!<arch>\n", b"!<thin>\n")


@dataclass
class Collected:
    """Files in the order named, each once; and what could not be looked at in a folder, and why."""

    files: dict[Path, None] = field(default_factory=dict)
    unreadable: list[tuple[str, str]] = field(default_factory=list)


def collect(paths: Iterable[Path]) -> Collected:
    """Return the files to audit.

    Raises InputError for a path that is not there, and for a folder with nothing to audit: a
    success would say that something was read.
    """
    found = Collected()
    for path in paths:
        if path.is_dir():
            _add_folder(path, found)
        elif path.is_file():
            found.files[path] = None
        elif path.exists():
            raise InputError(f"{path} is neither a file nor a folder; check the path")
        elif path.is_symlink():
            raise InputError(f"{path} is a link that leads nowhere; check where it leads")
        else:
            raise InputError(f"{path} does not exist; check the path")
    return found


def _add_folder(folder: Path, found: Collected) -> None:
    before = len(found.files), len(found.unreadable)
    for path in sorted(_files(folder, found)):
        try:
            if _is_binary(path):
                found.files[path] = None
        except OSError as error:
            _say(found, path, error)
    if before == (len(found.files), len(found.unreadable)) and not any(
        path.is_relative_to(folder) for path in found.files
    ):
        raise InputError(
            f"{folder} has no program, library, object or archive in it; build first, or check the "
            "path"
        )


def _files(folder: Path, found: Collected) -> Iterator[Path]:
    """Yield the files below a folder; links are not followed."""
    for place, _, names in os.walk(folder, onerror=lambda e: _say(found, Path(e.filename), e)):
        for name in names:
            path = Path(place, name)
            try:
                if stat.S_ISREG(path.lstat().st_mode):
                    yield path
            except OSError as error:
                _say(found, path, error)


def _say(found: Collected, path: Path, error: OSError) -> None:
    found.unreadable.append((str(path), f"{path} cannot be read: {reason(error)}; check the path"))


def _is_binary(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(8).startswith(_MAGICS)
