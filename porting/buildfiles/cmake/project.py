"""What the CMake files of a tree say together: languages, libraries and variables they use."""

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from porting.buildfiles.cmake.commands import Command, Listing, parse
from porting.buildfiles.cmake.names import Action, variable
from porting.buildfiles.libraries import Linked, library
from porting.buildfiles.model import BuildContext
from porting.generated import FOLDER
from porting.source import SourceFile

TARGET = re.compile(r"\bCUDA::(\w+)")
IDENTIFIER = re.compile(r"\b(?:CMAKE_CUDA_\w+|CUDAToolkit_\w+|CUDA_\w+)\b")
_PORTED = re.compile(
    r"(?<![A-Za-z0-9])(?:HIP|ROCM|ROCm|hipcc|AMDGPU|hip::\w+|roc::\w+)(?![A-Za-z0-9])"
)
_PACKAGES = frozenset(("hip", "HIP", "ROCM", "rocm", "ROCmCMakeBuildTools", "hip-lang"))
_SETTERS = frozenset(("set", "option", "foreach", "find_library", "find_path", "find_program",
                      "find_file", "separate_arguments", "get_filename_component"))  # fmt: skip
_TARGETS = frozenset(("add_library", "add_executable", "cuda_add_library", "cuda_add_executable"))


@dataclass(frozen=True)
class CMakeProject:
    """The parsed files of a tree."""

    context: BuildContext
    listings: Mapping[str, Listing]

    @classmethod
    def of(cls, files: Sequence[SourceFile], context: BuildContext) -> "CMakeProject":
        """Parse the files of a tree."""
        return cls(context, {file.path: parse(file) for file in files})

    def commands(self, *names: str) -> Iterator[tuple[str, Command]]:
        """Yield every command with one of these names, with its file's path."""
        for path, listing in self.listings.items():
            for command in listing.commands:
                if command.name in names:
                    yield path, command

    @cached_property
    def defined(self) -> frozenset[str]:
        """Variables that the tree itself sets."""
        return frozenset(
            command.args[0].value for _, command in self.commands(*_SETTERS) if command.args
        )

    @cached_property
    def functions(self) -> frozenset[str]:
        """Functions and macros that the tree defines, lower case."""
        found = (c.args[0].value.lower() for _, c in self.commands("function", "macro") if c.args)
        return frozenset(found)

    @cached_property
    def targets(self) -> frozenset[str]:
        """Libraries and programs that the tree builds."""
        return frozenset(c.args[0].value for _, c in self.commands(*_TARGETS) if c.args)

    @cached_property
    def is_legacy(self) -> bool:
        """Whether the tree uses FindCUDA."""
        finds = any(c.values[:1] == ("CUDA",) for _, c in self.commands("find_package"))
        return finds or any(
            command.name.startswith("cuda_") and command.name not in self.functions
            for listing in self.listings.values()
            for command in listing.commands
        )

    @cached_property
    def finds_toolkit(self) -> bool:
        """Whether the tree asks for CUDA's toolkit by find_package."""
        names = (c.values[:1] for _, c in self.commands("find_package"))
        return any(name in (("CUDA",), ("CUDAToolkit",)) for name in names)

    @cached_property
    def enables_cuda(self) -> bool:
        """Whether CUDA is a language of the tree."""
        return any("CUDA" in c.values for _, c in self.commands("project", "enable_language"))

    @cached_property
    def uses_cuda(self) -> bool:
        """Whether the tree builds anything for CUDA."""
        return self.enables_cuda or self.is_legacy or self.finds_toolkit

    @cached_property
    def libraries(self) -> tuple[Linked, ...]:
        """The CUDA libraries that the tree links, by their names, sorted."""
        names: set[str] = set()
        for listing in self.listings.values():
            for command in listing.commands:
                names |= set(_named(command))
        names |= {value for value in self._linked_by_name() if value not in self.targets}
        found = (library(name) for name in sorted(names))
        return tuple(item for item in found if item is not None and self.links(item))

    def links(self, item: Linked) -> bool:
        """Whether a ROCm build links a library: markers only when a source makes them."""
        if "roctx64" in item.link:
            return self.context.mentions("nvtx", "roctx")
        return True

    def _linked_by_name(self) -> Iterator[str]:
        for _, command in self.commands("target_link_libraries", "link_libraries"):
            for value in command.values[command.name.startswith("target") :]:
                yield value.removeprefix("-l")

    @cached_property
    def packages(self) -> tuple[str, ...]:
        """ROCm's CMake packages of those libraries besides hip, sorted."""
        found = {item.package for item in self.libraries} - {"", "hip"}
        return tuple(sorted(found))

    @cached_property
    def unpackaged(self) -> tuple[str, ...]:
        """Libraries of ROCm to link that have no CMake package, sorted."""
        found = (item.link for item in self.libraries if not item.target)
        return tuple(sorted({name for names in found for name in names}))

    def is_ported(self, path: str) -> bool:
        """Whether a file, or a CMakeLists.txt above it, knows HIP already."""
        folder = posixpath.dirname(path)
        return path in self._ported or any(
            posixpath.basename(other) == "CMakeLists.txt" and _is_below(folder, other)
            for other in self._ported
        )

    @cached_property
    def _ported(self) -> frozenset[str]:
        return frozenset(p for p, listing in self.listings.items() if _knows_hip(listing.commands))


def _is_below(folder: str, file: str) -> bool:
    top = posixpath.dirname(file)
    return not top or folder == top or folder.startswith(f"{top}/")


def _knows_hip(commands: Iterable[Command]) -> bool:
    for command in commands:
        if command.name == "find_package" and command.values[:1] in {(name,) for name in _PACKAGES}:
            return True
        if command.name.startswith(("hip_", "rocm_")):
            return True
        if command.name != "message" and any(
            _PORTED.search(value) or f"{FOLDER}/gpu.cmake" in value for value in command.values
        ):
            return True
    return False


def _named(command: Command) -> Iterator[str]:
    """Yield the CUDA libraries that a command names through targets and variables."""
    for value in command.values:
        yield from (match[1] for match in TARGET.finditer(value))
        for match in IDENTIFIER.finditer(value):
            meaning = variable(match[0])
            if meaning and meaning.action is Action.LIBRARY and meaning.linked:
                yield meaning.linked.cuda
    legacy = {"cuda_add_cublas_to_target": "cublas", "cuda_add_cufft_to_target": "cufft"}
    if command.name in legacy:
        yield legacy[command.name]
