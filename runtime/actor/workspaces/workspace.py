"""A workspace: directories of this machine, and where hosts have them below WORKSPACE_DIR."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Paths = str | os.PathLike[str]


class WorkspaceError(OSError):
    """A workspace could not be copied; the text says to which host, and why."""


class Workspace:
    """Directories to copy: a list, which keep their names, or a mapping to where they are to be.

    "" is WORKSPACE_DIR itself. `env` is there for programs that give it, and is not copied.
    """

    def __init__(
        self,
        dirs: Sequence[Paths] | Mapping[Paths, str] | None = None,
        env: Any = None,  # noqa: ANN401 - Monarch's environments
    ) -> None:
        self.env = env
        self.dirs: dict[Path, str] = {}
        named = isinstance(dirs, Mapping)
        for source in dirs or ():
            if not os.fspath(source):
                raise ValueError("a workspace's directory is ''; name it, '.' is the current one")
            path = Path(source)
            self.dirs[path] = dirs[source] if named else path.resolve().name  # type: ignore[call-overload,index]

    def __repr__(self) -> str:
        return f"Workspace({ {str(source): below for source, below in self.dirs.items()} })"


def directories(given: object) -> dict[Path, str]:
    """Return what is to be copied where: of a Workspace, a path, a list or a mapping of paths.

    Monarch's own Workspace will do. NotADirectoryError for what cannot be copied, ValueError for a
    place that is not below WORKSPACE_DIR, or for two that overlap.
    """
    dirs = getattr(given, "dirs", None)
    if dirs is None:
        if isinstance(given, str | os.PathLike):
            given = [given]
        if not isinstance(given, Mapping | Sequence):
            raise TypeError(f"a workspace is a Workspace or paths, not {given!r}")
        dirs = Workspace(given).dirs
    found: dict[Path, str] = {}
    for source, below in dirs.items():
        path = Path(source).absolute()
        if not path.is_dir():
            raise NotADirectoryError(f"{path} is no directory, and a workspace is of directories")
        found[path] = "/".join(parts_of(below))
    _refuse_overlaps(list(found.values()))
    return found


def parts_of(below: str) -> list[str]:
    """Return the names on the way to a place below a directory; ValueError when it is not."""
    path = os.fspath(below)
    parts = [part for part in path.split("/") if part not in ("", ".")]
    if path.startswith("/") or ".." in parts or "\0" in path:
        raise ValueError(f"{path!r} is not below WORKSPACE_DIR; give a relative path without '..'")
    return parts


def _refuse_overlaps(places: list[str]) -> None:
    for one in places:
        for other in places:
            if one is not other and (f"{other}/".startswith(f"{one}/") or not one):
                raise ValueError(
                    f"the workspace has {one!r} and {other!r}, and what is in the one replaces the "
                    "other; give each a place of its own"
                )
