"""Languages of a project: HIP in CUDA's place, from the CMake that knows it."""

import re
from collections.abc import Sequence

from porting.buildfiles.cmake.commands import Command
from porting.buildfiles.cmake.conversion import Conversion, call
from porting.buildfiles.cmake.references import ROCM_ROOT
from porting.buildfiles.cmake.steps import runs_nvcc
from porting.rules.strings.machine import ROCM_HOME, ROCM_VARIABLE

# HIP is a language from 3.21 on; the first releases of 3.21 could not link it.
OLDEST = (3, 21, 3)
_ARCHITECTURES = "CMAKE_CUDA_ARCHITECTURES"
# CMake links the runtime to what has device code, but gives its folder to what is installed only.
RUN_PATH = (
    "set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON)",
    f"list(APPEND CMAKE_BUILD_RPATH {ROCM_ROOT}/lib)",
)


def minimum_version(conversion: Conversion, command: Command) -> None:
    """Ask for a CMake that has the HIP language."""
    at = command.keyword("VERSION") + 1
    if not 0 < at < len(command.args) or not (
        conversion.project.uses_cuda or runs_nvcc(conversion.project)
    ):
        return
    argument = command.args[at]
    low, dots, high = argument.value.partition("...")
    if not re.fullmatch(r"[\d.]+", low) or _numbers(low) >= OLDEST:
        return
    text = ".".join(map(str, OLDEST))
    if dots and re.fullmatch(r"[\d.]+", high) and _numbers(high) > OLDEST:
        text = f"{text}...{high}"
    conversion.edits.replace(argument.inner, argument.inner_end, text)


def project(conversion: Conversion, command: Command) -> None:
    """Name HIP among the languages, with the architectures before and the packages after."""
    at = command.keyword("CUDA")
    if at <= 0:
        if runs_nvcc(conversion.project) and not conversion.project.is_legacy:
            conversion.edits.after(command, *architectures(conversion, command), *enabled())
        return
    argument = command.args[at]
    if "HIP" not in command.values:
        conversion.edits.replace(argument.inner, argument.inner_end, "HIP")
    _around(conversion, command)


def enable_language(conversion: Conversion, command: Command) -> None:
    """Enable HIP, with the architectures before and the packages after."""
    at = command.keyword("CUDA")
    if at < 0:
        return
    argument = command.args[at]
    conversion.edits.replace(argument.inner, argument.inner_end, "HIP")
    _around(conversion, command)


def check_language(conversion: Conversion, command: Command) -> None:
    """Check for HIP."""
    if command.values == ("CUDA",):
        argument = command.args[0]
        conversion.edits.replace(argument.inner, argument.inner_end, "HIP")
        conversion.edits.before(command, *architectures(conversion, command))


def _around(conversion: Conversion, command: Command) -> None:
    default = architectures(conversion, command)
    if default:
        conversion.default_at = command.start
    conversion.edits.before(command, *default)
    lines = list(RUN_PATH)
    if not conversion.project.finds_toolkit and needs_packages(conversion):
        lines += packages(conversion, ("REQUIRED",))
    conversion.edits.after(command, *lines)


def enabled() -> tuple[str, ...]:
    """Return the lines that enable HIP."""
    return ("enable_language(HIP)", *RUN_PATH)


def architectures(conversion: Conversion, command: Command) -> list[str]:
    """Return the lines that set the architectures before HIP is enabled, none when they are set.

    Without them CMake asks the machine, which may have no GPU.
    """
    for other in conversion.listing.commands:
        if other.start >= command.start:
            break
        first = other.values[:1] == ("CUDA",) and other.name in (
            "check_language",
            "enable_language",
        )
        if first or other.values[:1] == (_ARCHITECTURES,):
            return []
    names = " ".join(conversion.archs)
    return [
        "if(NOT DEFINED CMAKE_HIP_ARCHITECTURES)",
        f"  set(CMAKE_HIP_ARCHITECTURES {names})",
        "endif()",
    ]


def drop_second_default(conversion: Conversion) -> None:
    """Take out a default of the architectures that comes after the one that was added."""
    commands = conversion.listing.commands
    for first, middle, last in zip(commands, commands[1:], commands[2:], strict=False):
        asks = first.name == "if" and first.values == ("NOT", "DEFINED", _ARCHITECTURES)
        sets = middle.name == "set" and middle.values[:1] == (_ARCHITECTURES,)
        added = conversion.default_at is not None and conversion.default_at < first.start
        if asks and sets and last.name == "endif" and added:
            conversion.edits.cut_lines(first.start, last.end)


def needs_packages(conversion: Conversion) -> bool:
    """Whether the tree uses more of ROCm than its compiler."""
    project = conversion.project
    if project.libraries:
        return True
    return any(
        "CMAKE_CUDA_TOOLKIT_INCLUDE_DIRECTORIES" in value
        for listing in project.listings.values()
        for command in listing.commands
        for value in command.values
    )


def packages(conversion: Conversion, how: Sequence[str]) -> list[str]:
    """Return the lines that find the packages of ROCm; `how`: REQUIRED, QUIET or neither."""
    project = conversion.project
    names = ("hip", *project.packages)
    finds = [line for name in names for line in call("find_package", [name], " ".join(how))]
    found = [line.replace(" )", ")") for line in finds]
    required = " REQUIRED" if "REQUIRED" in how else ""
    return [
        # Before HIP is enabled, CMake does not know ROCm's place yet.
        f"list(APPEND CMAKE_PREFIX_PATH {ROCM_ROOT} $ENV{{{ROCM_VARIABLE}}} {ROCM_HOME})",
        *found,
        *(f"find_library({n.upper()}_LIBRARY {n}{required})" for n in project.unpackaged),
    ]


def _numbers(version: str) -> tuple[int, ...]:
    parts = tuple(int(part) for part in version.split(".") if part)
    return (*parts, 0, 0)[: max(3, len(parts))]
