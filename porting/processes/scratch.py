"""Temporary folders that are gone after their run: its end removes them, or the next run does."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from porting.processes.folders import dead_folders, live_folder, remove_folder


@contextmanager
def scratch_folder(prefix: str) -> Iterator[Path]:
    """Give a folder with nothing but a lock in it; nothing of it is left afterwards.

    It is in the system's temporary folder, or the one that TMPDIR names.  Folders of this prefix
    whose runs were killed are removed first.  Raises OSError.
    """
    place = Path(tempfile.gettempdir()).resolve()
    with suppress(OSError):
        for folder in dead_folders(_own(place, prefix)):
            remove_folder(folder)
    folder, lock = live_folder(place, prefix)
    try:
        yield folder
    finally:
        remove_folder(folder)
        os.close(lock)


def _own(place: Path, prefix: str) -> Iterator[Path]:
    """Yield what has the prefix and is this user's: anybody can make one in the system's place."""
    for item in sorted(place.iterdir()):
        with suppress(OSError):
            if item.name.startswith(prefix) and item.lstat().st_uid == os.geteuid():
                yield item
