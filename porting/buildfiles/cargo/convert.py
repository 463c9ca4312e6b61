"""Convert the Cargo build scripts of a tree."""

import posixpath
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from porting.buildfiles.cargo.both import for_both
from porting.buildfiles.cargo.dependents import (
    MANIFEST,
    SCRIPT,
    dependents,
    manifests,
    with_run_paths,
)
from porting.buildfiles.cargo.generate import NAME, gpu_build
from porting.buildfiles.cargo.rocm import rewrite
from porting.buildfiles.cargo.rust_side import lacking_calls
from porting.buildfiles.cargo.script import Script
from porting.buildfiles.cargo.texts import is_of_cuda
from porting.buildfiles.codes import ALREADY_PORTED, RUN_PATH_LOST
from porting.buildfiles.model import BuildContext, Converted, rewritten, unreadable
from porting.config import Mode
from porting.diagnostics import Severity, by_place
from porting.generated import FOLDER
from porting.headers.rust.lexer import Kind
from porting.hipify import Hipified
from porting.source import Position, SourceFile

_ROCM = re.compile(r"(?i)\brocm|\bhipcc\b|amdhip64|ROCM_|HIP_PATH|\bhip\b")


class CargoScripts:
    """build.rs."""

    def handles(self, path: str) -> bool:
        """Whether a file is a build script, or says which crates depend on one, by its name."""
        return PurePosixPath(path).name in (SCRIPT, MANIFEST)

    def convert(self, files: Sequence[SourceFile], context: BuildContext) -> Converted:
        """Rewrite scripts for ROCm, or for both vendors where the sources stay CUDA's."""
        scripts = [source for source in files if PurePosixPath(source.path).name == SCRIPT]
        done = {s.path: _convert(s, context) for s in scripts}
        crates = manifests(files)
        linking = {posixpath.dirname(path): d for path, d in done.items() if d.links is not None}
        folders = dependents(crates, frozenset(linking))
        files_done = {path: one.file for path, one in done.items()}
        others = with_run_paths(folders, crates, files_done, context)
        files_done |= {file.source.path: file for file in others.changed}
        for folder, one in linking.items():
            lost = [f for f in others.without if f in dependents(crates, frozenset((folder,)))]
            if lost:
                path = one.file.source.path
                files_done[path] = _told(one, lost)
        changed = [path for path, file in files_done.items() if file.changed]
        generated = dict(others.generated or {})
        if changed and context.mode is Mode.COMPAT:
            generated[f"{FOLDER}/{NAME}"] = gpu_build(context.banner(changed, "//"))
        return Converted(tuple(files_done.values()), generated)


@dataclass(frozen=True)
class _Done:
    """A script that was converted, and the place where it links CUDA's libraries, if it does."""

    file: Hipified
    links: Position | None = None


def _told(done: _Done, crates: Sequence[str]) -> Hipified:
    """Return a script with the warning that crates have to give their programs the run path."""
    file, place = done.file, done.links or Position(1, 1)
    message = f"what {', '.join(crates)} links gets no run path from this script"
    help_text = "print cargo:rustc-link-arg=-Wl,-rpath,<rocm>/lib in a build script of its own"
    found = RUN_PATH_LOST.at(
        file.source.path, message, help_text, line=place.line, column=place.column
    )
    told = (*by_place([*file.diagnostics, found]),)
    return replace(file, diagnostics=told)


def _convert(source: SourceFile, context: BuildContext) -> _Done:
    script = Script(source)
    if not _names_cuda(script) and source.path not in context.rust:
        return _Done(Hipified(source, source.data))
    if script.fault is not None:
        told = (unreadable(source, *script.fault),)
        return _Done(Hipified(source, source.data, diagnostics=told))
    if _knows_rocm(script):
        text = f"{source.path} looks for ROCm by itself and stays as it is"
        found = [ALREADY_PORTED.at(source.path, text), *lacking_calls(script, context)]
        return _Done(Hipified(source, source.data, diagnostics=tuple(found)))
    folder = "../" * source.path.count("/") + FOLDER
    work = rewrite(script, context, folder)
    alone = [*work.edits, *work.common, *work.include_edits(*work.includes)]
    edits = for_both(work) if context.mode is Mode.COMPAT else alone
    edits.sort(key=lambda edit: (edit.start, edit.end))
    found = by_place(work.found)
    if any(one.severity is Severity.ERROR for one in found):
        return _Done(Hipified(source, source.data, diagnostics=tuple(found)))
    links = source.position(script.tokens[work.linked].start) if work.linked >= 0 else None
    return _Done(rewritten(source, edits, found), links)


def _names_cuda(script: Script) -> bool:
    rest = (token.text for token in script.tokens if token.kind is Kind.UNFINISHED)
    texts = (text for _, text in script.texts())
    return any(is_of_cuda(text) for text in (*texts, *rest)) or _calls_cuda(script)


def _calls_cuda(script: Script) -> bool:
    return any(call.name == "cuda" for call in script.calls())


def _knows_rocm(script: Script) -> bool:
    names = (t.text for t in script.tokens if t.kind is Kind.IDENT)
    texts = (text for _, text in script.texts())
    return any(_ROCM.search(word) or word == "gpu_build" for word in (*names, *texts))
