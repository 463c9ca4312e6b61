"""Convert the Meson files of a tree: a whole project, or nothing of it."""

import posixpath
import re
from collections.abc import Collection, Sequence
from pathlib import PurePosixPath

from porting.buildfiles.codes import ALREADY_PORTED, LEFT_ALONE
from porting.buildfiles.meson.generate import NAME, gpu_meson
from porting.buildfiles.meson.rocm import rewrite
from porting.buildfiles.meson.syntax import MesonFile
from porting.buildfiles.model import BuildContext, Converted, rewritten, unreadable
from porting.buildfiles.shell.generate import NAME as DETECT
from porting.buildfiles.shell.generate import gpu_detect
from porting.diagnostics import Diagnostic, Severity, by_place
from porting.generated import FOLDER
from porting.hipify import Hipified
from porting.source import SourceFile

_CUDA = re.compile(r"(?i)(?:unstable-)?cuda|cuda_(?:args|\w+=.*)|.*\bnvcc\b.*|nvcc_\w+|[^/]*\.cu")
_WORD = re.compile(r"(?i)cuda|nvcc|\.cu\b")  # of a file whose strings cannot be told
_ROCM = re.compile(r"(?i)rocm|hipcc|amdhip64|'hip'|gpu_platform")


class MesonFiles:
    """meson.build."""

    def handles(self, path: str) -> bool:
        """Whether a file is one of Meson's, by its name."""
        return PurePosixPath(path).name == "meson.build"

    def convert(self, files: Sequence[SourceFile], context: BuildContext) -> Converted:
        """Convert each project of the tree, when all that it does with CUDA is known."""
        parsed = [MesonFile(source) for source in files]
        roots = {posixpath.dirname(f.source.path) for f in parsed if _is_root(f)}
        projects: dict[str | None, list[MesonFile]] = {}
        for file in parsed:
            projects.setdefault(_root_of(file, roots), []).append(file)
        done: list[Hipified] = []
        generated: dict[str, str] = {}
        for root, mine in projects.items():
            project = _convert(mine, context, root)
            done += project.files
            generated |= project.generated
        return Converted(tuple(done), generated)


def _is_root(file: MesonFile) -> bool:
    return any(call.name == "project" for call in file.calls)


def _root_of(file: MesonFile, roots: Collection[str]) -> str | None:
    """Return the folder of the project that a file is part of, None for none."""
    folder = posixpath.dirname(file.source.path)
    while folder not in roots:
        if not folder:
            return None
        folder = posixpath.dirname(folder)
    return folder


def _convert(parsed: Sequence[MesonFile], context: BuildContext, root: str | None) -> Converted:
    unchanged = {file.source.path: Hipified(file.source, file.source.data) for file in parsed}
    told = _kept(parsed, root)
    if told is not None:
        for found in told:
            source = unchanged[found.file].source
            unchanged[found.file] = rewritten(source, (), (found,))
        return Converted(tuple(unchanged.values()))
    folder = root or ""
    project = rewrite(parsed, context, folder)
    failed = any(d.severity is Severity.ERROR for d in project.found)
    done = []
    for file in parsed:
        path = file.source.path
        edits = [] if failed else sorted(project.edits.get(path, ()), key=lambda e: e.start)
        found_here = by_place([d for d in project.found if d.file == path])
        done.append(rewritten(file.source, edits, found_here))
    changed = [file.source.path for file in done if file.changed]
    if not changed:
        return Converted(tuple(done))
    place = posixpath.join(folder, FOLDER)
    made = {
        f"{place}/{NAME}": gpu_meson(context, changed, folder),
        f"{place}/{DETECT}": gpu_detect(context),
    }
    return Converted(tuple(done), made)


def _kept(parsed: Sequence[MesonFile], root: str | None) -> list[Diagnostic] | None:
    """Return what is said of a project that stays as it is, None of one to convert."""
    cuda = [file for file in parsed if _names_cuda(file)]
    if not cuda:
        return []
    known = next((file for file in parsed if _names(file, _ROCM)), None)
    if known is not None:
        path = known.source.path
        text = f"{path} asks for HIP by itself; the files of the project stay as they are"
        return [ALREADY_PORTED.at(path, text)]
    broken = [(file.source, file.fault) for file in parsed if file.fault is not None]
    if broken:
        return [unreadable(source, *fault) for source, fault in broken]
    if root is None:
        text = "no meson.build above this one has a project(), so what it is part of is not known"
        return [LEFT_ALONE.at(cuda[0].source.path, text, "port the tree from its project's folder")]
    return None


def _names_cuda(file: MesonFile) -> bool:
    return _names(file, _CUDA) or (file.fault is not None and bool(_WORD.search(file.source.text)))


def _names(file: MesonFile, pattern: re.Pattern[str]) -> bool:
    return any(
        pattern.fullmatch(token.value) or (pattern is _ROCM and pattern.search(token.text))
        for token in file.tokens
        if token.kind in ("word", "string")
    )
