"""Calls of nvcc that a build makes by itself."""

import re

from porting.buildfiles.cmake.commands import Argument, Command
from porting.buildfiles.cmake.conversion import Conversion
from porting.buildfiles.cmake.options import runs_of
from porting.buildfiles.cmake.project import CMakeProject
from porting.buildfiles.cmake.references import ROCM_ROOT
from porting.buildfiles.codes import LEFT_ALONE, VENDOR_STEP
from porting.buildfiles.flags import offload_arch

_NVCC = re.compile(
    r"(?:.*/)?nvcc|\$\{(?:CUDA_NVCC_EXECUTABLE|CMAKE_CUDA_COMPILER|CUDAToolkit_NVCC_EXECUTABLE)\}"
)
_KEYWORDS = frozenset(
    """OUTPUT COMMAND MAIN_DEPENDENCY DEPENDS BYPRODUCTS IMPLICIT_DEPENDS WORKING_DIRECTORY COMMENT
    DEPFILE JOB_POOL VERBATIM APPEND USES_TERMINAL COMMAND_EXPAND_LISTS TARGET PRE_BUILD PRE_LINK
    POST_BUILD SOURCES RESULT_VARIABLE OUTPUT_VARIABLE ERROR_VARIABLE TIMEOUT OUTPUT_QUIET
    ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE ARGS""".split()
)
_COMPILES = frozenset(("-c", "-dc", "-ptx", "-cubin", "-fatbin", "--ptx", "--cubin", "--fatbin"))
_NO_LINK = _COMPILES | {"-E", "-M", "-MM", "-S", "-lib", "--lib", "--compile", "-dlink"}
_LINK = f"-L{ROCM_ROOT}/lib -Wl,-rpath,{ROCM_ROOT}/lib"
_ASKS = frozenset(("--version", "-V", "--list-gpu-arch", "--list-gpu-code", "--help"))


def find_program(conversion: Conversion, command: Command) -> None:
    """Name clang where nvcc is looked for."""
    if not any(_NVCC.fullmatch(value) for value in command.values[1:]):
        return
    name = command.values[0]
    conversion.edits.become(command, f"set({name} ${{CMAKE_HIP_COMPILER}})")
    conversion.edits.say(VENDOR_STEP, command.start, f"{name} is clang in the place of nvcc")


def custom_command(conversion: Conversion, command: Command) -> None:
    """Translate calls of nvcc."""
    for number, argument in enumerate(command.args):
        before = command.values[number - 1] if number else ""
        if before == "COMMAND" and _is_nvcc(conversion.project, argument):
            _call(conversion, command, number)


def runs_nvcc(project: CMakeProject) -> bool:
    """Whether a tree runs nvcc by itself, where CUDA need not be a language of it."""
    commands = project.commands("add_custom_command", "add_custom_target", "execute_process")
    return any(
        before == "COMMAND" and _is_nvcc(project, argument)
        for _, command in commands
        if not _ASKS.intersection(command.values)
        for before, argument in zip(command.values, command.args[1:], strict=False)
    )


def _is_nvcc(project: CMakeProject, argument: Argument) -> bool:
    if _NVCC.fullmatch(argument.value):
        return True
    found = (c for _, c in project.commands("find_program") if c.args)
    names = {c.values[0] for c in found if any(_NVCC.fullmatch(v) for v in c.values[1:])}
    return argument.value.strip("${}") in names


def _call(conversion: Conversion, command: Command, number: int) -> None:
    program = command.args[number]
    words = []
    for argument in command.args[number + 1 :]:
        if argument.value in _KEYWORDS - {"ARGS"}:
            break
        words.append(argument)
    values = {argument.value for argument in words}
    if values & _ASKS:
        message = "the build asks nvcc for its version or architectures, and clang has others"
        conversion.edits.say(LEFT_ALONE, program.start, message)
        return
    runs = runs_of(conversion.edits.text, words, lambda _: True)
    conversion.translate(command, words, runs)
    options = [f"--rocm-path={ROCM_ROOT}", *offload_arch(conversion.archs)]
    if "-x" not in values:
        _mark_sources(conversion, words, compiles_only=bool(values & _COMPILES), options=options)
    if values.isdisjoint(_NO_LINK) and words:
        end = words[-1].end
        named = values & {"-lcudart", "-lcudart_static", "cudart"}
        flags = _LINK if named else f"{_LINK} -lamdhip64"
        conversion.edits.replace(end, end, f" {flags}")
    text = " ".join(["${CMAKE_HIP_COMPILER}", *options])
    conversion.edits.replace(program.start, program.end, text)
    conversion.edits.say(VENDOR_STEP, program.start, "a call of nvcc became a call of clang")


def _mark_sources(
    conversion: Conversion, words: list[Argument], *, compiles_only: bool, options: list[str]
) -> None:
    """Say which files are HIP: all where nothing is linked, else those with CUDA's suffix."""
    if compiles_only:
        options += ["-x", "hip"]
        return
    sources = [argument for argument in words if argument.value.endswith(".cu")]
    for argument in sources:
        text = f"-x hip {conversion.edits.text[argument.start : argument.end]} -x none"
        conversion.edits.replace(argument.start, argument.end, text)
