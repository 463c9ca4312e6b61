"""Temporary folders that are gone after their run: its end removes them, or the next run does.

A live run holds a lock on a file in its folder, which ends with the process however that ends.
Not the process id in the name: the run may be in another container that shares the folder.
"""

import fcntl
import os
import shutil
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_LOCK = ".lock"
_TRIES = 10
# A folder without a lock is being made, or its maker was killed in that moment.
_MOMENT = 60.0

# Those of this process: a signal can strike between two byte codes that no try statement covers,
# so the command removes what is left here before it ends.
_live: set[Path] = set()


@contextmanager
def scratch_folder(prefix: str) -> Iterator[Path]:
    """Give a folder with nothing but a lock in it; nothing of it is left afterwards.

    It is in the system's temporary folder, or the one that TMPDIR names.  Folders of this prefix
    whose runs were killed are removed first.  Raises OSError.
    """
    place = Path(tempfile.gettempdir()).resolve()
    _remove_dead(place, prefix)
    folder, lock = _made(place, prefix)
    try:
        yield folder
    finally:
        _remove(folder)
        _live.discard(folder)
        os.close(lock)


def remove_live() -> None:
    """Remove the folders of this process that an exception left behind."""
    for folder in tuple(_live):
        _remove(folder)
        _live.discard(folder)


def _made(place: Path, prefix: str) -> tuple[Path, int]:
    """Make a folder and lock it, which another run may take for a dead one until that is done."""
    for _ in range(_TRIES):
        folder = Path(tempfile.mkdtemp(prefix=prefix, dir=place))
        _live.add(folder)
        with suppress(FileNotFoundError):
            lock = os.open(folder / _LOCK, os.O_RDWR | os.O_CREAT, 0o600)
            # Where there are no locks, nobody takes it for a dead one either.
            if _is_free(lock) is not False and _is_at(lock, folder / _LOCK):
                return folder, lock
            os.close(lock)
        _live.discard(folder)
    raise FileNotFoundError(f"{place}: folders that are made there disappear")


def _remove_dead(place: Path, prefix: str) -> None:
    """Remove what is ours and whose lock is free.  What cannot be removed stays for the next."""
    with suppress(OSError):
        for item in sorted(place.iterdir()):
            if item.name.startswith(prefix) and _is_own_folder(item):
                _remove_if_dead(item)


def _remove_if_dead(folder: Path) -> None:
    try:
        lock = os.open(folder / _LOCK, os.O_RDWR | os.O_NOFOLLOW)
    except OSError:
        with suppress(OSError):
            if time.time() - folder.lstat().st_mtime > _MOMENT:
                folder.rmdir()
        return
    try:
        if _is_free(lock):
            _remove(folder)
    finally:
        os.close(lock)


def _is_own_folder(path: Path) -> bool:
    """Whether it is a folder of this user: anybody can make one in the system's place."""
    try:
        info = path.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(info.st_mode) and info.st_uid == os.geteuid()


def _is_free(lock: int) -> bool | None:
    """Take a lock and say whether nobody had it; None where the file system has no locks."""
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True


def _is_at(descriptor: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), path.lstat())
    except OSError:
        return False


def _remove(folder: Path) -> None:
    """Remove a folder, its lock last: as long as that is there, a later run can finish this."""
    with suppress(OSError, RecursionError):  # of a thousand folders in each other
        for item in folder.iterdir():
            if item.is_dir() and not item.is_symlink():
                _remove_tree(item)
            elif item.name != _LOCK:
                item.unlink()
        if [item.name for item in folder.iterdir()] == [_LOCK]:
            (folder / _LOCK).unlink()
        folder.rmdir()


def _remove_tree(folder: Path) -> None:
    """Remove a folder, also what its permissions protect: package caches do that to their files."""
    shutil.rmtree(folder, ignore_errors=True)
    if folder.exists():
        folder.chmod(stat.S_IRWXU)
        for place, names, _ in os.walk(folder):  # a folder is opened before it is walked
            for name in names:
                if not Path(place, name).is_symlink():
                    Path(place, name).chmod(stat.S_IRWXU)
        shutil.rmtree(folder, ignore_errors=True)
