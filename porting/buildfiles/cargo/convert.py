"""Convert the Cargo build scripts of a tree."""

import re
from collections.abc import Sequence
from pathlib import PurePosixPath

from porting.buildfiles.cargo.both import for_both
from porting.buildfiles.cargo.generate import NAME, gpu_build
from porting.buildfiles.cargo.rocm import rewrite
from porting.buildfiles.cargo.script import Script
from porting.buildfiles.cargo.texts import is_of_cuda
from porting.buildfiles.codes import ALREADY_PORTED
from porting.buildfiles.model import BuildContext, Converted, rewritten, unreadable
from porting.config import Mode
from porting.diagnostics import Severity, by_place
from porting.generated import FOLDER
from porting.headers.rust.lexer import Kind
from porting.hipify import Hipified
from porting.source import SourceFile

_ROCM = re.compile(r"(?i)\brocm|\bhipcc\b|amdhip64|ROCM_|HIP_PATH|\bhip\b")


class CargoScripts:
    """build.rs."""

    def handles(self, path: str) -> bool:
        """Whether a file is a build script, by its name."""
        return PurePosixPath(path).name == "build.rs"

    def convert(self, files: Sequence[SourceFile], context: BuildContext) -> Converted:
        """Rewrite scripts for ROCm, or for both vendors where the sources stay CUDA's."""
        done = tuple(_convert(source, context) for source in files)
        changed = [file.source.path for file in done if file.changed]
        if not changed or context.mode is Mode.RENAME:
            return Converted(done)
        text = gpu_build(context.banner(changed, "//"))
        return Converted(done, {f"{FOLDER}/{NAME}": text})


def _convert(source: SourceFile, context: BuildContext) -> Hipified:
    script = Script(source)
    if not _names_cuda(script):
        return Hipified(source, source.data)
    if script.fault is not None:
        told = (unreadable(source, *script.fault),)
        return Hipified(source, source.data, diagnostics=told)
    if _knows_rocm(script):
        text = f"{source.path} looks for ROCm by itself and stays as it is"
        return Hipified(source, source.data, diagnostics=(ALREADY_PORTED.at(source.path, text),))
    folder = "../" * source.path.count("/") + FOLDER
    work = rewrite(script, context, folder)
    alone = [*work.edits, *work.include_edits(*work.includes)]
    edits = for_both(work) if context.mode is Mode.COMPAT else alone
    found = by_place(work.found)
    if any(one.severity is Severity.ERROR for one in found):
        return Hipified(source, source.data, diagnostics=tuple(found))
    return rewritten(source, edits, found)


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
