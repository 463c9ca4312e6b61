"""CMake: CMakeLists.txt and *.cmake for ROCm, or for both vendors."""

from collections.abc import Callable, Sequence
from pathlib import PurePosixPath

from porting.buildfiles.cmake import presets
from porting.buildfiles.cmake.commands import Listing
from porting.buildfiles.cmake.compat import convert as compat
from porting.buildfiles.cmake.detection import NAME as DETECTION
from porting.buildfiles.cmake.detection import detection
from porting.buildfiles.cmake.find_modules import legacy_module, toolkit_module
from porting.buildfiles.cmake.gpu_file import gpu_file
from porting.buildfiles.cmake.leftovers import may_name_cuda, names_cuda
from porting.buildfiles.cmake.project import CMakeProject
from porting.buildfiles.cmake.rename import convert as rename
from porting.buildfiles.cmake.vendor import VendorVariables
from porting.buildfiles.codes import ALREADY_PORTED
from porting.buildfiles.model import BuildContext, Converted, rewritten, unreadable
from porting.config import Mode
from porting.generated import FOLDER
from porting.hipify import Hipified
from porting.source import SourceFile

__all__ = ["CMake"]


class CMake:
    """The converter of CMake's files."""

    def handles(self, path: str) -> bool:
        """Whether a file is CMake's."""
        name = PurePosixPath(path)
        return name.name == "CMakeLists.txt" or name.suffix == ".cmake" or presets.handles(path)

    def convert(self, files: Sequence[SourceFile], context: BuildContext) -> Converted:
        """Convert the CMake files of a tree, and those that give CMake its variables."""
        given = [presets.convert(file, context) for file in files if presets.handles(file.path)]
        files = [file for file in files if not presets.handles(file.path)]
        done = _converted_all(files, context)
        return Converted((*done.files, *(file for file in given if file)), done.generated)


def _converted_all(files: Sequence[SourceFile], context: BuildContext) -> Converted:
    project = CMakeProject.of(files, context)
    if context.mode is Mode.RENAME:
        return Converted(tuple(_converted(project, file, rename) for file in files))
    variables = VendorVariables()
    done = tuple(_converted(project, file, _for_both(variables)) for file in files)
    return Converted(done, _generated(project, done, variables))


_Convert = Callable[[CMakeProject, Listing], Hipified]


def _for_both(variables: VendorVariables) -> _Convert:
    def convert(project: CMakeProject, listing: Listing) -> Hipified:
        return compat(project, listing, variables)

    return convert


def _generated(
    project: CMakeProject, done: Sequence[Hipified], variables: VendorVariables
) -> dict[str, str]:
    """Return the files that a converted tree includes, none when nothing includes them."""
    changed = [file.source.path for file in done if file.changed]
    if not changed:
        return {}
    banner = project.context.banner(changed)
    files = {
        f"{FOLDER}/gpu.cmake": gpu_file(banner, project, variables),
        f"{FOLDER}/cmake/{DETECTION}": detection(banner),
        f"{FOLDER}/cmake/FindCUDAToolkit.cmake": toolkit_module(banner, project),
    }
    if project.is_legacy:
        files[f"{FOLDER}/cmake/FindCUDA.cmake"] = legacy_module(banner, project)
        files[f"{FOLDER}/cmake/FindCUDA/select_compute_arch.cmake"] = (
            f"{banner}# FindCUDA.cmake beside this folder has the commands of this module.\n"
        )
    return files


def _converted(project: CMakeProject, file: SourceFile, convert: _Convert) -> Hipified:
    listing = project.listings[file.path]
    if not names_cuda(listing) and not may_name_cuda(listing.unread):
        return rewritten(file, ())
    if project.is_ported(file.path):
        note = ALREADY_PORTED.at(file.path, "knows HIP already; it stays as it is")
        return rewritten(file, (), [note])
    if listing.broken >= 0:
        return rewritten(file, (), [unreadable(file, listing.broken, listing.fault)])
    return convert(project, listing)
