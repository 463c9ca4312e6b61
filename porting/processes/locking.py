"""Folders that are locked from their first moment: who finds one unlocked may take it for dead."""

import fcntl
import os
import tempfile
from contextlib import suppress
from pathlib import Path

# A file, since NFS lets nobody lock a folder.
LOCK = "lock"
_TRIES = 10


def locked_folder(place: Path, prefix: str) -> tuple[Path, int]:
    """Make a folder in `place` and lock it; the lock ends with its descriptor or its process.

    Another run may take it for a dead one before it is locked: then that one is given up, and the
    next is made.  Raises OSError.
    """
    for _ in range(_TRIES):
        folder = Path(tempfile.mkdtemp(prefix=prefix, dir=place))
        with suppress(FileNotFoundError):
            lock = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT, 0o600)
            # Where there are no locks, nobody takes it for a dead one either.
            if is_free(lock) is not False and _is_at(lock, folder / LOCK):
                return folder, lock
            os.close(lock)
    raise FileNotFoundError(f"{place}: folders that are made there disappear")


def is_free(lock: int) -> bool | None:
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
