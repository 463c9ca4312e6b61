"""The copy of a project that an output folder starts from."""

import errno
import os
import shutil
import tempfile
from collections.abc import Iterable
from pathlib import Path

from porting.errors import OutputError, reason
from porting.hipify_torch.selection import is_installed
from porting.output.replacing import write_file


def copy_project(project: Path, output: Path) -> None:
    """Copy a project to a folder that does not exist yet; it is there whole or not at all.

    Links stay links.  The project's own `build` and `.git`, environments with installed packages,
    and an output folder inside it, are no part of the copy.  Where another run has made the folder
    meanwhile, it is that run's.  Raises OutputError.
    """
    try:
        output.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=f".{output.name}.", dir=output.parent) as folder:
            made = Path(folder) / output.name
            left_out = {output, Path(folder), project / "build", project / ".git"}
            shutil.copytree(
                project,
                made,
                symlinks=True,
                ignore=lambda at, names: {
                    name
                    for name in names
                    if Path(at, name) in left_out or is_installed(Path(at, name))
                },
            )
            _put_in_place(made, output)
    except shutil.Error as error:
        path, _, why = error.args[0][0]
        raise OutputError(
            f"{path} cannot be copied to {output}: {why}; nothing was written; mend that, or copy"
            " the project yourself"
        ) from error
    except OSError as error:
        raise OutputError(
            f"{project} cannot be copied to {output}: {reason(error)}; nothing was written; "
            "mend that, or name another output directory"
        ) from error


def _put_in_place(made: Path, output: Path) -> None:
    try:
        made.rename(output)
    except OSError as error:
        if error.errno not in (errno.ENOTEMPTY, errno.EEXIST) or not output.is_dir():
            raise


def refresh(project: Path, output: Path, paths: Iterable[str]) -> None:
    """Copy the files of a project that are newer than their copies, or have none.

    Raises OutputError.
    """
    for path in paths:
        original, copy = project / path, output / path
        info = original.stat()
        if copy.exists() and copy.stat().st_mtime_ns >= info.st_mtime_ns:
            continue
        try:
            copy.parent.mkdir(parents=True, exist_ok=True)
            write_file(copy, original.read_bytes(), info.st_mode & 0o7777)
            os.utime(copy, ns=(info.st_atime_ns, info.st_mtime_ns))
        except OSError as error:
            raise OutputError(
                f"{original} cannot be copied to {copy}: {reason(error)}; mend that, or remove"
                f" {output}, which is then made anew"
            ) from error
