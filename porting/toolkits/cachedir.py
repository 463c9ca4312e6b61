"""The cache folder: directories that are built once, by one process, and appear complete or not."""

import fcntl
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from porting.errors import ToolchainError, is_full_disk, reason

LOCK_TIMEOUT = 1800.0
_POLL = 0.1


def cache_root() -> Path:
    """Return the cache folder: ECLOSION_CACHE, else XDG_CACHE_HOME/eclosion, else ~/.cache."""
    if chosen := os.environ.get("ECLOSION_CACHE"):
        return Path(chosen).expanduser().absolute()
    xdg = os.environ.get("XDG_CACHE_HOME")
    # The XDG base directory specification says that a relative path is to be ignored.
    base = Path(xdg) if xdg and Path(xdg).is_absolute() else Path.home() / ".cache"
    return base / "eclosion"


def build_once(path: Path, build: Callable[[Path], None], timeout: float = LOCK_TIMEOUT) -> Path:
    """Return `path`, built by `build(empty folder)` unless it is there already.

    One process builds, others wait up to `timeout` seconds for it.  The folder is built beside its
    place and renamed, so `path` exists only when it is complete; what a killed builder left is
    removed by the next one.  Raises ToolchainError when the disk is full or cannot be written.
    """
    if path.is_dir():
        return path
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with _locked(path.parent / f".{path.name}.lock", timeout):
            if not path.is_dir():
                _build_beside(path, build)
    except OSError as error:
        raise _unwritable(path, error) from error
    return path


def no_space(path: Path) -> ToolchainError:
    """Return the error for a full disk under `path`."""
    return ToolchainError(
        f"no space left on the disk of {path}; nothing half-built was kept; "
        "free some space or set ECLOSION_CACHE to a folder on another disk"
    )


def _build_beside(path: Path, build: Callable[[Path], None]) -> None:
    prefix = f".{path.name}.building-"
    for leftover in path.parent.glob(f"{prefix}*"):
        shutil.rmtree(leftover, ignore_errors=True)
    place = Path(tempfile.mkdtemp(prefix=prefix, dir=path.parent))
    try:
        place.chmod(0o755)
        build(place)
        place.rename(path)
    except BaseException:
        shutil.rmtree(place, ignore_errors=True)
        raise


def _unwritable(path: Path, error: OSError) -> ToolchainError:
    if is_full_disk(error):
        return no_space(path)
    return ToolchainError(
        f"cannot build {path}: {reason(error)}"
        + (f" ({error.filename})" if error.filename else "")
        + "; set ECLOSION_CACHE to a folder that can be written"
    )


@contextmanager
def _locked(path: Path, timeout: float) -> Iterator[None]:
    """Hold an exclusive lock that the kernel drops when this process ends, however it ends."""
    deadline = time.monotonic() + timeout
    with path.open("w") as file:
        while not _try_lock(file.fileno()):
            if time.monotonic() > deadline:
                message = (
                    f"another process has been building behind {path} for {timeout:.0f} s; "
                    "wait for it or end it"
                )
                raise ToolchainError(message)
            # flock has no timeout of its own, and an alarm would hit the caller's threads.
            time.sleep(_POLL)
        yield


def _try_lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
