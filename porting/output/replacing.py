"""Replace files so that each is there whole at any moment, and several all or none."""

import os
import tempfile
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from pathlib import Path

from porting.errors import OutputError, is_full_disk, reason
from porting.processes import signals_held


def write_file(path: Path, data: bytes, mode: int | None = None) -> None:
    """Write a file whole or not at all; a link at `path` is replaced, not followed.

    `mode`: permission bits; None gives what the umask gives.  Raises OutputError.
    """
    replace_files({path: data}, {} if mode is None else {path: mode})


def replace_files(files: Mapping[Path, bytes], modes: Mapping[Path, int] | None = None) -> None:
    """Write several files, all or none; each is there whole at any moment.

    `modes`: permission bits of the files that are not to get the umask's.  Raises OutputError.
    """
    with ExitStack() as undo:
        try:
            written = {
                path: _write_beside(path, data, (modes or {}).get(path), undo)
                for path, data in files.items()
            }
            with signals_held():
                _put_in_place(written)
        except OSError as error:
            raise output_error(next(iter(files)), error) from error
        finally:
            with signals_held():
                undo.close()


def make_folders(folder: Path, undo: ExitStack) -> None:
    """Create a folder and those above it that are missing; `undo` removes them if still empty."""
    missing = [path for path in (folder, *folder.parents) if not path.exists()]
    for path in reversed(missing):
        try:
            path.mkdir(exist_ok=True)  # another run may be making it too
        except OSError as error:
            raise output_error(path, error) from error
        undo.callback(remove_if_empty, path)


def remove_if_empty(folder: Path) -> None:
    """Remove a folder unless there is something in it."""
    with suppress(OSError):
        folder.rmdir()


def output_error(path: Path, error: OSError) -> OutputError:
    """Return what to say when `path` cannot be written."""
    if is_full_disk(error):
        return OutputError(
            f"{path} cannot be written: no space left on its disk; nothing was written; "
            "free some space or choose another disk"
        )
    return OutputError(
        f"{path} cannot be written: {reason(error)}; nothing was written; "
        "mend that or choose another place"
    )


def _write_beside(path: Path, data: bytes, mode: int | None, undo: ExitStack) -> Path:
    """Write `data` into a new file beside `path`; `undo` removes it if it is still there."""
    with signals_held():
        fd, name = tempfile.mkstemp(prefix=f".{path.name[:100]}.porting-", dir=path.parent)
        beside = Path(name)
        undo.callback(beside.unlink, missing_ok=True)
    with open(fd, "wb") as file:  # noqa: PTH123 - mkstemp gave a descriptor
        file.write(data)
        file.flush()
        os.fchmod(fd, 0o666 & ~_umask() if mode is None else mode)
        os.fsync(fd)
    return beside


def _put_in_place(written: Mapping[Path, Path]) -> None:
    """Rename every new file onto its path; when one fails, put the former files back."""
    with ExitStack() as undo:
        kept: list[Path] = []
        if len(written) > 1:
            for path, beside in written.items():
                former = beside.with_name(beside.name + ".old")
                try:
                    os.link(path, former, follow_symlinks=False)
                except FileNotFoundError:  # it is new
                    undo.callback(path.unlink, missing_ok=True)
                    continue
                undo.callback(_restore, former, path)
                kept.append(former)
        for path, beside in written.items():
            beside.replace(path)
        undo.pop_all()
        for former in kept:
            former.unlink()


def _restore(former: Path, path: Path) -> None:
    former.replace(path)
    # Renaming one link of a file onto another link of it does nothing at all.
    former.unlink(missing_ok=True)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
