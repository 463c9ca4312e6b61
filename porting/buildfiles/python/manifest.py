"""MANIFEST.in of a tree whose setup.py imports a generated module: an sdist has to carry it."""

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence

from porting.buildfiles.model import BuildContext, Converted, rewritten
from porting.buildfiles.python.codes import SCRIPT_MANIFEST, SDIST_INCOMPLETE
from porting.diagnostics import Diagnostic
from porting.edits import Edit
from porting.generated import FOLDER
from porting.hipify import Hipified
from porting.source import SourceFile

NAME = "MANIFEST.in"
_LINE = f"graft {FOLDER}"
_TAKES = re.compile(
    rf"[ \t]*(?:graft[ \t]+{FOLDER}/?|recursive-include[ \t]+{FOLDER}/?[ \t]+\*)\s*"
)


def carried(
    scripts: Sequence[Hipified], manifests: Mapping[str, SourceFile], context: BuildContext
) -> Converted:
    """Return the MANIFEST.in of the tree: with the generated folder in it, or made for it.

    `scripts`: the build scripts that import the module.  Only a setup.py makes an sdist.
    """
    kept = {path: Hipified(source, source.data) for path, source in manifests.items()}
    makes_sdist = any(script.source.path == "setup.py" for script in scripts)
    if not makes_sdist or (NAME in context.paths and NAME not in manifests):
        return Converted(tuple(kept.values()))
    if NAME not in manifests:
        text = f"{context.banner(['setup.py'])}{_LINE}\n"
        return Converted(tuple(kept.values()), {NAME: text})
    kept[NAME] = _with_folder(manifests[NAME])
    return Converted(tuple(kept.values()))


def _with_folder(source: SourceFile) -> Hipified:
    """Return a file with a line for the generated folder at its end, where it takes it last."""
    lines = source.text.splitlines()
    if any(_TAKES.fullmatch(line) for line in lines):
        return Hipified(source, source.data)
    newline, end = source.newline, len(source.text)
    gap = "" if not source.text or source.text.endswith("\n") else newline
    if lines and lines[-1].endswith("\\"):  # goes on with what follows
        gap += newline
    note = SCRIPT_MANIFEST.at(
        source.path,
        f"`{_LINE}` was added: setup.py imports a module from that folder",
        line=max(source.line_count, 1),
    )
    return rewritten(source, [Edit(end, end, f"{gap}{_LINE}{newline}")], [note])


def out_of_reach(script: SourceFile) -> Iterator[Diagnostic]:
    """Yield the warning that no sdist of a setup.py can hold the folder, which lies above it."""
    folder, name = posixpath.split(script.path)
    if name == "setup.py" and folder:
        message = f"an sdist of {folder} cannot hold {FOLDER}, which lies above it"
        help_text = "build wheels in the tree, or move setup.py to the root and port again"
        yield SDIST_INCOMPLETE.at(script.path, message, help_text)
