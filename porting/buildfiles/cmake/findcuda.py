"""Commands of FindCUDA, the module from before CUDA was a language of CMake."""

from collections.abc import Callable

from porting.buildfiles.cmake.commands import Argument, Command
from porting.buildfiles.cmake.conversion import Conversion
from porting.buildfiles.cmake.names import variable
from porting.buildfiles.cmake.options import runs_of
from porting.buildfiles.cmake.project import IDENTIFIER, TARGET
from porting.buildfiles.cmake.references import drop_setting, link_text, renamed
from porting.buildfiles.cmake.sources import target as mark_target
from porting.buildfiles.codes import LEFT_ALONE, flag_code
from porting.buildfiles.libraries import library

_CONFIGS = {"DEBUG": "Debug", "RELEASE": "Release", "RELWITHDEBINFO": "RelWithDebInfo",
            "MINSIZEREL": "MinSizeRel"}  # fmt: skip
_FLAGS = "CUDA_NVCC_FLAGS"


def add_target(conversion: Conversion, command: Command) -> None:
    """Make a target of CMake's own, with what FindCUDA gave it by itself."""
    if not command.args:
        return
    name = command.name.removeprefix("cuda_")
    conversion.edits.replace(command.start, command.name_end, name)
    options = _own_options(conversion, command)
    mark_target(conversion, command)
    target = command.values[0]
    lines = [*options, *_common_flags(conversion, target)]
    if not _links_runtime(conversion, target):
        keyword = _keyword(conversion)
        lines.append(f"target_link_libraries({target} {keyword}hip::host)")
    conversion.edits.after(command, *lines)


def _own_options(conversion: Conversion, command: Command) -> list[str]:
    """Take the options behind OPTIONS out; return the lines that give them to the target."""
    at = command.keyword("OPTIONS")
    if at < 0:
        return []
    conversion.edits.cut(command.args[at].start, command.args[-1].end)
    groups: dict[str, list[Argument]] = {}
    config = ""
    for argument in command.args[at + 1 :]:
        if argument.value in _CONFIGS:
            config = argument.value
        else:
            groups.setdefault(config, []).append(argument)
    lines = []
    for config, arguments in groups.items():
        flags: list[str] = []
        for run in runs_of(conversion.edits.text, arguments, lambda _: True):
            flags += run.translated.flags
            for note in run.translated.notes:
                text = f"{note.flag}: {note.text}"
                conversion.edits.say(flag_code(note.severity), run.words[0].start, text)
        text = renamed(conversion, ";".join(flags))
        if flags:
            lines.append(_for_hip(command.values[0], text, config))
    return lines


def _for_hip(target: str, flags: str, config: str = "") -> str:
    condition = "$<COMPILE_LANGUAGE:HIP>"
    if config:
        condition = f"$<AND:{condition},$<CONFIG:{_CONFIGS[config]}>>"
    return f'target_compile_options({target} PRIVATE "$<{condition}:{flags}>")'


def _common_flags(conversion: Conversion, target: str) -> list[str]:
    """Return the lines that give the options in FindCUDA's variables to a target."""
    set_somewhere = {
        value
        for _, command in conversion.project.commands("set", "list", "string")
        for value in command.values[:2]
    }
    lines = []
    for config in ("", *_CONFIGS):
        name = f"{_FLAGS}_{config}" if config else _FLAGS
        meaning = variable(name)
        if name in set_somewhere and meaning is not None:
            lines.append(_for_hip(target, f"${{{meaning.to}}}", config))
    return lines


def _links_runtime(conversion: Conversion, target: str) -> bool:
    """Whether the file links the runtime to a target by itself."""
    for command in conversion.listing.commands:
        if command.name != "target_link_libraries" or command.values[:1] != (target,):
            continue
        for value in command.values[1:]:
            names = [match[1] for match in TARGET.finditer(value)]
            names += [value.removeprefix("-l")]
            for match in IDENTIFIER.finditer(value):
                meaning = variable(match[0])
                names += [meaning.linked.cuda] if meaning and meaning.linked else []
            if any((found := library(name)) and found.package == "hip" for name in names):
                return True
    return False


def _keyword(conversion: Conversion) -> str:
    """Return the keyword that FindCUDA was told to link with, and a blank."""
    for _, command in conversion.project.commands("set"):
        if command.values[:1] == ("CUDA_LINK_LIBRARIES_KEYWORD",) and len(command.values) > 1:
            return f"{command.values[1]} "
    return ""


def add_library_of_cuda(name: str) -> Callable[[Conversion, Command], None]:
    """Return the rule of a command that links one library to a target."""

    def rule(conversion: Conversion, command: Command) -> None:
        found = library(name)
        if found is not None and command.args:
            line = f"target_link_libraries({command.values[0]} {link_text(found)})"
            conversion.edits.become(command, line)

    return rule


def include_directories(conversion: Conversion, command: Command) -> None:
    """Give the folders to every language."""
    conversion.edits.replace(command.start, command.name_end, "include_directories")


def compile_objects(conversion: Conversion, command: Command) -> None:
    """Compile objects by a library of CMake's own."""
    if len(command.args) < 2:  # noqa: PLR2004 - the variable and a source
        return
    variable_name = command.values[0]
    library_name = f"{variable_name}_objects"
    conversion.edits.replace(command.start, command.name_end, "add_library")
    first = command.args[0]
    conversion.edits.replace(first.start, first.end, f"{library_name} OBJECT")
    options = _own_options(conversion, command)
    mark_target(conversion, command)
    lines = [line.replace(f"({variable_name} ", f"({library_name} ") for line in options]
    lines += _common_flags(conversion, library_name)
    lines.append(f"set({variable_name} $<TARGET_OBJECTS:{library_name}>)")
    conversion.edits.after(command, *lines)


def impossible(conversion: Conversion, command: Command) -> None:
    """Report what HIP has no step for."""
    message = f"{command.name}: HIP has no such step; compile with clang by add_custom_command"
    conversion.edits.say(LEFT_ALONE, command.start, message)


def no_need(conversion: Conversion, command: Command) -> None:
    """Take out what CMake or the target's architectures make needless."""
    drop_setting(conversion, command, command.name, "nothing of it is needed for ROCm")


RULES: dict[str, Callable[[Conversion, Command], None]] = {
    "cuda_add_library": add_target,
    "cuda_add_executable": add_target,
    "cuda_add_cublas_to_target": add_library_of_cuda("cublas"),
    "cuda_add_cufft_to_target": add_library_of_cuda("cufft"),
    "cuda_include_directories": include_directories,
    "cuda_compile": compile_objects,
    "cuda_compile_ptx": impossible,
    "cuda_compile_cubin": impossible,
    "cuda_compile_fatbin": impossible,
    "cuda_wrap_srcs": impossible,
    "cuda_link_separable_compilation_objects": impossible,
    "cuda_compute_separable_compilation_object_file_name": impossible,
    "cuda_build_clean_target": no_need,
    "cuda_select_nvcc_arch_flags": no_need,
    "cuda_detect_installed_gpus": no_need,
}
