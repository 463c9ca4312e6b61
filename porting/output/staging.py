"""Write an output so that it is there whole or not at all.

Everything is written into a staging folder beside its place and renamed when it is complete.  What
a killed run left behind is removed by the next one; a live run holds a lock on its folder.
"""

import ctypes
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType

from porting.config import Mode, Target
from porting.errors import OutputError
from porting.output.linemap import LineMap
from porting.output.manifest import Manifest, file_digest, path_digest
from porting.output.replacing import make_folders, output_error
from porting.processes import dead_folders, live_folder, remove_folder, signals_held
from porting.tree import MANIFEST_NAME

_AT_FDCWD = -100
_RENAME_EXCHANGE = 2


class StagedFolder:
    """A folder to fill that becomes `output` when the `with` block ends well.

    After an exception nothing of it is left.  An earlier port at `output` is replaced: the files
    it wrote go, files that others put there stay, and one that was changed since is an error
    unless `force`.  What cannot be written raises OutputError, OSErrors of the block included.
    `lines`: path -> where its lines came from, `target`: what the output is for, and `mode`: how it
    was made; the manifest keeps them.
    """

    def __init__(
        self,
        output: Path,
        lines: Mapping[str, LineMap] | None = None,
        target: Target | None = None,
        mode: Mode = Mode.RENAME,
        *,
        force: bool = False,
    ) -> None:
        check_replaceable(output, force=force)
        self._target = target
        self._mode = mode
        self._lines = lines or {}
        self.output = Path(os.path.realpath(output))
        self._force = force
        self._undo = ExitStack()

    def __enter__(self) -> Path:
        """Return the empty folder to fill."""
        try:
            return self._begin()
        except BaseException as error:
            self._undo.close()
            if isinstance(error, OSError):
                raise output_error(self.output, error) from error
            raise

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Put the folder in its place, or remove it."""
        try:
            if error is None:
                self._finish()
            elif isinstance(error, OSError):
                raise output_error(self.output, error) from error
        except OSError as failure:
            raise output_error(self.output, failure) from failure
        finally:
            with signals_held():
                self._undo.close()

    def _begin(self) -> Path:
        real, prefix = self.output, _prefix(self.output)
        make_folders(real.parent, self._undo)
        # A mount point cannot be renamed over; there the contents move instead of the folder.
        self._inside = real.is_dir() and (
            real.is_mount() or not os.access(real.parent, os.W_OK | os.X_OK)
        )
        place = real if self._inside else real.parent
        _remove_leftovers(place, prefix)
        with signals_held():
            self._staging, lock = live_folder(place, prefix)
            self._undo.callback(os.close, lock)
            self._undo.callback(remove_folder, self._staging)
        self._filled = self._staging / "new"
        self._filled.mkdir()
        return self._filled

    def _finish(self) -> None:
        _write_manifest(self._filled, self._lines, self._target, self._mode)
        if self.output.is_dir():
            check_replaceable(self.output, force=self._force)
            _carry_over(self.output, self._filled)
        _sync(self._filled)
        with signals_held():
            if self._inside:
                _swap_contents(self.output, self._filled, self._staging)
            else:
                _swap_folders(self.output, self._filled, self._staging / "old")


def check_replaceable(output: Path, *, force: bool = False) -> None:
    """Raise OutputError unless `output` is missing, empty, or an earlier port left as it was."""
    if not output.is_dir():
        if os.path.lexists(output):
            raise OutputError(
                f"{output} is a file; the output of a folder is a folder; choose another name"
            )
        return
    manifest = Manifest.read(output)
    if manifest is None:
        if any(not p.name.startswith(_prefix(output)) for p in output.iterdir()):
            raise OutputError(
                f"{output} is not empty and no earlier port wrote it; nothing was written; "
                "choose another folder or empty this one"
            )
        return
    if force:
        return
    for path in _files_below(output):
        if manifest.knows(path) and not manifest.is_as_written(output, path):
            raise OutputError(
                f"{output / path} was changed since it was written; porting again would lose that; "
                "move it away, or say --force"
            )


def _prefix(output: Path) -> str:
    """Return how the names of an output's staging folders begin."""
    return f".{output.name[:100]}.porting-"


def _remove_leftovers(place: Path, prefix: str) -> None:
    """Remove the staging folders of runs that were killed; live ones hold their lock."""
    named = (item for item in sorted(place.iterdir()) if item.name.startswith(prefix))
    for folder in dead_folders(named):
        if (folder / "old").exists():
            raise OutputError(
                f"a run that was killed left the former output in {folder / 'old'}; "
                "move it back or remove it, then port again"
            )
        remove_folder(folder)


def _write_manifest(
    folder: Path, lines: Mapping[str, LineMap], target: Target | None, mode: Mode
) -> None:
    written = {path_digest(p): file_digest(folder / p) for p in _files_below(folder)}
    shifted = {path_digest(p): found for p, found in lines.items() if found.steps}
    (folder / MANIFEST_NAME).write_bytes(Manifest(written, shifted, target, mode).to_bytes())


def _files_below(folder: Path) -> Iterator[str]:
    """Yield the relative paths of files and links, without the manifest and staging folders."""
    own = _prefix(folder)
    for root, folders, files in os.walk(folder):
        here = Path(root)
        if here == folder:
            folders[:] = [f for f in folders if not f.startswith(own)]
        links = [f for f in folders if (here / f).is_symlink()]
        for name in sorted(files + links):
            path = (here / name).relative_to(folder).as_posix()
            if path != MANIFEST_NAME:
                yield path


def _carry_over(old: Path, new: Path) -> None:
    """Link into `new` what others put into an earlier output, and keep times of equal files.

    Equal files keep their time so that a build in the output does not start over.
    """
    manifest = Manifest.read(old)
    if manifest is None:
        return
    for path in _files_below(old):
        before, after = old / path, new / path
        if os.path.lexists(after):
            if manifest.is_as_written(new, path):
                times = before.lstat()
                os.utime(after, ns=(times.st_atime_ns, times.st_mtime_ns), follow_symlinks=False)
        elif not manifest.knows(path):
            after.parent.mkdir(parents=True, exist_ok=True)
            _link_or_copy(before, after)


def _link_or_copy(before: Path, after: Path) -> None:
    try:
        os.link(before, after, follow_symlinks=False)
    except OSError:  # not every file system has hard links
        shutil.copy2(before, after, follow_symlinks=False)


def _sync(folder: Path) -> None:
    """Write the folder's file system to its disk, so that the rename publishes whole files."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        # One call for the whole tree: fsync of each of some thousand files takes seconds.
        if ctypes.CDLL(None, use_errno=True).syncfs(descriptor) != 0:
            code = ctypes.get_errno()
            raise OSError(code, os.strerror(code))
    finally:
        os.close(descriptor)


def _swap_folders(output: Path, new: Path, old: Path) -> None:
    """Put `new` at `output`, in one step where the file system can exchange two folders."""
    if not output.exists():
        new.rename(output)
        return
    libc = ctypes.CDLL(None, use_errno=True)
    paths = os.fsencode(new), os.fsencode(output)
    if libc.renameat2(_AT_FDCWD, paths[0], _AT_FDCWD, paths[1], _RENAME_EXCHANGE) == 0:
        return
    output.rename(old)
    try:
        new.rename(output)
    except OSError:
        old.rename(output)
        raise


def _swap_contents(output: Path, new: Path, staging: Path) -> None:
    """Put the entries of `new` into `output` in the place of those that are there."""
    old = staging / "old"
    old.mkdir()
    moves = [(p, old / p.name) for p in sorted(output.iterdir()) if p != staging]
    moves += [(p, output / p.name) for p in sorted(new.iterdir())]
    done: list[tuple[Path, Path]] = []
    try:
        for move in moves:
            move[0].rename(move[1])
            done.append(move)
    except OSError:
        for before, after in reversed(done):
            after.rename(before)
        old.rmdir()
        raise
