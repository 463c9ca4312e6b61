"""Convert the Meson files of a tree: a whole project, or nothing of it."""

import re
from collections.abc import Sequence
from pathlib import PurePosixPath

from porting.buildfiles.codes import ALREADY_PORTED
from porting.buildfiles.meson.generate import NAME, gpu_meson
from porting.buildfiles.meson.rocm import rewrite
from porting.buildfiles.meson.syntax import MesonFile
from porting.buildfiles.model import BuildContext, Converted, rewritten, unreadable
from porting.buildfiles.shell.generate import NAME as DETECT
from porting.buildfiles.shell.generate import gpu_detect
from porting.diagnostics import Severity, by_place
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
        """Convert the project at the root of the tree, when all that it does with CUDA is known."""
        parsed = [MesonFile(source) for source in files]
        cuda = [file for file in parsed if _names_cuda(file)]
        unchanged = {file.source.path: Hipified(file.source, file.source.data) for file in parsed}
        if not cuda:
            return Converted(tuple(unchanged.values()))
        known = next((file for file in parsed if _names(file, _ROCM)), None)
        if known is not None:
            path = known.source.path
            text = f"{path} asks for HIP by itself; the files of the project stay as they are"
            told = (ALREADY_PORTED.at(path, text),)
            unchanged[path] = Hipified(known.source, known.source.data, diagnostics=told)
            return Converted(tuple(unchanged.values()))
        broken = [file for file in parsed if file.fault is not None]
        if broken:
            for file in broken:
                told = (unreadable(file.source, *file.fault or (0, "")),)
                unchanged[file.source.path] = rewritten(file.source, (), told)
            return Converted(tuple(unchanged.values()))
        project = rewrite(parsed, context)
        found = {path: [d for d in project.found if d.file == path] for path in unchanged}
        failed = any(d.severity is Severity.ERROR for d in project.found)
        done = []
        for file in parsed:
            path = file.source.path
            edits = [] if failed else sorted(project.edits.get(path, ()), key=lambda e: e.start)
            done.append(rewritten(file.source, edits, by_place(found[path])))
        if failed or not any(file.changed for file in done):
            return Converted(tuple(done))
        changed = [file.source.path for file in done if file.changed]
        generated = gpu_meson(context, changed)
        script = gpu_detect(context)
        return Converted(tuple(done), {f"{FOLDER}/{NAME}": generated, f"{FOLDER}/{DETECT}": script})


def _names_cuda(file: MesonFile) -> bool:
    return _names(file, _CUDA) or (file.fault is not None and bool(_WORD.search(file.source.text)))


def _names(file: MesonFile, pattern: re.Pattern[str]) -> bool:
    return any(
        pattern.fullmatch(token.value) or (pattern is _ROCM and pattern.search(token.text))
        for token in file.tokens
        if token.kind in ("word", "string")
    )
