"""Put hipified files beside their originals: all of them or none, and untouched where equal."""

import os
import stat
from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import Path

from porting.hipify_torch.cleaning import Cleaner
from porting.hipify_torch.translating import Translated
from porting.output.replacing import make_folders, replace_files


def can_be_written(path: Path) -> bool:
    """Whether a file can be made or replaced; its folder may still have to be made."""
    folder = path.parent
    while not folder.exists():
        folder = folder.parent
    return os.access(folder, os.W_OK | os.X_OK)


def write_hipified(folder: Path, files: Iterable[Translated], cleaner: Cleaner) -> frozenset[str]:
    """Write what is not there yet and return the paths, seen from `folder`, of what was written.

    New files and folders are told to the cleaner.  Raises OutputError; then nothing was written.
    """
    fresh = [file for file in files if not _is_there(folder / file.new_path, file.data)]
    new = [file.new_path for file in fresh if not (folder / file.new_path).exists()]
    with ExitStack() as undo:
        missing: dict[Path, None] = {}
        for file in fresh:
            above = (folder / file.new_path).parent
            missing |= dict.fromkeys(reversed(_missing(above)))
            make_folders(above, undo)
        replace_files(
            {folder / file.new_path: file.data for file in fresh},
            {folder / file.new_path: _mode(folder / file.path) for file in fresh},
        )
        undo.pop_all()
    cleaner.files_to_clean.update(os.path.abspath(folder / path) for path in new)  # noqa: PTH100
    cleaner.dirs_to_clean.extend(os.path.abspath(made) for made in missing)  # noqa: PTH100
    return frozenset(file.new_path for file in fresh)


def _is_there(path: Path, data: bytes) -> bool:
    try:
        return path.read_bytes() == data
    except FileNotFoundError:
        return False


def _missing(folder: Path) -> list[Path]:
    return [path for path in (folder, *folder.parents) if not path.exists()]


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)
