"""Convert the Makefiles of a tree."""

import re
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath

from porting.buildfiles.codes import ALREADY_PORTED
from porting.buildfiles.make.faults import fault
from porting.buildfiles.make.generate import NAME, gpu_mk
from porting.buildfiles.make.model import Makefile
from porting.buildfiles.make.rewriting import Difference, rewrite, told_alone
from porting.buildfiles.make.syntax import Kind
from porting.buildfiles.model import BuildContext, Converted, rewritten, unreadable
from porting.buildfiles.shell.generate import NAME as DETECT
from porting.buildfiles.shell.generate import gpu_detect
from porting.buildfiles.vendor_paths.table import ROCM
from porting.diagnostics import Severity, by_place
from porting.edits import Edit
from porting.generated import FOLDER
from porting.hipify import Hipified
from porting.rules.strings.machine import (
    CUDA_FOLDER,
    HINT,
    HOME_VARIABLE,
    ROCM_HOME,
    ROCM_VARIABLE,
)
from porting.source import SourceFile

_NAMES = frozenset(("Makefile", "makefile", "GNUmakefile"))
# Makefile.cuda, Makefile.linux; those of automake and configure are other languages.
_NAME = re.compile(r"(?:GNU)?[Mm]akefile(?:[._-](?!am$|in$)\w+)?|[Mm]ake\.(?:config|defs?|common)")
_SUFFIXES = frozenset((".mk", ".mak", ".make"))
_CUDA = re.compile(rf"(?i)nvcc|cudart|-lcublas|-lcuda\b|{HOME_VARIABLE}|{CUDA_FOLDER}")
_ROCM = re.compile(r"(?i)\bhipcc\b|rocm|amdhip64|offload-arch|gpu\.mk")


class Makefiles:
    """Makefile, GNUmakefile and .mk files."""

    def handles(self, path: str) -> bool:
        """Whether a file is a Makefile, by its name."""
        name = PurePosixPath(path)
        return bool(_NAME.fullmatch(name.name)) or name.suffix in _SUFFIXES

    def convert(self, files: Sequence[SourceFile], context: BuildContext) -> Converted:
        """Convert each file whole or not at all; gpu.mk has what they take from it."""
        taken: dict[str, int] = {}
        differences: list[Difference] = []
        done: list[Hipified] = []
        for makefile in _together(files):
            file, more = _convert(makefile, context, taken)
            done.append(file)
            differences += more
        changed = [file.source.path for file in done if file.changed]
        if not differences:
            return Converted(tuple(done))
        generated = {
            f"{FOLDER}/{NAME}": gpu_mk(context, changed, differences),
            f"{FOLDER}/{DETECT}": gpu_detect(context),
        }
        return Converted(tuple(done), generated)


def _together(files: Sequence[SourceFile]) -> list[Makefile]:
    """Return each file with what the others set: they include each other, or hand it on."""
    alone = [Makefile(source) for source in files]
    known = [
        Makefile(one.source, _elsewhere(alone, one) if len(alone) > 1 else {}) for one in alone
    ]
    reached = frozenset(
        name for one in known for recipe in one.recipes() for name in one.names_in(recipe)
    )
    return [Makefile(one.source, one.elsewhere, reached) for one in known]


def _elsewhere(files: Sequence[Makefile], own: Makefile) -> Mapping[str, Sequence[str]]:
    found: dict[str, list[str]] = {}
    for other in files:
        if other is not own:
            for name, values in other.values.items():
                found.setdefault(name, []).extend(values)
    return found


def _convert(
    makefile: Makefile, context: BuildContext, taken: dict[str, int]
) -> tuple[Hipified, list[Difference]]:
    source = makefile.source
    code = "\n".join(
        source.text[line.start : line.stop]
        for line in makefile.lines
        if line.kind is not Kind.BLANK
    )
    if not _CUDA.search(code):
        asks = HINT.search(code) and not ROCM.search(code)
        told = tuple(by_place(told_alone(makefile, context).found)) if asks else ()
        return Hipified(source, source.data, diagnostics=told), []
    if _ROCM.search(code):
        text = f"{source.path} knows ROCm and stays as it is"
        told = (ALREADY_PORTED.at(source.path, text),)
        return Hipified(source, source.data, diagnostics=told), []
    if (broken := fault(makefile)) is not None:
        told = (unreadable(source, *broken),)
        return Hipified(source, source.data, diagnostics=told), []
    work = rewrite(makefile, context, taken)
    found = by_place(work.found)
    if any(one.severity is Severity.ERROR for one in found):
        return Hipified(source, source.data, diagnostics=tuple(found)), []
    uses_home = any(f"$({ROCM_VARIABLE})" in edit.replacement for edit in work.edits)
    edits = [*work.edits, *_head(makefile, work.differences, uses_home=uses_home)]
    edits.sort(key=lambda edit: (edit.start, edit.end))
    return rewritten(source, edits, found), work.differences


def _head(makefile: Makefile, differences: Sequence[Difference], *, uses_home: bool) -> list[Edit]:
    """Return what goes before the first line that is more than a comment.

    That is the line that includes gpu.mk, or in a renamed file ROCm's folder where none is set.
    """
    at = makefile.head
    newline = makefile.source.newline
    if not differences:
        is_set = any(name in makefile.values for name in makefile.homes())
        line = f"{ROCM_VARIABLE} ?= {ROCM_HOME}{newline}{newline}"
        return [Edit(at, at, line)] if uses_home and not is_set else []
    path = makefile.source.path
    folder = "../" * path.count("/") + FOLDER
    if PurePosixPath(path).name not in _NAMES:  # included itself, from wherever make runs
        folder = f"$(dir $(lastword $(MAKEFILE_LIST))){folder}"
    return [Edit(at, at, f"include {folder}/{NAME}{newline}{newline}")]
