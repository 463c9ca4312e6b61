"""One run: choose the files, translate them, put them in their places, say what became of each."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from porting.conversion import Progress
from porting.diagnostics import Diagnostic
from porting.errors import InputError, OutputError
from porting.hipify_torch.cleaning import Cleaner
from porting.hipify_torch.copying import copy_project, refresh
from porting.hipify_torch.gathering import Gathered, gather, is_output
from porting.hipify_torch.layout import hip_path
from porting.hipify_torch.request import Request
from porting.hipify_torch.selection import project_files
from porting.hipify_torch.translating import Plan, Translated, is_translatable, translate
from porting.hipify_torch.writing import can_be_written, write_hipified

NO_PERMISSIONS = "[skipped, no permissions]"


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
        files = (p for p in project_files(project) if inside is None or not p.startswith(inside))
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
