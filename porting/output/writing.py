"""Write a ported tree or file."""

import shutil
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from porting.config import Target
from porting.errors import InputError, reason
from porting.hipify import Hipified
from porting.output.linemap import LineMap
from porting.output.replacing import make_folders, write_file
from porting.output.staging import StagedFolder
from porting.tree import Entry, Kind, Tree


def write(
    output: Path, tree: Tree, hipified: Sequence[Hipified], target: Target, *, force: bool
) -> None:
    """Write the output, whole or not at all.

    Bytes outside of edits, permission bits and links are the input's.  Raises PortingError.
    """
    if tree.single:
        with ExitStack() as undo:
            make_folders(output.parent, undo)
            write_file(output, hipified[0].data, tree.entries[0].mode & 0o777)
            undo.pop_all()
        return
    data = {done.source.path: done.data for done in hipified}
    lines = {done.source.path: LineMap.of(done.source, done.edits) for done in hipified}
    with StagedFolder(output, lines, target, force=force) as folder:
        for entry in tree.entries:
            _write_entry(tree, entry, folder / entry.path, data.get(entry.path, b""))


def _write_entry(tree: Tree, entry: Entry, path: Path, data: bytes) -> None:
    """Write one entry; folders come before what is in them."""
    match entry.kind:
        case Kind.FOLDER:
            # Writable whatever the input says: files are to be written into it, and replaced.
            path.mkdir(mode=entry.mode & 0o777 | 0o700)
        case Kind.LINK:
            path.symlink_to(entry.link)
        case Kind.SOURCE:
            path.write_bytes(data)
            path.chmod(entry.mode & 0o777)
        case Kind.FILE:
            _copy(tree.root / entry.path, path)
            path.chmod(entry.mode & 0o777)
        case Kind.SPECIAL:
            pass


def _copy(source: Path, path: Path) -> None:
    try:
        file = source.open("rb")
    except OSError as error:
        message = f"{source} cannot be read: {reason(error)}; nothing was written"
        raise InputError(message) from error
    with file, path.open("wb") as copy:
        shutil.copyfileobj(file, copy, 1 << 20)
