"""Variables, properties and options of the compiler that steer CUDA's language."""

from collections.abc import Iterator
from itertools import pairwise

from porting.buildfiles.cmake.commands import Argument, Command
from porting.buildfiles.cmake.conversion import LINK_FOR_HIP, Conversion
from porting.buildfiles.cmake.names import (
    DROPPED_PROPERTIES,
    IMPOSSIBLE_PROPERTIES,
    RENAMED_PROPERTIES,
    SEPARABLE_PROPERTY,
    VALUES,
    Action,
    Meaning,
    variable,
)
from porting.buildfiles.cmake.options import has_options_of_nvcc, options_after, runs_of
from porting.buildfiles.cmake.references import HOME, drop_setting
from porting.buildfiles.cmake.words import Word, words_of
from porting.buildfiles.codes import LEFT_ALONE, SETTING_DROPPED
from porting.buildfiles.flags import translate

_TRUE = frozenset(("ON", "TRUE", "YES", "Y", "1"))
_FALSE = frozenset(("OFF", "FALSE", "NO", "N", "0", ""))
_ENDS = frozenset(("CACHE", "PARENT_SCOPE"))
_OF_OPTIONS = frozenset(("COMPILE_OPTIONS", "COMPILE_FLAGS", "LINK_OPTIONS", "LINK_FLAGS"))


def setting(conversion: Conversion, command: Command) -> None:
    """Convert a command that sets a variable: one of CUDA's, or a list of options of nvcc."""
    at = 1 if command.name in ("list", "string") else 0
    if len(command.args) <= at:
        return
    name = command.values[at]
    meaning = variable(name)
    values = _values(command, at + 1)
    if meaning is None or command.name in ("unset", "mark_as_advanced"):
        if command.name in ("set", "list", "string"):
            _own_options(conversion, command, values)
        if meaning is not None and (meaning.action in VALUES or meaning.action is Action.DROP):
            conversion.edits.cut_command(command)
        return
    _known(conversion, command, name, meaning, values)


def _known(
    conversion: Conversion,
    command: Command,
    name: str,
    meaning: Meaning,
    values: tuple[Argument, ...],
) -> None:
    match meaning.action:
        case Action.DROP:
            drop_setting(conversion, command, name, meaning.reason)
        case Action.VALUE if meaning.reason == HOME:
            drop_setting(conversion, command, name, "ROCM_PATH or CMAKE_HIP_COMPILER choose ROCm")
        case Action.ARCHITECTURES:
            _architectures(conversion, command, values)
        case Action.SEPARABLE:
            _separable(conversion, command, values)
        case Action.FLAGS:
            _flags(conversion, command, values)
        case Action.RENAME if "FLAGS" in name:
            _translate(conversion, command, values, in_string=True)
        case _:
            pass


def _values(command: Command, first: int) -> tuple[Argument, ...]:
    """Return the arguments that are the value: no CACHE, no text for people."""
    end = next((i for i, v in enumerate(command.values) if v in _ENDS), len(command.args))
    return command.args[first:end]


def _own_options(conversion: Conversion, command: Command, values: tuple[Argument, ...]) -> None:
    """Translate a variable of the tree's own that holds options of nvcc."""
    if has_options_of_nvcc(conversion.edits.text, values):
        in_string = command.name == "string" or any(_is_command_line(a) for a in values)
        _translate(conversion, command, values, in_string=in_string)


def _is_command_line(argument: Argument) -> bool:
    return argument.quoted and " " in argument.value.strip() and ";" not in argument.value


def _translate(
    conversion: Conversion, command: Command, values: tuple[Argument, ...], *, in_string: bool
) -> None:
    runs = runs_of(conversion.edits.text, values, _not_for_others)
    link = conversion.translate(command, values, runs, in_string=in_string)
    empty = bool(values) and conversion.edits.takes_out(values[0].start, values[-1].end)
    if empty and command.name == "list":
        conversion.edits.cut_command(command)
    if link:
        conversion.edits.after(command, f"add_link_options({LINK_FOR_HIP})")


def _not_for_others(word: Word) -> bool:
    return not word.for_others


def _flags(conversion: Conversion, command: Command, values: tuple[Argument, ...]) -> None:
    """Translate FindCUDA's list of options; one that is a command line becomes a list."""
    _translate(conversion, command, values, in_string=False)
    words = words_of(conversion.edits.text, values)
    for word, following in pairwise(words):
        if word.argument == following.argument and values[word.argument].quoted:
            gap = conversion.edits.text[word.end : following.start]
            if gap.isspace():
                conversion.edits.replace(word.end, following.start, ";")
    if not values or conversion.edits.takes_out(values[0].start, values[-1].end):
        conversion.edits.cut_command(command)


def _architectures(conversion: Conversion, command: Command, values: tuple[Argument, ...]) -> None:
    """Name the target's architectures; what adds to a list has nothing to add."""
    if command.name != "set":
        drop_setting(
            conversion, command, command.values[1], "architectures are those of the target"
        )
    elif values:
        quoted = values[0].quoted
        text = (";" if quoted else " ").join(conversion.archs)
        start, end = values[0].start, values[-1].end
        conversion.edits.replace(start, end, f'"{text}"' if quoted else text)


def _separable(conversion: Conversion, command: Command, values: tuple[Argument, ...]) -> None:
    value = values[-1].value if values else ""
    if value.upper() in _FALSE:
        drop_setting(
            conversion, command, command.values[0], "clang's device code is whole by default"
        )
        return
    condition = "" if value.upper() in _TRUE else f"$<BOOL:{value}>"
    conversion.edits.become(command, *conversion.relocatable("", condition))


def properties(conversion: Conversion, command: Command) -> None:
    """Convert properties of targets and sources."""
    pairs = list(_pairs(command))
    gone = 0
    lines: list[str] = []
    for key, values in pairs:
        gone += _property(conversion, command, key, values, lines)
    if gone and gone == len(pairs):
        conversion.edits.become(command, *lines)
    elif lines:
        conversion.edits.after(command, *lines)


def _pairs(command: Command) -> Iterator[tuple[Argument, tuple[Argument, ...]]]:
    if command.name == "set_property":
        at = command.keyword("PROPERTY") + 1
        if 0 < at < len(command.args):
            yield command.args[at], command.args[at + 1 :]
        return
    first = command.keyword("PROPERTIES") + 1
    for at in range(first, len(command.args) - 1, 2) if first else ():
        yield command.args[at], (command.args[at + 1],)


def _property(
    conversion: Conversion,
    command: Command,
    key: Argument,
    values: tuple[Argument, ...],
    lines: list[str],
) -> bool:
    """Convert one property, with `lines` to add; return whether it goes."""
    edits, name = conversion.edits, key.value
    value = " ".join(argument.value for argument in values)
    if name == SEPARABLE_PROPERTY and value.upper() not in _FALSE:
        condition = "" if value.upper() in _TRUE else f"$<BOOL:{value}>"
        for target in _targets(command):
            lines += conversion.relocatable(target, condition)
    elif name in IMPOSSIBLE_PROPERTIES and value.upper() not in _FALSE:
        edits.say(LEFT_ALONE, key.start, f"{name}: {IMPOSSIBLE_PROPERTIES[name]}")
    elif name in DROPPED_PROPERTIES:
        edits.say(SETTING_DROPPED, key.start, f"{name}: {DROPPED_PROPERTIES[name]}")
    elif values:
        _kept_property(conversion, command, key, values)
    if name not in (*DROPPED_PROPERTIES, *IMPOSSIBLE_PROPERTIES, SEPARABLE_PROPERTY):
        return False
    edits.cut(key.start, values[-1].end if values else key.end)
    return True


def _kept_property(
    conversion: Conversion, command: Command, key: Argument, values: tuple[Argument, ...]
) -> None:
    edits, name = conversion.edits, key.value
    if name in RENAMED_PROPERTIES:
        edits.replace(key.inner, key.inner_end, RENAMED_PROPERTIES[name])
        if name == "CUDA_ARCHITECTURES":
            edits.replace(values[0].start, values[-1].end, '"${CMAKE_HIP_ARCHITECTURES}"')
    elif name == "CUDA_SOURCE_PROPERTY_FORMAT" and values[0].value == "OBJ":
        edits.replace(key.start, values[-1].end, "LANGUAGE HIP")
    elif name in _OF_OPTIONS:
        _options_property(conversion, command, name, values)


def _targets(command: Command) -> tuple[str, ...]:
    if command.name == "set_property":
        return command.values[1 : command.keyword("PROPERTY")]
    return command.values[: command.keyword("PROPERTIES")]


def _options_property(
    conversion: Conversion, command: Command, name: str, values: tuple[Argument, ...]
) -> None:
    of_cuda = command.name == "set_source_files_properties" and any(
        value.endswith(".cu") for value in _targets(command)
    )
    if of_cuda or has_options_of_nvcc(conversion.edits.text, values):
        _translate(conversion, command, values, in_string=name.endswith("FLAGS"))


def definitions(conversion: Conversion, command: Command) -> None:
    """Name HIP's macros where CUDA's headers are told something by a definition."""
    for word in words_of(conversion.edits.text, command.args):
        name = word.text.removeprefix("-D")
        (piece,) = translate([f"-D{name}"]).pieces
        if piece.flags == (f"-D{name}",):
            continue
        prefix = word.text.removesuffix(name)
        new = [f.removeprefix("-D") for f in piece.flags if f.startswith("-D")]
        if name.startswith("CUDA_API_PER_THREAD"):
            new = ["HIP_API_PER_THREAD_DEFAULT_STREAM=1"]
        if new:
            conversion.edits.replace(word.start, word.end, prefix + new[0])
        else:
            conversion.edits.cut(word.start, word.end)


def compile_options(conversion: Conversion, command: Command) -> None:
    """Translate options that are given to CUDA's compiler, or to every one and only nvcc has."""
    of_target = command.name.startswith("target")
    arguments = tuple(options_after(command.args, 1 if of_target else 0))
    text = conversion.edits.text
    all_of_them = has_options_of_nvcc(text, arguments)
    runs = runs_of(text, arguments, lambda word: all_of_them and not word.for_others)
    link = conversion.translate(command, arguments, runs)
    if arguments and all(conversion.edits.takes_out(a.start, a.end) for a in arguments):
        conversion.edits.cut_command(command)
    if link and of_target:
        target = command.values[0]
        scope = "PUBLIC" if conversion.is_archive(target) else "PRIVATE"
        conversion.edits.after(command, f"target_link_options({target} {scope} {LINK_FOR_HIP})")
    elif link:
        conversion.edits.after(command, f"add_link_options({LINK_FOR_HIP})")
