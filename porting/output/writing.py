"""Write a ported tree or file."""

import shutil
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from porting.config import Mode, Target
from porting.errors import InputError, reason
from porting.hipify import Hipified
from porting.output.linemap import LineMap
from porting.output.replacing import make_folders, write_file
from porting.output.staging import StagedFolder
from porting.tree import Entry, Kind, Tree


@dataclass(frozen=True)
class Extra:
    """What an output holds besides the tree's own sources as they were ported.

    `replaced`: new bytes of files that are no C-family source, such as build files.  `added`: new
    files.  Both by path below the root.
    """

    replaced: Mapping[str, bytes] = field(default_factory=dict)
    added: Mapping[str, bytes] = field(default_factory=dict)


def write(  # noqa: PLR0913 - one for each part of an output
    output: Path,
    tree: Tree,
    hipified: Sequence[Hipified],
    target: Target,
    extra: Extra,
    *,
    mode: Mode,
    force: bool,
) -> None:
    """Write the output, whole or not at all.

    Bytes outside of edits, permission bits and links are the input's.  An output of one file has
    no room for `extra`.  Raises PortingError.
    """
    if tree.single:
        with ExitStack() as undo:
            make_folders(output.parent, undo)
            write_file(output, hipified[0].data, tree.entries[0].mode & 0o777)
            undo.pop_all()
        return
    data = {done.source.path: done.data for done in hipified} | dict(extra.replaced)
    lines = {done.source.path: LineMap.of(done.source, done.edits) for done in hipified}
    with StagedFolder(output, lines, target, mode, force=force) as folder:
        for entry in tree.entries:
            if entry.path not in extra.added:
                _write_entry(tree, entry, folder / entry.path, data.get(entry.path))
        for path, content in extra.added.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(content)


def _write_entry(tree: Tree, entry: Entry, path: Path, data: bytes | None) -> None:
    """Write one entry, as it is when there is no new `data`; folders come before their contents."""
    match entry.kind:
        case Kind.FOLDER:
            # Writable whatever the input says: files are to be written into it, and replaced.
            path.mkdir(mode=entry.mode & 0o777 | 0o700)
        case Kind.LINK:
            path.symlink_to(entry.link)
        case Kind.SOURCE | Kind.FILE:
            if data is None:
                _copy(tree.root / entry.path, path)
            else:
                path.write_bytes(data)
            path.chmod(entry.mode & 0o777)
        case Kind.SPECIAL | Kind.BUILD:
            pass


def _copy(source: Path, path: Path) -> None:
    try:
        file = source.open("rb")
    except OSError as error:
        message = f"{source} cannot be read: {reason(error)}; nothing was written"
        raise InputError(message) from error
    with file, path.open("wb") as copy:
        shutil.copyfileobj(file, copy, 1 << 20)
