"""Convert a CMake file for both vendors: what differs goes into the generated gpu.cmake."""

import posixpath
import re
from collections.abc import Callable, Sequence

from porting.buildfiles.cmake.commands import Argument, Command, Listing
from porting.buildfiles.cmake.editing import FileEdits
from porting.buildfiles.cmake.options import has_options_of_nvcc, runs_of
from porting.buildfiles.cmake.project import CMakeProject
from porting.buildfiles.cmake.references import ROCM_ROOT
from porting.buildfiles.cmake.rename import convert as rename
from porting.buildfiles.cmake.vendor import VendorVariables
from porting.buildfiles.cmake.vendor_runs import Stretch, stretches
from porting.buildfiles.libraries import library
from porting.buildfiles.model import rewritten
from porting.diagnostics import Severity
from porting.edits import apply_edits
from porting.generated import FOLDER
from porting.hipify import Hipified
from porting.rules.strings.machine import CUDA_FOLDER

_LANGUAGE = "${GPU_LANGUAGE}"
_ENABLE = f"enable_language({_LANGUAGE})"
_FLAGS = re.compile(r"CUDA_NVCC_FLAGS\w*|CMAKE_CUDA_FLAGS\w*")
_NAMES = re.compile(
    r"(?P<variable>\bCMAKE_CUDA_(?=(?:FLAGS\w*|COMPILER|COMPILER_ID|COMPILER_LOADED)\b))"
    r"|(?P<identified>(?<=\$<COMPILE_LANG_AND_ID:)CUDA,NVIDIA(?=>))"
    r"|(?<=\$<COMPILE_LANGUAGE:)(?P<before>[\w,]*?)\bCUDA\b(?P<after>[\w,]*)(?=>)"
    r"|(?<=\$<LINK_LANGUAGE:)(?P<link>CUDA)(?=>)"
    r"|(?P<standard>\bcuda)(?=_std_\d+\b)"
)
_LITERAL_HOME = re.compile(rf"{CUDA_FOLDER}(?:/lib64(?:/stubs)?)?(?![\w.-])")
_OPTION_COMMANDS = frozenset(
    """target_compile_options add_compile_options target_link_options add_link_options
    set_target_properties set_property set_source_files_properties cuda_add_library
    cuda_add_executable cuda_compile""".split()
)
_ROCM_PATH = f"--rocm-path={ROCM_ROOT}"
_NAMES_OF_CUDA = "-include ${GPU_FOLDER}/cuda_to_hip.h -isystem ${GPU_FOLDER}/include"
_SETTERS = frozenset(("set", "list", "string"))
_STEPS = frozenset(("add_custom_command", "add_custom_target", "execute_process", "find_program"))


def convert(project: CMakeProject, listing: Listing, variables: VendorVariables) -> Hipified:
    """Return a file for both vendors; its findings are those of a port for ROCm alone.

    What has no counterpart for ROCm keeps the file as it is, with an error at its place.
    """
    renamed = rename(project, listing)
    if any(found.severity is Severity.ERROR for found in renamed.diagnostics):
        return renamed
    work = _Compat(project, listing, variables, renamed)
    for command in listing.commands:
        work.command(command)
    done = work.edits.result()
    return rewritten(listing.source, done.edits, renamed.diagnostics)


class _Compat:
    """One file on its way to both vendors."""

    def __init__(
        self,
        project: CMakeProject,
        listing: Listing,
        variables: VendorVariables,
        renamed: Hipified,
    ) -> None:
        self.project = project
        self.edits = FileEdits(listing)
        self.text = listing.source.text
        self.variables = variables
        self.renamed = renamed
        self.include = _include(listing.source.path)
        # The depth of the block in which the generated file was included; -1 where it was not.
        self.included = -1
        self.rules: dict[str, Callable[[Command], None]] = {
            "project": self._project,
            "enable_language": self._enable,
            "check_language": self._check,
            "find_package": self._find_package,
            "target_link_libraries": self._libraries,
            "link_libraries": self._libraries,
            "find_library": self._libraries,
        }

    def command(self, command: Command) -> None:
        """Make the edits of one command."""
        if command.depth < self.included:  # the block ended, or its other branch begins
            self.included = -1
        if command.name in _STEPS and self._calls_nvcc(command):
            if not self.project.uses_cuda:  # nothing else includes the file that it needs
                self._include(command)
            self._both(command)
            return
        if rule := self.rules.get(command.name):
            rule(command)
        if not self._options(command):
            return
        self._names(command)

    def _project(self, command: Command) -> None:
        at = command.keyword("CUDA")
        if at <= 0:
            return
        others = [v for v in command.values[1:] if v in ("C", "CXX", "Fortran", "OBJC", "ASM")]
        argument = command.args[at]
        if others:
            self.edits.cut_argument(argument)
        else:
            self.edits.replace(argument.inner, argument.inner_end, "NONE")
        self.edits.after(command, self.include, _ENABLE)
        self.included = command.depth

    def _enable(self, command: Command) -> None:
        if command.values == ("CUDA",):
            self._include(command)
            self.edits.replace(command.args[0].start, command.args[0].end, _LANGUAGE)

    def _check(self, command: Command) -> None:
        if command.values == ("CUDA",):
            self._include(command)
            self.edits.replace(command.args[0].start, command.args[0].end, _LANGUAGE)

    def _find_package(self, command: Command) -> None:
        asks = command.values[:1] in {("CUDA",), ("CUDAToolkit",)}
        projects = self.project.commands("project")
        if asks and not any("CUDA" in other.values for _, other in projects):
            self._include(command)

    def _include(self, command: Command) -> None:
        if self.included < 0:
            self.edits.before(command, self.include)
            self.included = command.depth

    def _libraries(self, command: Command) -> None:
        """Give CUDA's libraries that are named plainly another name for each vendor."""
        for argument in command.args[0 if command.name == "link_libraries" else 1 :]:
            name = argument.value.removeprefix("-l")
            found = library(name) if argument.plain and "::" not in name else None
            if (
                found is None
                or name in self.project.targets
                or name in ("toolkit", "cub", "thrust")
            ):
                continue
            linked = self.project.links(found)
            rocm = (found.target or f"${{{found.link[0].upper()}_LIBRARY}}") if found.link else ""
            if command.name == "find_library":
                rocm = found.link[0] if found.link else ""
            new = self.variables.name(f"gpu_{name}", argument.value, rocm if linked else "")
            self.edits.replace(argument.start, argument.end, f"${{{new}}}")

    def _options(self, command: Command) -> bool:
        """Put variables in the place of options that differ; False when all was written twice."""
        chosen = self._chosen(command)
        runs = runs_of(self.text, command.args, lambda word: word.argument in chosen)
        found = [s for run in runs for s in stretches(self.text, command.args, run)]
        if any(stretch is None for stretch in found):
            self._both(command)
            return False
        for stretch in found:
            if stretch is not None:
                self._put(command, stretch)
        return True

    def _put(self, command: Command, stretch: Stretch) -> None:
        name = self.variables.name(f"{_owner(command)}_gpu_flags", stretch.cuda, stretch.rocm)
        self.edits.replace(stretch.start, stretch.end, f"${{{name}}}")

    def _chosen(self, command: Command) -> frozenset[int]:
        """Return the indices of arguments whose words are options of nvcc without a condition."""
        first = 1 if command.name == "set" else 2
        if command.name in _SETTERS:
            values = _up_to_cache(command.args[first:])
            name = command.values[first - 1] if len(command.values) >= first else ""
            mine = bool(_FLAGS.fullmatch(name)) or has_options_of_nvcc(self.text, values)
            return frozenset(range(first, first + len(values))) if mine else frozenset()
        if command.name not in _OPTION_COMMANDS:
            return frozenset()
        if command.name.startswith("cuda_"):
            at = command.keyword("OPTIONS")
            return frozenset(range(at + 1, len(command.args))) if at >= 0 else frozenset()
        mine = has_options_of_nvcc(self.text, command.args)
        return frozenset(range(len(command.args))) if mine else frozenset()

    def _names(self, command: Command) -> None:
        for number, argument in enumerate(command.args):
            if self.edits.covers(argument.start, argument.end):
                continue
            before = command.values[number - 1] if number else ""
            if argument.value == "CUDA" and (
                before in ("LANGUAGE", "LINKER_LANGUAGE") or command.name in ("if", "elseif")
            ):
                self.edits.replace(argument.inner, argument.inner_end, _LANGUAGE)
            if argument.value == "NVIDIA" and any("CUDA_COMPILER_ID" in v for v in command.values):
                self.edits.replace(argument.inner, argument.inner_end, "${GPU_COMPILER_ID}")
            for match in _NAMES.finditer(argument.value):
                start = argument.inner + match.start()
                self.edits.replace(start, argument.inner + match.end(), _new_name(match))
            self._folders(argument)

    def _folders(self, argument: Argument) -> None:
        for match in _LITERAL_HOME.finditer(argument.value):
            has_library = "/lib64" in match[0]
            rocm = '"${GPU_HOME}/lib"' if has_library else '"${GPU_HOME}"'
            wish = "gpu_library_folder" if has_library else "gpu_toolkit_folder"
            name = self.variables.name(wish, match[0], rocm)
            start = argument.inner + match.start()
            self.edits.replace(start, argument.inner + match.end(), f"${{{name}}}")

    def _calls_nvcc(self, command: Command) -> bool:
        """Whether a port for ROCm rewrote a call of nvcc in the command."""
        return any(
            command.start <= edit.start < command.end and "CMAKE_HIP_COMPILER" in edit.replacement
            for edit in self.renamed.edits
        )

    def _both(self, command: Command) -> None:
        """Write a command twice, for each platform: its options depend on variables."""
        original = self.text[command.start : command.end]
        gone = any(
            edit.start <= command.start and command.end <= edit.end and not edit.replacement
            for edit in self.renamed.edits
        )
        if gone:
            skipped = ('if(NOT GPU_PLATFORM STREQUAL "rocm")', f"  {original}", "endif()")
            self.edits.become(command, *skipped)
            return
        inside = [
            edit
            for edit in self.renamed.edits
            if command.start <= edit.start and edit.end <= command.end and edit.start < command.end
        ]
        whole = apply_edits(self.text[: command.end], inside)[command.start :]
        rocm = whole.replace("HIP_COMPILE_FLAGS", "CUDA_NVCC_FLAGS")
        if command.name in _STEPS and self.project.context.sources:
            rocm = rocm.replace(_ROCM_PATH, f"{_ROCM_PATH} {_NAMES_OF_CUDA}")
        lines = [
            'if(GPU_PLATFORM STREQUAL "rocm")',
            f"  {rocm}",
            "else()",
            f"  {original}",
            "endif()",
        ]
        self.edits.become(command, *lines)


def _include(path: str) -> str:
    """Return the command that includes the generated file from a file at a path.

    CMake looks for it from the folder of the CMakeLists.txt, whatever file that includes.
    """
    here, name = posixpath.split(path)
    relative = posixpath.relpath(f"{FOLDER}/gpu.cmake", here or ".")
    if name == "CMakeLists.txt":
        return f"include({relative})"
    return f'include("${{CMAKE_CURRENT_LIST_DIR}}/{relative}")'


def _new_name(match: re.Match[str]) -> str:
    if match["variable"]:
        return f"CMAKE_{_LANGUAGE}_"
    if match["identified"]:
        return f"{_LANGUAGE},${{GPU_COMPILER_ID}}"
    if match["standard"]:
        return "${GPU_DIALECT}"
    if match["link"]:
        return _LANGUAGE
    return f"{match['before']}{_LANGUAGE}{match['after']}"


def _owner(command: Command) -> str:
    """Return the target or variable whose options a command has."""
    at = 1 if command.name in ("list", "string") else 0
    name = command.values[at] if len(command.values) > at else ""
    named = command.name.startswith(("target_", "set", "list", "string", "cuda_"))
    if name.startswith("CMAKE_CUDA_FLAGS"):
        return name.replace("CMAKE_CUDA_FLAGS", "CMAKE")
    return name.removesuffix("_FLAGS") if named and "$" not in name else "tree"


def _up_to_cache(arguments: Sequence[Argument]) -> tuple[Argument, ...]:
    found = []
    for argument in arguments:
        if argument.value in ("CACHE", "PARENT_SCOPE"):
            break
        found.append(argument)
    return tuple(found)
