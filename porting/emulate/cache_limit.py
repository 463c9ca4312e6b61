"""How much of the cache the emulator keeps: what was used last, up to a size.

CL-1 what was used within a day stays, whatever its size: a program may still have to load it.
CL-2 nothing is taken away while a process looks for what it needs, nor the other way round.
CL-3 an object goes with its record, and a folder at once.
"""

import fcntl
import os
import shutil
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from porting.toolkits.cachedir import cache_root

MOST_BYTES = 2 << 30
_DAY = 86400.0
_EVERY = 3600.0  # seconds between two looks
_FOLDERS = ("libraries", "sidecars")


@dataclass(frozen=True)
class Entry:
    """What is kept or taken away together: its paths, when it was last used, its bytes."""

    paths: tuple[Path, ...]
    used: float
    size: int


def mark_used(path: Path) -> None:
    """Remember that something in the cache was used now."""
    with suppress(OSError):  # it is kept as long as it is not the oldest
        os.utime(path)


@contextmanager
def in_use() -> Iterator[None]:
    """Keep everything while what is needed is looked for; then take away what is too much."""
    root = cache_root() / "emulate"
    root.mkdir(parents=True, exist_ok=True)
    with (root / ".in-use.lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_SH)
        yield
        fcntl.flock(lock, fcntl.LOCK_UN)
        stamp = root / ".trimmed"
        if _is_due(stamp) and _is_alone(lock.fileno()):
            stamp.touch()
            trim(root, MOST_BYTES, time.time())


def trim(root: Path, most: int, now: float) -> None:
    """Take away what was used longest ago until `most` bytes are left; see the rules above."""
    known = sorted(entries(root), key=lambda entry: entry.used)
    left = sum(entry.size for entry in known)
    for entry in known:
        if left <= most or entry.used > now - _DAY:
            return
        for path in entry.paths:
            _take_away(path)
        left -= entry.size


def entries(root: Path) -> Iterator[Entry]:
    """Yield what is kept below a folder of the cache."""
    groups: defaultdict[str, list[Path]] = defaultdict(list)
    for path in _listed(root / "objects"):
        groups[path.stem].append(path)
    for paths in groups.values():
        # Without its record first, an object is no entry.
        yield _entry(tuple(sorted(paths, key=lambda path: path.suffix != ".json")))
    for folder in _FOLDERS:
        for path in _listed(root / folder):
            if path.suffix != ".lock":
                yield _entry((path,))


def _listed(folder: Path) -> list[Path]:
    return list(folder.iterdir()) if folder.is_dir() else []


def _entry(paths: tuple[Path, ...]) -> Entry:
    used, size = 0.0, 0
    for path in paths:
        with suppress(OSError):  # another process has just moved it
            state = path.lstat()
            inside = [each.lstat() for each in path.rglob("*")] if path.is_dir() else []
            used = max(used, state.st_mtime)
            size += sum(each.st_blocks * 512 for each in (state, *inside))
    return Entry(paths, used, size)


def _take_away(path: Path) -> None:
    if not path.is_dir():
        with suppress(OSError):
            path.unlink()
        return
    gone = path.with_name(f".{path.name.lstrip('.')}.gone")
    with suppress(OSError):
        path.rename(gone)
        shutil.rmtree(gone)


def _is_due(stamp: Path) -> bool:
    """Whether nobody has looked for an hour."""
    try:
        return time.time() - stamp.stat().st_mtime > _EVERY
    except FileNotFoundError:
        return True


def _is_alone(lock: int) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
