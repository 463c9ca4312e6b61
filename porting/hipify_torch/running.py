"""One run: choose the files, translate them, put them in their places, say what became of each."""

import itertools
import os
import posixpath
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from porting.config import Target
from porting.conversion import Progress
from porting.diagnostics import Diagnostic
from porting.errors import InputError, OutputError
from porting.hipify_torch.cleaning import Cleaner
from porting.hipify_torch.copying import copy_project, refresh
from porting.hipify_torch.gathering import Gathered, gather, is_output
from porting.hipify_torch.layout import hip_path
from porting.hipify_torch.selection import Selection, files_below, is_installed, is_left_out
from porting.hipify_torch.translating import Plan, Translated, is_translatable, translate
from porting.hipify_torch.writing import can_be_written, write_hipified
from porting.rules import Project

NO_PERMISSIONS = "[skipped, no permissions]"


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
        found = itertools.chain(files_below(self.output), *map(self._below, self.include_dirs))
        yield from (p for p in found if self.takes(p) and (self.output / p).is_file())

    def _below(self, include_dir: str) -> Iterator[str]:
        below = self.output / include_dir
        return (self._seen(str(below / path)) for path in files_below(below, everything=True))


@dataclass(frozen=True)
class Outcome:
    """What became of one file; `path` None says that it was ignored."""

    source: str
    path: str | None
    status: str
    diagnostics: tuple[Diagnostic, ...] = ()


def run(request: Request, cleaner: Cleaner, progress: Progress) -> list[Outcome]:
    """Do all of it.  Raises InputError and OutputError; no hipified file was written then."""
    _prepare(request)
    wanted = list(dict.fromkeys(request.all()))
    foreign = [path for path in wanted if not is_translatable(path)]
    gathered = gather(
        request.output,
        [path for path in wanted if is_translatable(path)],
        lambda path: is_translatable(path) and request.takes(path),
        request.include_dirs,
    )
    done = translate(gathered, _plan(request), progress)
    changed = [file for file in done.values() if _is_to_write(file, gathered)]
    _check_places(request.output, changed, gathered)
    written = write_hipified(request.output, changed, cleaner)
    return [
        *(Outcome(path, None, "[ignored, not C, C++ or CUDA]") for path in foreign),
        *(Outcome(path, None, "[ignored, input is hipified output]") for path in gathered.outputs),
        *(_outcome(file, gathered, was_written=file.new_path in written) for file in done.values()),
    ]


def _prepare(request: Request) -> None:
    project, output = request.project, request.output
    if not project.is_dir():
        raise InputError(f"{project} is no folder; hipify takes the root folder of a project")
    if project == output:
        return
    if not output.exists():
        copy_project(project, output)
    elif not request.extra_only:
        # What an output folder inside the project holds is no part of it.
        inside = f"{output.relative_to(project)}/" if output.is_relative_to(project) else None
        files = (p for p in files_below(project) if inside is None or not p.startswith(inside))
        wanted = (p for p in files if request.takes(p) and (project / p).is_file())
        refresh(project, output, wanted)


def _plan(request: Request) -> Plan:
    return Plan(
        target=request.target,
        project=request.facts,
        custom_map=request.custom_map,
        hip_path=lambda path: hip_path(path, is_pytorch_extension=request.is_pytorch_extension),
        can_be_written=lambda path: can_be_written(request.output / path),
        is_pytorch_extension=request.is_pytorch_extension,
        include_dirs=request.include_folders,
        jobs=request.jobs,
    )


def _is_to_write(file: Translated, gathered: Gathered) -> bool:
    if not file.is_writable:
        return False
    return file.new_path != file.path or file.data != gathered.files[file.path]


def _check_places(output: Path, files: Sequence[Translated], gathered: Gathered) -> None:
    """Raise OutputError where a file would replace one that hipify did not make."""
    taken: dict[str, str] = {}
    for file in files:
        if file.new_path in taken:
            raise OutputError(
                f"{taken[file.new_path]} and {file.path} both become {file.new_path}; "
                "nothing was written; rename one of them"
            )
        taken[file.new_path] = file.path
        place = output / file.new_path
        if file.new_path == file.path or not file.is_marked or not place.exists():
            continue
        if file.new_path in gathered.files or not is_output(place.read_bytes()):
            raise OutputError(
                f"{file.path} becomes {file.new_path}, and {place} exists and was not made by"
                " hipify; nothing was written; rename or remove one of them"
            )


def _outcome(file: Translated, gathered: Gathered, *, was_written: bool) -> Outcome:
    path, status = file.new_path, "[ok]"
    if not file.is_writable and file.data != gathered.files[file.path]:
        status = NO_PERMISSIONS
    elif not _is_to_write(file, gathered):
        status = "[skipped, no changes]"
    elif not was_written:
        status = "[skipped, already hipified]"
    return Outcome(file.path, path, status, file.diagnostics)
