"""Hipify the files of a run: which of them move, and how those that include them follow.  Pure."""

import posixpath
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from porting.config import Target
from porting.conversion import Conversion, Progress
from porting.diagnostics import Diagnostic
from porting.hipify import Hipified
from porting.hipify_torch.custom_map import apply_custom_map
from porting.hipify_torch.gathering import BREADCRUMB, Gathered
from porting.inventory import is_build_file
from porting.mapping import Names
from porting.rules import Project, collect_project
from porting.source import C_SUFFIXES, UTF8_BOM, SourceFile

# Files of these kinds get the breadcrumb; the others are no C that a comment fits into.
_MARKED = (".cu", ".cuh", ".c", ".cc", ".cpp", ".h", ".hpp")
_OTHER_LANGUAGES = (
    ".py",
    ".pyx",
    ".sh",
    ".rs",
    ".toml",
    ".json",
    ".yaml",
    ".yml",
    ".md",
    ".rst",
    ".txt",
)
# Whatever can be the name of a header: an include, a macro that stands for one, __has_include.
_NAMED = re.compile(r"[<\"]([^<>\"\n]+)[>\"]")


@dataclass(frozen=True)
class Plan:
    """How the files of a run are to be hipified.

    `hip_path`: the layout.  `is_pytorch_extension`: files that nothing changes stay where they are.
    `can_be_written`: whether a file's new place can be; where not, the file stays as it is.
    `include_dirs`: folders, seen as the files are, in the order of the compiler's.
    """

    target: Target
    project: Project
    custom_map: Mapping[str, str]
    hip_path: Callable[[str], str]
    can_be_written: Callable[[str], bool]
    is_pytorch_extension: bool
    include_dirs: tuple[str, ...] = ()
    jobs: int = 1


@dataclass(frozen=True)
class Translated:
    """One file: where it goes, which is its own path when nothing changed, and what was found.

    `is_marked`: its first line says that hipify made it.
    """

    path: str
    new_path: str
    data: bytes
    diagnostics: tuple[Diagnostic, ...]
    is_writable: bool
    is_marked: bool


def translate(gathered: Gathered, plan: Plan, progress: Progress) -> dict[str, Translated]:
    """Return each file translated, by its path.

    A file that moves changes those that include it, and so moves them; this goes on until no
    further file does.
    """
    sources = {path: _source(path, data, plan.custom_map) for path, data in gathered.files.items()}
    facts = collect_project(sources.values(), (*gathered.files, *gathered.others))
    macros = (*facts.platform_macros, *plan.project.platform_macros)
    project = replace(
        facts,
        platform_macros=macros,
        defines=plan.project.defines,
        include_dirs=plan.include_dirs,
    )
    mentioned = {path: _mentioned(source) for path, source in sources.items()}
    names = Names.load(plan.target.rocm)
    writable = {path for path in sources if plan.can_be_written(plan.hip_path(path))}
    moved = {path for path in writable if _moves_unchanged(path, plan)}
    done: dict[str, Hipified] = {}
    todo = set(sources)
    while todo:
        new = {path: plan.hip_path(path) for path in moved}
        new |= {sources[path].path: to for path, to in new.items()}
        conversion = Conversion(plan.target, names, replace(project, renamed=new))
        ordered = [path for path in sources if path in todo]
        results = conversion.all([sources[path] for path in ordered], plan.jobs, progress)
        done.update(zip(ordered, results, strict=True))
        fresh = {
            path for path in todo & writable - moved if done[path].data != gathered.files[path]
        }
        moved |= fresh
        names_moved = {posixpath.basename(path) for path in fresh}
        todo = {path for path in sources if not names_moved.isdisjoint(mentioned[path])}
    return {
        path: _translated(path, hipified, plan, moved=path in moved, writable=path in writable)
        for path, hipified in done.items()
    }


def is_translatable(path: str) -> bool:
    """Whether a file can be C-family text by its name: no script, build file or document.

    Suffixes that nobody knows are: who selects them says that they are C++.
    """
    return not is_build_file(path) and not path.lower().endswith(_OTHER_LANGUAGES)


def _source(path: str, data: bytes, custom_map: Mapping[str, str]) -> SourceFile:
    """Return a file under a name by which the rules take it for what it is.

    A template, like version.h.in, is what it is a template of.
    """
    inner = SourceFile(path.removesuffix(".in"), b"").suffix
    name = path
    if inner in C_SUFFIXES and path.endswith(".in"):
        name = path + inner
    elif inner not in C_SUFFIXES and not path.endswith(".in"):
        name = f"{path}.h"
    return SourceFile(name, apply_custom_map(data, custom_map))


def _moves_unchanged(path: str, plan: Plan) -> bool:
    """Whether a file moves even when nothing in it changes: its folder has another name."""
    new = plan.hip_path(path)
    if not plan.is_pytorch_extension:
        return True
    return new.rpartition("/")[0] != path.rpartition("/")[0]


def _mentioned(source: SourceFile) -> frozenset[str]:
    """Return the file names of all headers that a file may include."""
    return frozenset(posixpath.basename(match[1]) for match in _NAMED.finditer(source.text))


def _translated(
    path: str, done: Hipified, plan: Plan, *, moved: bool, writable: bool
) -> Translated:
    new_path = plan.hip_path(path) if moved else path
    found = tuple(replace(diagnostic, file=path) for diagnostic in done.diagnostics)
    data = done.data
    is_marked = new_path != path and path.endswith(_MARKED)
    if is_marked:
        mark = f"{BREADCRUMB}{done.source.newline}".encode()
        bom = UTF8_BOM if data.startswith(UTF8_BOM) else b""
        data = bom + mark + data.removeprefix(bom)
    return Translated(path, new_path, data, found, writable, is_marked)
