"""`hipify` with the parameters, the output layout and the result of hipify_torch's own.

    from porting.hipify_torch.hipify_python import hipify

takes the place of `from torch.utils.hipify.hipify_python import hipify` (or of hipify_torch's).

`project_directory`: "" is the current one.  `output_directory`: where the files are taken from and
put; a copy of the project is made there where it does not exist, "" is the project's name with
`_amd`.  `includes`, `ignores`: shell patterns for absolute paths, or for paths seen from the output
directory.  `extensions`, `extra_extensions`: what names end with.  `header_include_dirs`: folders,
seen from the output directory, where headers are looked for and that are searched for more of them,
which end with `header_extensions`.  `extra_files`: files besides, whatever their names are; with
`hipify_extra_files_only`, only those and what they include.  `is_pytorch_extension`: which of two
layouts; see `layout`.  `custom_map_list`: a JSON file with `custom_map`, texts that are replaced
first; unsaid, the project's custom_hipify_mappings.json.  `hip_clang_launch`: keep `<<<>>>`.
`show_progress`, `show_detailed`: print each file, and a summary.  `clean_ctx`: is told what is new.
`out_of_place_only` changes nothing, as in hipify_torch.

`target` is ours: the ROCm release and architectures; unsaid, those of `[tool.porting]` in the
project's pyproject.toml.
"""

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from pathlib import Path
from typing import Any

from porting.config import Target
from porting.diagnostics import Diagnostic
from porting.errors import InputError
from porting.hipify_torch import saying
from porting.hipify_torch.cleaning import Cleaner, GeneratedFileCleaner
from porting.hipify_torch.custom_map import find_custom_map, read_custom_map
from porting.hipify_torch.gathering import BREADCRUMB
from porting.hipify_torch.layout import hip_path
from porting.hipify_torch.request import Request
from porting.hipify_torch.running import Outcome, run
from porting.hipify_torch.saying import worth_telling
from porting.hipify_torch.selection import Selection
from porting.rules import Project
from porting.settings import Settings, load_settings

__all__ = [
    "HIPIFY_C_BREADCRUMB",
    "CurrentState",
    "GeneratedFileCleaner",
    "HipifyFinalResult",
    "HipifyResult",
    "InputError",
    "get_hip_file_path",
    "hipify",
]

HIPIFY_C_BREADCRUMB = f"{BREADCRUMB}\n"

_EXTENSIONS = (".cu", ".cuh", ".c", ".cc", ".cpp", ".h", ".in", ".hpp")
_HEADER_EXTENSIONS = (".cuh", ".h", ".hpp")


class CurrentState(Enum):
    """How far a file is; `hipify` returns every one of them done."""

    INITIALIZED = 1
    DONE = 2


@dataclass
class HipifyResult:
    """What became of a file.

    `hipified_path`: absolute path of the file to compile; None for one that was ignored.  `status`:
    "[ok]", "[skipped, ...]" or "[ignored, ...]", in hipify_torch's words.  `diagnostics`: what a
    person has to decide, which hipify_torch's does not say.
    """

    current_state: CurrentState
    hipified_path: str | None
    status: str = ""
    diagnostics: tuple[Diagnostic, ...] = field(default=(), repr=False)

    def asdict(self) -> dict[str, Any]:
        """Return what the dump of a run says of the file."""
        return {"hipified_path": self.hipified_path, "status": self.status}


HipifyFinalResult = dict[str, HipifyResult]


def get_hip_file_path(rel_filepath: str, is_pytorch_extension: bool = False) -> str:  # noqa: FBT001, FBT002 - torch's signature
    """Return the path of a file's hipified form.  Raises InputError for an absolute path."""
    if os.path.isabs(rel_filepath):  # noqa: PTH117 - a str comes in, a str goes out
        raise InputError(f"{rel_filepath} is absolute; give it relative to the output directory")
    return hip_path(rel_filepath, is_pytorch_extension=is_pytorch_extension)


def hipify(  # noqa: PLR0913, PLR0917 - hipify_torch's parameters
    project_directory: str,
    show_detailed: bool = False,  # noqa: FBT001, FBT002
    extensions: Iterable[str] = _EXTENSIONS,
    header_extensions: Iterable[str] = _HEADER_EXTENSIONS,
    output_directory: str = "",
    header_include_dirs: Iterable[str] = (),
    includes: Iterable[str] = ("*",),
    extra_files: Iterable[str] = (),
    out_of_place_only: bool = False,  # noqa: ARG001, FBT001, FBT002 - unused by hipify_torch too
    ignores: Iterable[str] = (),
    show_progress: bool = True,  # noqa: FBT001, FBT002
    hip_clang_launch: bool = False,  # noqa: FBT001, FBT002
    is_pytorch_extension: bool = False,  # noqa: FBT001, FBT002
    hipify_extra_files_only: bool = False,  # noqa: FBT001, FBT002
    clean_ctx: Cleaner | None = None,
    *,
    extra_extensions: Iterable[str] = (),
    custom_map_list: str = "",
    target: Target | None = None,
) -> HipifyFinalResult:
    """Hipify the files of a project, each into a new file, and return what became of them.

    The module says what the parameters are; errors and warnings go to stderr.  Returns a result
    for each file by its absolute path.  Raises InputError, ConfigError and OutputError; nothing
    was written then.
    """
    project = os.path.abspath(project_directory or os.curdir)  # noqa: PTH100 - links keep their names
    shown = output_directory or (project_directory or project).rstrip("/") + "_amd"
    settings = load_settings(Path(project))
    selection = Selection(
        _moved(includes, project_directory, shown),
        _moved(ignores, project_directory, shown),
        (*extensions, *extra_extensions),
    )
    request = replace(
        _request(Path(project), shown, selection, settings, custom_map_list),
        include_dirs=tuple(header_include_dirs),
        header_extensions=tuple(header_extensions),
        extra_files=tuple(extra_files),
        extra_only=hipify_extra_files_only,
        is_pytorch_extension=is_pytorch_extension,
        target=replace(target or _target(settings), hipify_launches=not hip_clang_launch),
    )
    outcomes = run(
        request, clean_ctx or GeneratedFileCleaner(keep_intermediates=True), lambda _: None
    )
    _say(request.output, outcomes, settings, progress=show_progress, counts=show_detailed)
    return _results(request.output, outcomes)


def _request(
    project: Path, shown: str, selection: Selection, settings: Settings, custom_map: str
) -> Request:
    """Return a request with what the project's files say."""
    map_file = find_custom_map(custom_map, project)
    return Request(
        project=project,
        output=Path(os.path.abspath(shown)),  # noqa: PTH100 - links keep their names
        shown=shown,
        selection=selection,
        target=_target(settings),
        facts=Project(platform_macros=settings.platform_macros, defines=settings.defines),
        custom_map={} if map_file is None else read_custom_map(map_file),
        jobs=settings.jobs or len(os.sched_getaffinity(0)),
    )


def _say(
    output: Path,
    outcomes: Sequence[Outcome],
    settings: Settings,
    *,
    progress: bool,
    counts: bool,
) -> None:
    findings = worth_telling(outcomes, settings)
    if progress:
        saying.show_progress(output, outcomes)
    saying.show_findings(output, outcomes, findings)
    if counts:
        saying.show_counts(outcomes, findings)


def _moved(patterns: Iterable[str], project: str, output: str) -> list[str]:
    """Return patterns with the project's folder replaced by the output's, as hipify_torch does."""
    return [pattern.replace(project, output) if project else pattern for pattern in patterns]


def _target(settings: Settings) -> Target:
    default = Target()
    return Target(settings.rocm or default.rocm, settings.arch or default.archs)


def _results(output: Path, outcomes: Iterable[Outcome]) -> HipifyFinalResult:
    return {
        saying.absolute(output, outcome.source): _result(output, outcome) for outcome in outcomes
    }


def _result(output: Path, outcome: Outcome) -> HipifyResult:
    path = None if outcome.path is None else saying.absolute(output, outcome.path)
    return HipifyResult(CurrentState.DONE, path, outcome.status, outcome.diagnostics)
