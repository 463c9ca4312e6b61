"""Convert the build scripts of a tree that are written in Python."""

import ast
import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

from porting.buildfiles.codes import ALREADY_PORTED
from porting.buildfiles.implied import implied_libraries
from porting.buildfiles.libraries import library
from porting.buildfiles.model import BuildContext, Converted, rewritten
from porting.buildfiles.python.codes import SCRIPT_UNREADABLE
from porting.buildfiles.python.flags_told import findings
from porting.buildfiles.python.generate import NAME, gpu_build
from porting.buildfiles.python.manifest import NAME as MANIFEST
from porting.buildfiles.python.manifest import carried, out_of_reach
from porting.buildfiles.python.module import PythonModule
from porting.buildfiles.python.rewriting import import_of_gpu_build, rewrite
from porting.buildfiles.python.vendors import knows_rocm, names_cuda, words
from porting.config import Mode
from porting.diagnostics import Diagnostic, by_place
from porting.generated import FOLDER
from porting.hipify import Hipified
from porting.source import SourceFile

_NAMES = frozenset(("setup.py", "build.py", "hatch_build.py", "pdm_build.py", "build_ext.py"))
_MAKES_EXTENSIONS = re.compile(r"\bCUDAExtension\b|\bBuildExtension\b|\bbuild_ext\b")
# Libraries that a script may name in parts, so that no string of it is their whole name.
_COMMON = ("cudart", "cudart_static", "cuda", "cublas", "cublasLt", "nvrtc", "cudadevrt")


def is_script(source: SourceFile, paths: frozenset[str]) -> bool:
    """Whether a file is run to build: by its name, or because it makes extensions.

    A module of a package (`paths`: the tree's files) is imported where eclosion is not.
    """
    if PurePosixPath(source.path).name in _NAMES:
        return True
    package = posixpath.join(posixpath.dirname(source.path), "__init__.py")
    return bool(_MAKES_EXTENSIONS.search(source.text)) and package not in paths


class PythonScripts:
    """setup.py and scripts like it."""

    def handles(self, path: str) -> bool:
        """Whether a file may be a build script or goes with one, by its path."""
        return path.endswith(".py") or posixpath.basename(path) == MANIFEST

    def convert(self, files: Sequence[SourceFile], context: BuildContext) -> Converted:
        """Make scripts choose the vendor when they run, through one generated module."""
        manifests = {s.path: s for s in files if not s.path.endswith(".py")}
        mine = (source for source in files if source.path not in manifests)
        scripts = (source for source in mine if is_script(source, context.paths))
        done = tuple(_convert(source) for source in scripts)
        changed = [file for file in done if file.changed]
        if not changed:
            return Converted(done)
        sdist = carried(changed, manifests, context)
        generated = {f"{FOLDER}/{NAME}": _module(changed, context), **sdist.generated}
        return Converted((*done, *sdist.files), generated)


def _convert(source: SourceFile) -> Hipified:
    try:
        module = PythonModule.parse(source)
    except SyntaxError as error:
        return Hipified(source, source.data, diagnostics=tuple(_unreadable(source, error)))
    if not names_cuda(module):
        return Hipified(source, source.data)
    if knows_rocm(module):
        text = f"{source.path} asks for ROCm by itself and stays as it is"
        return Hipified(source, source.data, diagnostics=(ALREADY_PORTED.at(source.path, text),))
    edits = rewrite(module)
    if not edits:
        return Hipified(source, source.data, diagnostics=tuple(by_place(findings(module))))
    up = [".."] * source.path.count("/")
    folder = ", ".join(f'"{part}"' for part in (*up, FOLDER))
    edits.append(import_of_gpu_build(module, folder))
    # An import goes before what is bound on the line after it.
    edits.sort(key=lambda edit: (edit.start, edit.end, "import gpu_build" not in edit.replacement))
    told = [*findings(module), *out_of_reach(source)]
    return rewritten(source, edits, by_place(told))


def _unreadable(source: SourceFile, error: SyntaxError) -> Iterator[Diagnostic]:
    if "cuda" in source.text.lower() or "nvcc" in source.text:
        line = min(max(error.lineno or 1, 1), max(source.line_count, 1))
        message = f"the script is no Python 3 ({error.msg}), so it is left alone"
        help_text = "bring it to Python 3 and port again"
        yield SCRIPT_UNREADABLE.at(source.path, message, help_text, line=line)


def _module(scripts: Sequence[Hipified], context: BuildContext) -> str:
    paths = ", ".join(sorted(script.source.path for script in scripts))
    about = context.banner([s.source.path for s in scripts], comment="").strip()
    about = "\n".join(line.strip() for line in about.splitlines())
    if not paths:
        raise ValueError("a module for no script")
    texts = [script.source.text for script in scripts]
    return gpu_build(about, _tables(scripts, context), texts)


def _tables(scripts: Sequence[Hipified], context: BuildContext) -> Mapping[str, Any]:
    named = {word for script in scripts for word in _library_words(script.source)}
    found = {name: library(name) for name in (*_COMMON, *sorted(named))}
    return {
        "ARCHITECTURES": context.target.archs,
        "COMPAT": context.mode is Mode.COMPAT,
        "IMPLIED": implied_libraries(context),
        "LIBRARIES": {name: row.link for name, row in found.items() if row is not None},
    }


def _library_words(source: SourceFile) -> Iterator[str]:
    for node, text in words(PythonModule.parse(source)):
        if isinstance(node, ast.Constant):
            yield from (word.removeprefix("-l") for word in text.split())
