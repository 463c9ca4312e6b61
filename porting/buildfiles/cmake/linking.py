"""Libraries and folders of headers: ROCm's targets in the place of CUDA's libraries."""

import re

from porting.buildfiles.cmake.commands import Argument, Command
from porting.buildfiles.cmake.conversion import Conversion
from porting.buildfiles.cmake.names import Action, variable
from porting.buildfiles.cmake.project import IDENTIFIER
from porting.buildfiles.cmake.references import is_linkable, link_text
from porting.buildfiles.libraries import Linked, library
from porting.rules.strings.machine import CUDA_FOLDER, HOME_VARIABLE

# Names that are no library's for a linker.
NO_LIBRARY_NAMES = frozenset(("toolkit", "cub", "thrust", "libcudacxx", "wmma"))
PLATFORM = "__HIP_PLATFORM_AMD__=1"
_CUDA_INCLUDE = re.compile(rf"(?:{CUDA_FOLDER}|\b{HOME_VARIABLE}\}})/include")


def link_libraries(conversion: Conversion, command: Command) -> None:
    """Link ROCm's targets in the place of CUDA's libraries that are named plainly."""
    of_target = command.name.startswith("target")
    seen = conversion.linked_by(command)
    for argument in command.args[1 if of_target else 0 :]:
        found = _plain(conversion, argument)
        if found is None:
            continue
        text = link_text(found) if found.link or found.target else ""
        if not is_linkable(conversion, found, argument.start) or text in seen:
            conversion.edits.cut_argument(argument)
        elif text:
            seen.add(text)
            conversion.edits.replace(argument.start, argument.end, text)


def _plain(conversion: Conversion, argument: Argument) -> Linked | None:
    """Return the CUDA library that an argument names like -lcublas or cublas, None for another."""
    value = argument.value
    if not argument.plain or "::" in value or value in conversion.project.targets:
        return None
    name = value.removeprefix("-l").rpartition("/")[2]
    if match := re.fullmatch(r"lib(\w+)\.(?:so|a)(?:\.\d+)*", name):
        name = match[1]
    found = library(name)
    return None if found is None or name in NO_LIBRARY_NAMES else found


def include_directories(conversion: Conversion, command: Command) -> None:
    """Tell the platform where HIP's headers are given to compilers of other languages too."""
    if not any(_has_headers_of_cuda(value) for value in command.values):
        return
    if command.name == "include_directories":
        conversion.edits.after(command, f"add_compile_definitions({PLATFORM})")
        return
    scopes = [v for v in command.values if v in ("PUBLIC", "PRIVATE", "INTERFACE")]
    scope = scopes[0] if scopes else "PUBLIC"
    line = f"target_compile_definitions({command.values[0]} {scope} {PLATFORM})"
    conversion.edits.after(command, line)


def _has_headers_of_cuda(value: str) -> bool:
    meanings = (variable(match[0]) for match in IDENTIFIER.finditer(value))
    if any(meaning and meaning.action is Action.INCLUDE for meaning in meanings):
        return True
    return bool(_CUDA_INCLUDE.search(value))
