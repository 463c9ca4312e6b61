"""Look through scripts for what only NVIDIA's software answers; nothing in them is changed."""

from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from porting.buildfiles.model import BuildContext, Converted
from porting.buildfiles.python.convert import is_script
from porting.buildfiles.python.module import PythonModule
from porting.buildfiles.vendor_paths import python, shell
from porting.diagnostics import Diagnostic, Severity, by_place
from porting.hipify import Hipified
from porting.rules.strings.machine import PROGRAMS
from porting.source import SourceFile

# In lower case, what any finding has in it.
_HINTS = (
    "nv",
    "cuda",
    "cublas",
    "libcu",
    "libnpp",
    "find_library",
    "nccl",
    "capability",
    *PROGRAMS,
)
_SHELL = frozenset((".sh", ".bash", ".zsh", ".ksh", ".slurm", ".sbatch"))


class VendorPaths:
    """Python modules and shell scripts; a setup.py is a build script and looked at as one."""

    def handles(self, path: str) -> bool:
        """Whether a file is Python or shell, by its name."""
        name = PurePosixPath(path)
        if any(part.startswith(".") for part in name.parts):  # of an editor or a CI service
            return False
        return name.suffix in _SHELL or name.suffix in (".py", ".pyw")

    def convert(self, files: Sequence[SourceFile], context: BuildContext) -> Converted:
        """Return each file as it is, with what was found in it."""
        others = (source for source in files if not is_script(source, context.paths))
        done = (Hipified(s, s.data, diagnostics=tuple(_told(s))) for s in others)
        return Converted(tuple(file for file in done if file.diagnostics))


def _told(source: SourceFile) -> Iterator[Diagnostic]:
    """Yield the findings of a file; a note about the same word once."""
    told: set[str] = set()
    for found in by_place(_findings(source)):
        if found.severity is not Severity.NOTE or found.symbol not in told:
            yield found
        told.add(found.symbol)


def _findings(source: SourceFile) -> Iterator[Diagnostic]:
    text = source.text.lower()
    if not any(word in text for word in _HINTS):
        return
    if PurePosixPath(source.path).suffix in _SHELL:
        yield from shell.findings(source)
        return
    try:
        module = PythonModule.parse(source)
    except SyntaxError:
        return  # no Python 3: a template, or nothing that runs
    yield from python.findings(module)
