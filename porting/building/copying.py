"""The copy of a tree that is built, so that the tree itself is not touched."""

import os
import shutil
import stat
from collections.abc import Callable, Iterable
from pathlib import Path

from porting.errors import OutputError, is_full_disk, reason

_LEFT_OUT = shutil.ignore_patterns(".git", "__pycache__")
_COPIED = (stat.S_IFREG, stat.S_IFDIR, stat.S_IFLNK)


def copy_tree(root: Path, place: Path) -> None:
    """Copy a tree to `place`; links stay links, and what is neither file nor folder stays out.

    `place` may lie below `root`; its own folder is then no part of the copy.  Raises OutputError.
    """
    try:
        shutil.copytree(
            root, place, symlinks=True, ignore=_left_out(place.parent), copy_function=_copy
        )
    except shutil.Error as error:
        source, target, why = error.args[0][0]
        raise OutputError(f"{source} cannot be copied to {target}: {why}") from error
    except OSError as error:
        raise _uncopied(root, place, error) from error


def _left_out(own: Path) -> Callable[[str, list[str]], Iterable[str]]:
    def left_out(folder: str, names: list[str]) -> set[str]:
        skipped = set(_LEFT_OUT(folder, names))
        for name in names:
            path = Path(folder, name)
            kind = stat.S_IFMT(os.lstat(path).st_mode)
            if kind not in _COPIED or os.path.realpath(path) == str(own):
                skipped.add(name)
        return skipped

    return left_out


def _copy(source: str, target: str) -> str:
    try:
        return str(shutil.copy2(source, target))
    except OSError as error:
        raise _uncopied(Path(source), Path(target), error) from error


def _uncopied(source: Path, target: Path, error: OSError) -> OutputError:
    """Return an error that stops the copying; copytree itself goes on after an OSError."""
    help_text = "; free some space, or set TMPDIR to another disk" if is_full_disk(error) else ""
    return OutputError(f"{source} cannot be copied to {target}: {reason(error)}{help_text}")
