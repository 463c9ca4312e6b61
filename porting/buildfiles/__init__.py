"""Build files of a tree for ROCm: each build system has its own converter."""

from collections.abc import Sequence

from porting.buildfiles.bazel.convert import BazelFiles
from porting.buildfiles.cargo.convert import CargoScripts
from porting.buildfiles.cmake import CMake
from porting.buildfiles.codes import CODES as _COMMON_CODES
from porting.buildfiles.make.convert import Makefiles
from porting.buildfiles.meson.convert import MesonFiles
from porting.buildfiles.model import (
    BuildContext,
    BuildFiles,
    Converted,
    Converter,
)
from porting.buildfiles.python.codes import CODES as _PYTHON_CODES
from porting.buildfiles.python.convert import PythonScripts
from porting.buildfiles.vendor_paths.codes import CODES as _VENDOR_CODES
from porting.buildfiles.vendor_paths.convert import VendorPaths
from porting.generated import FOLDER
from porting.hipify import Hipified
from porting.source import SourceFile
from porting.tree import Tree

__all__ = [
    "CODES",
    "BuildContext",
    "BuildFiles",
    "Converted",
    "Converter",
    "convert_all",
    "convert_files",
    "handles",
    "read_build_files",
]

CODES = (*_COMMON_CODES, *_PYTHON_CODES, *_VENDOR_CODES)
_LARGEST = 1 << 20  # a build file of a megabyte is data


def converters() -> tuple[Converter, ...]:
    """Return the converters in the order in which their findings are told."""
    return (
        CMake(),
        PythonScripts(),
        Makefiles(),
        CargoScripts(),
        MesonFiles(),
        BazelFiles(),
        VendorPaths(),
    )


def handles(path: str) -> bool:
    """Whether some converter looks at a file, by its path: one that a port made is left alone."""
    if path.startswith(f"{FOLDER}/"):
        return False
    return any(converter.handles(path) for converter in converters())


def convert_all(tree: Tree, context: BuildContext) -> BuildFiles:
    """Convert the build files of a tree; `context` says for what."""
    return convert_files(read_build_files(tree), context)


def read_build_files(tree: Tree) -> tuple[SourceFile, ...]:
    """Read the files that some converter handles."""
    return tree.read_others(handles, _LARGEST)


def convert_files(files: Sequence[SourceFile], context: BuildContext) -> BuildFiles:
    """Convert build files.  Pure: the result depends on the arguments alone."""
    done: dict[str, Hipified] = {}
    generated: dict[str, str] = {}
    for converter in converters():
        mine = [source for source in files if converter.handles(source.path)]
        if not mine:
            continue
        result = converter.convert(mine, context)
        for file in result.files:
            path = file.source.path
            done[path] = _merged(done[path], file) if path in done else file
        generated |= result.generated
    return BuildFiles(tuple(done[path] for path in sorted(done)), generated)


def _merged(first: Hipified, second: Hipified) -> Hipified:
    """Return a file that two converters looked at: the first one's edits, both ones' findings."""
    changing = first if first.changed else second
    found = (*first.diagnostics, *second.diagnostics)
    suppressed = (*first.suppressed, *second.suppressed)
    return Hipified(first.source, changing.data, changing.edits, found, suppressed)
