"""CMake: CMakeLists.txt and *.cmake for ROCm, or for both vendors."""

from collections.abc import Sequence
from pathlib import PurePosixPath

from porting.buildfiles.cmake.leftovers import names_cuda
from porting.buildfiles.cmake.project import CMakeProject
from porting.buildfiles.cmake.rename import convert as rename
from porting.buildfiles.codes import ALREADY_PORTED, LEFT_ALONE
from porting.buildfiles.model import FOLDER, BuildContext, Converted, rewritten
from porting.hipify import Hipified
from porting.source import SourceFile

__all__ = ["CMake"]


class CMake:
    """The converter of CMake's files."""

    def handles(self, path: str) -> bool:
        """Whether a file is CMake's, and none that a port generated."""
        name = PurePosixPath(path)
        is_cmake = name.name == "CMakeLists.txt" or name.suffix == ".cmake"
        return is_cmake and name.parts[0] != FOLDER

    def convert(self, files: Sequence[SourceFile], context: BuildContext) -> Converted:
        """Convert the CMake files of a tree."""
        project = CMakeProject.of(files, context)
        return Converted(tuple(_converted(project, file) for file in files))


def _converted(project: CMakeProject, file: SourceFile) -> Hipified:
    listing = project.listings[file.path]
    if not names_cuda(listing):
        return rewritten(file, ())
    if project.is_ported(file.path):
        note = ALREADY_PORTED.at(file.path, "knows HIP already; it stays as it is")
        return rewritten(file, (), [note])
    if listing.broken >= 0:
        line, column = file.position(listing.broken)
        text = "this is no CMake that can be read, so the file is not converted"
        return rewritten(file, (), [LEFT_ALONE.at(file.path, text, line=line, column=column)])
    return rename(project, listing)
