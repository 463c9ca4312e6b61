"""What is in a directory: names, modes, contents by their hash. Links are never followed."""

from __future__ import annotations

import hashlib
import os
import stat
from contextlib import suppress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

#: Path below the directory, "d", "f" or "l", mode, and the hash of a file or the target of a link.
Entry = tuple[str, str, int, str]

#: How a folder is opened that must be one itself, and no link to one.
FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_MODES = 0o777  # neither setuid, setgid nor the sticky bit
_CHUNK = 1 << 20
_HEX = frozenset("0123456789abcdef")


def entries_of(top: str) -> list[Entry]:
    """Return what is in a directory, each directory before what is in it.

    ValueError for what cannot be on another machine: links that lead out of the directory, and
    what is neither a file, a directory nor a link.
    """
    found: list[Entry] = []
    for folder, path, status in walk(os.open(top, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)):
        with suppress(FileNotFoundError):  # it has vanished since
            found.append(_entry(top, folder, path, status))
    check(found, top)
    return found


def _entry(top: str, folder: int, path: str, status: os.stat_result) -> Entry:
    name = path.rpartition("/")[2]
    mode = status.st_mode & _MODES
    if stat.S_ISDIR(status.st_mode):
        return path, "d", mode, ""
    if stat.S_ISREG(status.st_mode):
        with open_below(folder, name) as fd:
            return path, "f", mode, digest_of(fd)
    if stat.S_ISLNK(status.st_mode):
        return path, "l", 0, os.readlink(name, dir_fd=folder)
    raise ValueError(
        f"{top}/{path} is neither a file, a directory nor a link, and cannot be copied; "
        "remove it, or keep it outside the workspace"
    )


def walk(folder: int, below: str = "") -> Iterator[tuple[int, str, os.stat_result]]:
    """Yield what is in an open folder, and in those there: its folder, its path, and its status.

    The folder is closed in the end. What vanishes before its turn, or is a folder no more, is left
    out; what is yielded may vanish before it is looked at.
    """
    try:
        for name in sorted(os.listdir(folder)):
            path = f"{below}{name}"
            try:
                status = os.stat(name, dir_fd=folder, follow_symlinks=False)
                yield folder, path, status
                if stat.S_ISDIR(status.st_mode):
                    yield from walk(os.open(name, FOLDER, dir_fd=folder), f"{path}/")
            except (FileNotFoundError, NotADirectoryError):
                continue
    finally:
        os.close(folder)


class open_below:  # noqa: N801 - it is called like open
    """A file of a folder as a descriptor in a `with` block; a link is an OSError."""

    def __init__(self, folder: int, name: str) -> None:
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        self._fd = os.open(name, flags, dir_fd=folder)

    def __enter__(self) -> int:
        return self._fd

    def __exit__(self, *_: object) -> None:
        os.close(self._fd)


def digest_of(fd: int, go_on: Callable[[], None] = lambda: None) -> str:
    """Return the SHA-256 of what a descriptor reads, from where it is.

    `go_on` is called between two parts of it, and may raise.
    """
    digest = hashlib.sha256()
    while data := os.read(fd, _CHUNK):
        digest.update(data)
        go_on()
    return digest.hexdigest()


def check(entries: Sequence[Entry], top: str) -> None:
    """Raise ValueError unless all of it is in the directory that it is listed for.

    Whoever receives a listing does not know who wrote it.
    """
    folders = {""}
    seen: set[str] = set()
    for path, kind, mode, value in entries:
        parts = path.split("/")
        above = "/".join(parts[:-1])
        bad = {"", ".", ".."} & set(parts) or "\0" in path or path in seen or above not in folders
        if bad or mode & ~_MODES or kind not in ("d", "f", "l"):
            raise ValueError(f"{path!r} cannot be in {top}: the listing is not of a directory")
        seen.add(path)
        if kind == "d":
            folders.add(path)
        elif kind == "f" and (len(value) != 64 or not _HEX.issuperset(value)):  # noqa: PLR2004
            raise ValueError(f"{path!r} has {value!r}, which is no hash")
        elif kind == "l" and not _stays_inside(parts[:-1], value):
            raise ValueError(
                f"the link {top}/{path} leads to {value!r}, which is not in the directory; "
                "remove it, or copy what it leads to into the workspace"
            )


def _stays_inside(folder: list[str], target: str) -> bool:
    """Tell whether a link leads to a place below the top, whatever other links are there.

    So it may go up at its beginning only: behind a name that is a link, up is somewhere else.
    """
    parts = target.split("/")
    up = next((n for n, part in enumerate(parts) if part != ".."), len(parts))
    clean = target and not target.startswith("/") and "\0" not in target
    return bool(clean) and up <= len(folder) and ".." not in parts[up:]
