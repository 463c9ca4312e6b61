"""Names of CUDA inside arguments, word by word: variables, targets, languages, folders."""

import re

from porting.buildfiles.cmake.commands import Argument, Command
from porting.buildfiles.cmake.conversion import Conversion
from porting.buildfiles.cmake.names import (
    RENAMED_PROPERTIES,
    VALUES,
    VERSIONS,
    Action,
    Meaning,
    variable,
)
from porting.buildfiles.cmake.options import options_after
from porting.buildfiles.cmake.versions import replace_version
from porting.buildfiles.codes import (
    LEFT_ALONE,
    LIBRARY_DROPPED,
    LIBRARY_MISSING,
    LIBRARY_OWN,
    SETTING_DROPPED,
)
from porting.buildfiles.libraries import Linked, library
from porting.diagnostics import Severity
from porting.rules.strings import machine
from porting.rules.strings.machine import CUDA_FOLDER, HOME_VARIABLE

ROCM_ROOT = "${CMAKE_HIP_COMPILER_ROCM_ROOT}"
HOME = "the home of ROCm"  # the reason of variables that hold a toolkit's place
_HOME = rf"(?:\$\{{{HOME_VARIABLE}\}}|{CUDA_FOLDER})"
_NAME = re.compile(
    rf"""
    (?P<libraries>{_HOME}/(?:lib64|lib|targets/[\w-]+/lib)(?:/stubs)?(?![\w-]))
    | (?P<folder>{CUDA_FOLDER}(?![\w-]))
    | \$ENV\{{(?P<environment>\w+)\}}
    | \$<(?P<condition>COMPILE_LANGUAGE|LINK_LANGUAGE|COMPILE_LANG_AND_ID|LINK_LANG_AND_ID):
          (?P<languages>[\w,]*\bCUDA\b[\w,]*)>
    | \$<CUDA_COMPILER_ID:(?P<identity>[\w,]*)>
    | \bCUDA::(?P<target>\w+)
    | \bcuda_std_(?P<standard>\d+)\b
    | \$\{{(?P<variable>(?:CMAKE_CUDA|CUDAToolkit|CUDA)_\w+)\}}
    | \b(?P<bare>(?:CMAKE_CUDA|CUDAToolkit|CUDA)_\w+)
    """,
    re.VERBOSE,
)


def rename_references(conversion: Conversion, command: Command) -> None:
    """Replace the names of CUDA in the arguments of a command that no rule has replaced."""
    seen = conversion.linked_by(command)
    for number, argument in enumerate(command.args):
        if conversion.edits.covers(argument.start, argument.end):
            continue
        if argument.value.startswith("$<DEVICE_LINK:") and argument.value.endswith(">"):
            text = "$<DEVICE_LINK>: clang has no device link step of its own"
            conversion.edits.say(SETTING_DROPPED, argument.start, text)
            conversion.edits.cut_argument(argument)
            continue
        if argument.value == "CUDA" and _is_language(command, number):
            conversion.edits.replace(argument.inner, argument.inner_end, "HIP")
        if argument.value == "NVIDIA" and any("CUDA_COMPILER_ID" in v for v in command.values):
            conversion.edits.replace(argument.inner, argument.inner_end, "Clang")
        if command.values[number - 1 : number] == ("ENV",):
            name = _environment(argument.value) or argument.value
            conversion.edits.replace(argument.inner, argument.inner_end, name)
        for match in _NAME.finditer(argument.value):
            _replace(conversion, command, argument, match, seen)
    if command.name == "target_link_options":
        _drop_empty(conversion, command)


def _environment(name: str) -> str:
    """Return the variable that ROCm has for one of CUDA's, "" for none."""
    known = machine.variable(name)
    return known.rocm if known else ""


def _drop_empty(conversion: Conversion, command: Command) -> None:
    """Take a command out of which no option is left."""
    options = list(options_after(command.args, 1))
    if options and all(conversion.edits.takes_out(a.start, a.end) for a in options):
        conversion.edits.cut_command(command)


def renamed(conversion: Conversion, text: str) -> str:
    """Return a text with the names of CUDA's variables in it replaced."""

    def new(match: re.Match[str]) -> str:
        return _text(conversion, match) or match[0]

    return _NAME.sub(new, text)


def _is_language(command: Command, number: int) -> bool:
    before = command.values[number - 1] if number else ""
    return before in ("LANGUAGE", "LINKER_LANGUAGE") or command.name in ("if", "elseif")


def _replace(
    conversion: Conversion,
    command: Command,
    argument: Argument,
    match: re.Match[str],
    seen: set[str],
) -> None:
    start, end = argument.inner + match.start(), argument.inner + match.end()
    if conversion.edits.covers(start, end):
        return
    name = match["variable"] or match["bare"] or ""
    if name and (meaning := _meaning(conversion, name)):
        if meaning.action in VERSIONS:
            replace_version(conversion, command, argument, (start, end), meaning)
            return
        if meaning.action in (Action.ERROR, Action.DROP):
            _stop(conversion, start, f"{name}: {meaning.reason}")
            return
    linked = _linked(conversion, match)
    if linked is not None and not is_linkable(conversion, linked, start):
        conversion.edits.cut_argument(argument)
        return
    text = _text(conversion, match)
    if text is None:
        return
    if linked is not None and text in seen and argument.value == match[0]:
        conversion.edits.cut_argument(argument)
        return
    seen.add(text)
    conversion.edits.replace(start, end, text)


def _linked(conversion: Conversion, match: re.Match[str]) -> Linked | None:
    if match["target"]:
        return library(match["target"])
    meaning = _meaning(conversion, match["variable"]) if match["variable"] else None
    return meaning.linked if meaning else None


def is_linkable(conversion: Conversion, item: Linked, start: int) -> bool:
    """Whether a library has something to link; says why not."""
    if item.severity is Severity.ERROR:
        conversion.edits.say(LIBRARY_MISSING, start, item.reason)
        return False
    if item.severity is Severity.WARNING:
        conversion.edits.say(LIBRARY_OWN, start, f"{item.cuda}: {item.reason}")
    if item.link and not conversion.project.links(item):
        reason = f"{item.cuda}: no source makes its markers"
        conversion.edits.say(LIBRARY_DROPPED, start, reason)
        return False
    if not item.link and not item.target:
        conversion.edits.say(LIBRARY_DROPPED, start, f"{item.cuda}: {item.reason}")
        return False
    return True


def link_text(item: Linked) -> str:
    """Return what target_link_libraries is given for a library: a target, or where it lies."""
    return item.target or f"${{{item.link[0].upper()}_LIBRARY}}"


def _text(conversion: Conversion, match: re.Match[str]) -> str | None:  # noqa: PLR0911 - kinds
    """Return what takes a name's place, None when it stays."""
    if match["libraries"]:
        return f"{ROCM_ROOT}/lib"
    if match["folder"]:
        return ROCM_ROOT
    if match["environment"]:
        new = _environment(match["environment"])
        return f"$ENV{{{new}}}" if new else None
    if match["condition"]:
        return f"$<{match['condition']}:{_languages(match['condition'], match['languages'])}>"
    if match["identity"]:
        return "$<HIP_COMPILER_ID:Clang>"
    if match["standard"]:
        return f"hip_std_{match['standard']}"
    if match["target"]:
        found = library(match["target"])
        return link_text(found) if found else None
    return _of_variable(conversion, match)


def _languages(condition: str, languages: str) -> str:
    if condition.endswith("_ID"):
        return "HIP,Clang"
    return ",".join("HIP" if name == "CUDA" else name for name in languages.split(","))


def _of_variable(conversion: Conversion, match: re.Match[str]) -> str | None:
    name = match["variable"] or match["bare"]
    meaning = _meaning(conversion, name)
    if meaning is None:
        return None
    if meaning.linked is not None:
        return link_text(meaning.linked)
    if meaning.action in VALUES:
        return meaning.to if match["variable"] else None
    return f"${{{meaning.to}}}" if match["variable"] else meaning.to


def _meaning(conversion: Conversion, name: str) -> Meaning | None:
    """Return what CMake means by a name; a name that the tree sets for itself is its own."""
    if name in RENAMED_PROPERTIES:
        return None
    meaning = variable(name)
    if meaning is None:
        return None
    may_be_own = meaning.action in VALUES | VERSIONS and meaning.reason != HOME
    return None if may_be_own and name in conversion.project.defined else meaning


def _stop(conversion: Conversion, offset: int, message: str) -> None:
    conversion.edits.say(LEFT_ALONE, offset, message)


def drop_setting(conversion: Conversion, command: Command, name: str, reason: str) -> None:
    """Take a command out that only sets what has no meaning for ROCm."""
    conversion.edits.say(SETTING_DROPPED, command.start, f"{name}: {reason}")
    conversion.edits.cut_command(command)
