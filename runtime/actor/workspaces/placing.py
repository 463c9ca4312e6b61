"""One copy of a directory on its way into its place on this host: whole, or not at all.

It is made beside its place, in a folder of its own: what the place has already is linked from
there, the rest comes from the client. Then the two change places, in one step.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import hashlib
import os
import shutil
import stat
from contextlib import suppress
from pathlib import Path

from runtime.actor.workspaces.listing import FOLDER, check, digest_of, open_below, walk
from runtime.actor.workspaces.workspace import parts_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from runtime.actor.workspaces.listing import Entry

_OPENED = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_EXCHANGE = 2  # of renameat2(2)
_CANNOT = {errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP, errno.EXDEV}


class Placing:
    """From the listing of a directory to its copy. Not for two threads at a time.

    `go_on` is called while files are read, which may take long; what it raises ends it.
    """

    def __init__(
        self,
        root: str,
        below: str,
        entries: Sequence[Entry],
        go_on: Callable[[], None] = lambda: None,
    ) -> None:
        check(entries, below or root)
        self._files = {path: (mode, digest) for path, kind, mode, digest in entries if kind == "f"}
        self._folders = [(path, mode) for path, kind, mode, _ in entries if kind == "d"]
        self._links = [(path, target) for path, kind, _, target in entries if kind == "l"]
        self._hashes: dict[str, Any] = {}
        self._parent, self._name = _place(root, parts_of(below))
        self._remove_leftovers()
        self._own, self._lock = self._folder_of_its_own()
        self._path = Path(f"/proc/self/fd/{self._lock}")
        self._blobs, self._tree = self._path / "blobs", self._path / "tree"
        self._left = dict(self._files)
        try:
            self._blobs.mkdir()
            self._tree.mkdir()
            for path, _ in self._folders:
                (self._tree / path).mkdir(0o700)
            self._take_what_is_there(go_on)
        except BaseException:
            self.close()
            raise

    def missing(self) -> list[str]:
        """Return the hashes of contents that the client has to send."""
        wanted = {digest for _, digest in self._left.values()}
        return sorted(wanted - {blob.name for blob in self._blobs.iterdir()})

    def receive(self, digest: str, data: bytes | memoryview, *, last: bool) -> None:
        """Take a part of a content that is missing; ValueError when it is not what was listed."""
        if digest not in self._hashes:
            if digest not in self.missing():
                raise ValueError(f"{digest!r} was not asked for")
            self._hashes[digest] = hashlib.sha256()
        self._hashes[digest].update(data)
        incoming = self._path / f"incoming-{digest}"
        with incoming.open("ab") as file:
            file.write(data)
        if last:
            if self._hashes.pop(digest).hexdigest() != digest:
                raise ValueError("a file has changed while it was copied; copy it again")
            incoming.rename(self._blobs / digest)

    def prepare(self) -> None:
        """Complete the copy beside its place: all that takes room or time."""
        for path, (mode, digest) in self._left.items():
            _copy(self._blobs / digest, self._tree / path, mode)
        for path, target in self._links:
            (self._tree / path).symlink_to(target)
        for path, mode in reversed(self._folders):
            (self._tree / path).chmod(mode)

    def place(self) -> None:
        """Put the prepared copy into its place; what was there is gone."""
        with suppress(FileNotFoundError):
            before = os.stat(self._name, dir_fd=self._parent, follow_symlinks=False)
            if not stat.S_ISDIR(before.st_mode):
                raise self._taken()
            self._tree.chmod(stat.S_IMODE(before.st_mode))
            _exchange(self._lock, "tree", self._parent, self._name)
            return
        self._tree.chmod(0o755)
        os.rename("tree", self._name, src_dir_fd=self._lock, dst_dir_fd=self._parent)

    def close(self) -> None:
        """Remove what is not in its place."""
        _remove(Path(f"/proc/self/fd/{self._parent}/{self._own}"))
        os.close(self._lock)
        os.close(self._parent)

    def _folder_of_its_own(self) -> tuple[str, int]:
        """Return the name of a new folder beside the place, and its descriptor, which locks it."""
        label = os.urandom(8).hex()
        new, own = f".{self._name}.new-{label}", f".{self._name}.sync-{label}"
        os.mkdir(new, 0o700, dir_fd=self._parent)
        lock = os.open(new, FOLDER, dir_fd=self._parent)
        fcntl.flock(lock, fcntl.LOCK_EX)
        # Only now: what has that name and is not locked is removed by others.
        os.rename(new, own, src_dir_fd=self._parent, dst_dir_fd=self._parent)
        return own, lock

    def _taken(self) -> NotADirectoryError:
        return NotADirectoryError(
            f"{self._name} is there and is no directory; remove it, or choose another place"
        )

    def _take_what_is_there(self, go_on: Callable[[], None]) -> None:
        """Link what stays as it is, and keep contents that are wanted in another place."""
        wanted = {digest for _, digest in self._files.values()}
        try:
            present = os.open(self._name, FOLDER, dir_fd=self._parent)
        except FileNotFoundError:
            return
        except NotADirectoryError:
            raise self._taken() from None
        mount, checked = _mount_of(self._parent), ""
        _refuse_mount(present, mount, self._name)
        for folder, path, status in walk(present):
            go_on()
            above = path.rpartition("/")[0]
            if above != checked:
                _refuse_mount(folder, mount, f"{self._name}/{above}")
                checked = above
            if not stat.S_ISREG(status.st_mode):
                continue
            name = path.rpartition("/")[2]
            with suppress(OSError), open_below(folder, name) as fd:
                digest, mode = digest_of(fd, go_on), status.st_mode & 0o777
                if self._files.get(path) == (mode, digest):
                    _link(folder, name, fd, self._tree / path)
                    del self._left[path]
                elif digest in wanted and not (self._blobs / digest).exists():
                    _link(folder, name, fd, self._blobs / digest)

    def _remove_leftovers(self) -> None:
        """Remove what hosts that were killed have left: nobody holds its lock."""
        for name in os.listdir(self._parent):  # noqa: PTH208
            if not name.startswith(f".{self._name}.sync-"):
                continue
            with suppress(OSError):
                fd = os.open(name, FOLDER, dir_fd=self._parent)
                try:
                    fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    _remove(Path(f"/proc/self/fd/{self._parent}/{name}"))
                finally:
                    os.close(fd)


def _place(root: str, parts: list[str]) -> tuple[int, str]:
    """Return the folder of a place, as a descriptor, and its name there.

    What is not there is made. NotADirectoryError when a link is on the way below the root.
    """
    Path(root).mkdir(parents=True, exist_ok=True)
    folder = os.open(root, _OPENED)
    if not parts:
        os.close(folder)
        whole = Path(root).resolve()
        return os.open(whole.parent, _OPENED), whole.name
    for part in parts[:-1]:
        with suppress(FileExistsError):
            os.mkdir(part, dir_fd=folder)
        try:
            inner = os.open(part, FOLDER, dir_fd=folder)
        except NotADirectoryError:
            raise NotADirectoryError(f"{part} in {root} is a link or a file; remove it") from None
        finally:
            os.close(folder)
        folder = inner
    return folder, parts[-1]


def _mount_of(folder: int) -> str:
    """Return which of the file systems that are mounted a descriptor is of."""
    facts = Path(f"/proc/self/fdinfo/{folder}").read_text("ascii").splitlines()
    return next(line for line in facts if line.startswith("mnt_id:"))


def _refuse_mount(folder: int, mount: str, where: str) -> None:
    """Raise OSError for another mount: no directory changes places with it, and it is not ours."""
    if _mount_of(folder) != mount:
        raise OSError(
            f"something is mounted at {where}, and what is there cannot be replaced; unmount it, "
            "or copy to another directory"
        )


def _link(folder: int, name: str, fd: int, path: Path) -> None:
    """Make a second name of a file that was read, or leave none; OSError."""
    os.link(name, path, src_dir_fd=folder, follow_symlinks=False)
    if path.lstat().st_ino != os.fstat(fd).st_ino:
        path.unlink()
        raise FileNotFoundError(name)


def _copy(source: Path, to: Path, mode: int) -> None:
    """Copy a content; every file has one of its own, so that changing one changes no other."""
    with source.open("rb") as old, os.fdopen(os.open(to, _NEW, 0o600), "wb") as new:
        shutil.copyfileobj(old, new, 1 << 20)
        os.fchmod(new.fileno(), mode)


def _exchange(folder: int, name: str, other: int, place: str) -> None:
    """Have two directories change places; where the file system cannot, the one after the other."""
    libc = ctypes.CDLL(None, use_errno=True)
    names = os.fsencode(name), os.fsencode(place)
    if libc.renameat2(folder, names[0], other, names[1], _EXCHANGE) == 0:
        return
    code = ctypes.get_errno()
    if code not in _CANNOT:
        raise OSError(code, f"{place} cannot be replaced: {os.strerror(code)}")
    os.rename(place, "before", src_dir_fd=other, dst_dir_fd=folder)
    try:
        os.rename(name, place, src_dir_fd=folder, dst_dir_fd=other)
    except OSError:
        os.rename("before", place, src_dir_fd=folder, dst_dir_fd=other)
        raise


def _remove(path: Path) -> None:
    """Remove a directory, also one that may not be written."""
    with suppress(FileNotFoundError):
        for folder, names, _ in os.walk(path):
            for name in names:
                inner = Path(folder, name)
                if not inner.is_symlink():
                    inner.chmod(0o700)
        shutil.rmtree(path)
