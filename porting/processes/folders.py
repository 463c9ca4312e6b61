"""Folders that belong to a run: gone with it, or removed by a later one that finds it dead.

A live run holds a lock on a file in its folder, which ends with the process however that ends.
Not the process id in the name: the run may be in another container that shares the folder.
"""

import os
import shutil
import stat
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from porting.processes.locking import LOCK, is_free, locked_folder
from porting.processes.signals import signals_held

# A folder without a lock is being made, or its maker was killed in that moment.
_MOMENT = 60.0

# Those of this process: a signal can strike between two byte codes that no try statement covers,
# so the command removes what is left here before it ends.
_live: set[Path] = set()


def live_folder(place: Path, prefix: str) -> tuple[Path, int]:
    """Make a folder in `place` with nothing but a lock in it; return it and the lock's descriptor.

    `remove_folder` ends it, then the descriptor is closed.  Raises OSError.
    """
    with signals_held():
        folder, lock = locked_folder(place, prefix)
        _live.add(folder)
    return folder, lock


def remove_live() -> None:
    """Remove the folders of this process that an exception left behind."""
    with signals_held():
        for folder in tuple(_live):
            remove_folder(folder)


def dead_folders(candidates: Iterable[Path]) -> Iterator[Path]:
    """Yield the folders whose runs ended without removing them, each while nobody else has it.

    One without a lock is removed when it is empty and older than the making of one takes.
    """
    for folder in candidates:
        if not _is_folder(folder):
            continue
        try:
            lock = os.open(folder / LOCK, os.O_RDWR | os.O_NOFOLLOW)
        except OSError:
            with suppress(OSError):
                if time.time() - folder.lstat().st_mtime > _MOMENT:
                    folder.rmdir()
            continue
        try:
            if is_free(lock):
                yield folder
        finally:
            os.close(lock)


def remove_folder(folder: Path) -> None:
    """Remove a folder, its lock last: as long as that is there, a later run can finish this.

    What cannot be removed stays for that one.
    """
    with suppress(OSError, RecursionError):  # of a thousand folders in each other
        for item in folder.iterdir():
            if item.is_dir() and not item.is_symlink():
                _remove_tree(item)
            elif item.name != LOCK:
                item.unlink()
        if [item.name for item in folder.iterdir()] == [LOCK]:
            (folder / LOCK).unlink()
        folder.rmdir()
    _live.discard(folder)


def _is_folder(path: Path) -> bool:
    with suppress(OSError):
        return stat.S_ISDIR(path.lstat().st_mode)
    return False


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
