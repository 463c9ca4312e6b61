"""What names CUDA in a file after its conversion: found, so that no file is half converted."""

import re
from collections.abc import Iterator

from porting.buildfiles.cmake.commands import Argument, Command, Listing
from porting.buildfiles.cmake.conversion import Conversion
from porting.buildfiles.cmake.findcuda import RULES
from porting.buildfiles.cmake.names import RENAMED_PROPERTIES, VALUES, VERSIONS, variable
from porting.buildfiles.cmake.words import words_of
from porting.buildfiles.codes import LEFT_ALONE
from porting.buildfiles.flags import is_of_nvcc

_MENTION = re.compile(
    r"\bCUDA::\w+|\b(?:CMAKE_CUDA|CUDAToolkit|CUDA)_\w+|(?<![\w.-])nvcc(?![\w.-])"
    r"|\$<(?:DEVICE_LINK|CUDA_COMPILER_VERSION):"
)
_OF_CUDA = re.compile(
    r"(?i)cuda|nvcc|nccl|nvtx|nvtools|\bcu(?:blas|fft|rand|sparse|solver)|\.cu\b|cutlass"
)
_FOR_PEOPLE = frozenset(("message",))


def find_leftovers(conversion: Conversion) -> None:
    """Report an error for each name of CUDA that no rule replaced or took out."""
    edits = conversion.edits
    for command in conversion.listing.commands:
        if command.name.startswith("cuda_") and _is_unknown_command(conversion, command):
            edits.say(LEFT_ALONE, command.start, f"{command.name}: no rule converts this command")
        if command.name in _FOR_PEOPLE:
            continue
        for start, end in _mentions(conversion, command):
            if not edits.covers(start, end):
                text = edits.text[start:end]
                edits.say(LEFT_ALONE, start, f"{text}: no rule converts this use of it")


def _is_unknown_command(conversion: Conversion, command: Command) -> bool:
    return command.name not in RULES and command.name not in conversion.project.functions


def _mentions(conversion: Conversion, command: Command) -> Iterator[tuple[int, int]]:
    for argument in command.args:
        for match in _MENTION.finditer(argument.value):
            if _is_of_cuda(conversion, match[0]) and not _is_own_folder(argument, match):
                yield argument.inner + match.start(), argument.inner + match.end()
    for word in words_of(conversion.edits.text, command.args):
        if is_of_nvcc(word.text):
            yield word.start, word.end


def _is_of_cuda(conversion: Conversion, text: str) -> bool:
    """Whether a name is CMake's or CUDA's: variables that the tree sets for itself are its own."""
    if text in RENAMED_PROPERTIES or text.startswith(("CUDA::", "$<")) or text == "nvcc":
        return True
    meaning = variable(text)
    if meaning is None:
        return False
    return meaning.action not in VALUES | VERSIONS or text not in conversion.project.defined


def _is_own_folder(argument: Argument, match: re.Match[str]) -> bool:
    """Whether `nvcc` is part of a path or text of the tree's own."""
    return match[0] == "nvcc" and argument.value != "nvcc" and not argument.value.endswith("/nvcc")


def names_cuda(listing: Listing) -> bool:
    """Whether a file has anything to convert: it names CUDA's tools, libraries or sources."""
    return any(
        command.name.startswith("cuda_") or any(map(may_name_cuda, command.values))
        for command in listing.commands
    )


def may_name_cuda(value: str) -> bool:
    """Whether a text has a name of CUDA's tools, libraries or sources in it."""
    return bool(_OF_CUDA.search(value)) or any(map(is_of_nvcc, re.split(r"[\s;]", value)))
