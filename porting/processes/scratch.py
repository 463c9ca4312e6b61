"""Temporary folders that are gone after their run: its end removes them, or the next run does.

A live run holds a lock on a file in its folder, which ends with the process however that ends.
Not the process id in the name: the run may be in another container that shares the folder.
"""

import os
import shutil
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from porting.processes.locking import LOCK, is_free, locked_folder
from porting.processes.signals import signals_held

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
    with signals_held():
        folder, lock = locked_folder(place, prefix)
        _live.add(folder)
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


def _remove_dead(place: Path, prefix: str) -> None:
    """Remove what is ours and whose lock is free.  What cannot be removed stays for the next."""
    with suppress(OSError):
        for item in sorted(place.iterdir()):
            if item.name.startswith(prefix) and _is_own_folder(item):
                _remove_if_dead(item)


def _remove_if_dead(folder: Path) -> None:
    try:
        lock = os.open(folder / LOCK, os.O_RDWR | os.O_NOFOLLOW)
    except OSError:
        with suppress(OSError):
            if time.time() - folder.lstat().st_mtime > _MOMENT:
                folder.rmdir()
        return
    try:
        if is_free(lock):
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


def _remove(folder: Path) -> None:
    """Remove a folder, its lock last: as long as that is there, a later run can finish this."""
    with suppress(OSError, RecursionError):  # of a thousand folders in each other
        for item in folder.iterdir():
            if item.is_dir() and not item.is_symlink():
                _remove_tree(item)
            elif item.name != LOCK:
                item.unlink()
        if [item.name for item in folder.iterdir()] == [LOCK]:
            (folder / LOCK).unlink()
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
