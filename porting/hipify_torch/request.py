"""What a run is asked for, and which files of a folder that means."""

import itertools
import os
import posixpath
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from porting.config import Target
from porting.hipify_torch.selection import (
    Selection,
    files_below,
    is_installed,
    is_left_out,
    project_files,
)
from porting.rules import Project


@dataclass(frozen=True)
class Request:
    """What to hipify, and how.

    `project`: where the files come from; `output`: where they are put, absolute, and `shown`, as it
    was named.  `include_dirs`: folders, absolute or seen from `output`, whose headers, the
    files that end with `header_extensions`, are hipified too.  `extra_files`: files besides the
    selection; `extra_only`: those, and what they include, and nothing else.
    """

    project: Path
    output: Path
    shown: str
    selection: Selection
    target: Target
    include_dirs: Sequence[str] = ()
    header_extensions: Sequence[str] = ()
    extra_files: Sequence[str] = ()
    extra_only: bool = False
    is_pytorch_extension: bool = False
    facts: Project = field(default_factory=Project)
    custom_map: Mapping[str, str] = field(default_factory=dict)
    jobs: int = 1

    def takes(self, path: str) -> bool:
        """Whether a file, seen from the output folder, may be hipified."""
        if path in self.extras:
            return True
        if self._is_installed(posixpath.dirname(path)):
            return False
        if path.startswith("../"):
            path = self._without_links(path)
        forms = self._forms(path)
        if not path.startswith("../") and not is_left_out(path) and self.selection.takes(*forms):
            return True
        return self._is_header(path) and self.selection.takes(*forms, ends=self.header_extensions)

    @cached_property
    def extras(self) -> tuple[str, ...]:
        """The extra files, seen from the output folder."""
        return tuple(self._seen(path) for path in self.extra_files)

    @cached_property
    def _installed(self) -> dict[str, bool]:
        return {"": False, ".": False, "..": False}

    def _is_installed(self, folder: str) -> bool:
        """Whether a folder, seen from the output folder, is below one of installed packages."""
        if folder not in self._installed:
            above, _, name = folder.rpartition("/")
            self._installed[folder] = name != ".." and (
                self._is_installed(above) or is_installed(self.output / folder)
            )
        return self._installed[folder]

    def _forms(self, path: str) -> tuple[str, ...]:
        """Return the paths that a pattern may mean: absolute, as the folder was named, inside."""
        absolute = os.path.abspath(self.output / path)  # noqa: PTH100 - links keep their names
        return (absolute, posixpath.join(self.shown, path), path)

    def _without_links(self, path: str) -> str:
        """Return the path of a file that is reached through a link to the project or into it."""
        real = os.path.relpath(os.path.realpath(self.output / path), os.path.realpath(self.output))
        return path if real.startswith("../") else real

    def _seen(self, path: str) -> str:
        return os.path.relpath(self.output / path, self.output)

    @cached_property
    def include_folders(self) -> tuple[str, ...]:
        """The include folders, seen from the output folder."""
        return tuple(map(self._seen, self.include_dirs))

    def _is_header(self, path: str) -> bool:
        """Whether a file is below an include folder."""
        return any(path.startswith(f"{f}/") or f == "." for f in self.include_folders)

    def all(self) -> Iterator[str]:
        """Yield what is to be hipified: the selection, the extra files, the include folders'.

        Of what a folder holds that are files, and no pipes nor links to nothing.
        """
        yield from self.extras
        if self.extra_only:
            return
        found = itertools.chain(project_files(self.output), *map(self._below, self.include_dirs))
        yield from (p for p in found if self.takes(p) and (self.output / p).is_file())

    def _below(self, include_dir: str) -> Iterator[str]:
        below = self.output / include_dir
        return (self._seen(str(below / path)) for path in files_below(below))
