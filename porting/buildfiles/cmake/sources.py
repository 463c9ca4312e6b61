"""Sources with CUDA's suffix: their language is set to HIP where the build names them."""

import re
from collections.abc import Sequence

from porting.buildfiles.cmake.commands import Command
from porting.buildfiles.cmake.conversion import Conversion, call
from porting.buildfiles.cmake.words import words_of

_TAIL = "PROPERTIES LANGUAGE HIP"
_WHOLE_VARIABLE = re.compile(r"\$\{(\w+)\}")
# As in Python_add_library, pybind11_add_module, add_python_extension.
_MAKES_TARGET = re.compile(r"add_(?:\w+_)?(?:library|module|executable|extension)|_extension_?\w*$")
_PATTERN = re.compile(r"[*?\[]")
_GLOB_WORDS = frozenset(("CONFIGURE_DEPENDS", "FOLLOW_SYMLINKS"))
_MAY_MATCH = re.compile(r"\.(?:cu[*?]*|c[*?]+|\*|\[.*\])$|\*$")


def target(conversion: Conversion, command: Command) -> None:
    """Set the language of the CUDA sources of a target."""
    if not command.args or "IMPORTED" in command.values or "ALIAS" in command.values:
        return
    words = words_of(conversion.edits.text, command.args[1:])
    mark(conversion, command, [w.text for w in words if w.text.endswith(".cu")])
    names = [m[1] for w in words if (m := _WHOLE_VARIABLE.fullmatch(w.text))]
    if any(_is_unknown(conversion, name) for name in names) and _may_have_cuda(conversion):
        conversion.edits.after(command, *_of_target(command.values[0]))


def made_elsewhere(conversion: Conversion, command: Command) -> None:
    """Set the language of the CUDA sources of a target that a package's own command makes."""
    if _MAKES_TARGET.search(command.name):
        mark(conversion, command, [value for value in command.values if value.endswith(".cu")])


def listed(conversion: Conversion, command: Command) -> None:
    """Set the language of the CUDA sources in a list."""
    first = 1 if command.name == "set" else 2
    if command.name == "list" and command.values[:1] not in {("APPEND",), ("PREPEND",)}:
        return
    if "PARENT_SCOPE" in command.values:
        return
    words = words_of(conversion.edits.text, command.args[first:])
    mark(conversion, command, [w.text for w in words if w.text.endswith(".cu")], after=True)


def globbed(conversion: Conversion, command: Command) -> None:
    """Set the language of the CUDA sources that a pattern finds."""
    if command.values[:1] not in {("GLOB",), ("GLOB_RECURSE",)} or len(command.args) < 3:  # noqa: PLR2004
        return
    name, patterns = command.values[1], _patterns(command)
    found = f"${{{name}}}"
    if all(pattern.endswith(".cu") for pattern in patterns):
        conversion.edits.after(command, f"set_source_files_properties({found} {_TAIL})")
    elif any(_MAY_MATCH.search(pattern) for pattern in patterns):
        conversion.edits.after(
            command,
            f"set(hip_sources {found})",
            *_filtered("hip_sources"),
        )


def mark(
    conversion: Conversion, command: Command, files: Sequence[str], *, after: bool = False
) -> None:
    """Set the language of sources before or after a command, once in a file for each."""
    new = [name for name in dict.fromkeys(files) if name not in conversion.marked]
    if not new:
        return
    if command.depth == 0:
        conversion.marked.update(new)
    indent = conversion.edits.indent(command)
    lines = call("set_source_files_properties", new, _TAIL, indent)
    (conversion.edits.after if after else conversion.edits.before)(command, *lines)


def _patterns(command: Command) -> list[str]:
    values = list(command.values[2:])
    for word in ("RELATIVE", "LIST_DIRECTORIES"):
        if word in values:
            at = values.index(word)
            del values[at : at + 2]
    return [value for value in values if value not in _GLOB_WORDS]


def _of_target(name: str) -> list[str]:
    return [
        f"get_target_property(hip_sources {name} SOURCES)",
        *_filtered("hip_sources"),
    ]


def _filtered(variable: str) -> list[str]:
    return [
        f'list(FILTER {variable} INCLUDE REGEX "\\\\.cu$")',
        f"set_source_files_properties(${{{variable}}} {_TAIL})",
    ]


def _is_unknown(conversion: Conversion, name: str) -> bool:
    """Whether a list of sources comes from outside of the file, a function's caller included."""
    return not any(
        (command.name in ("set", "cuda_compile") and command.values[:1] == (name,))
        or (command.name in ("list", "file") and command.values[1:2] == (name,))
        for command in conversion.listing.commands
    )


def _may_have_cuda(conversion: Conversion) -> bool:
    context = conversion.project.context
    return bool(context.cuda_sources) or not context.sources
