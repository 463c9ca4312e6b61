"""Entries for the kernels of a module, and the table by which the emulator finds them.

A kernel becomes an ordinary function for the processor, whose parameters lie where its calling
convention puts them.  An entry takes what a launch gives, a pointer per parameter, and calls it.
Which words of the convention make up a parameter of the source is read from the debug information,
since parameters without content have none.  The records' layout: native/core/sidecar_abi.h.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from porting.emulate.ir_text import (
    Annotation,
    Function,
    Global,
    allocation,
    annotations,
    declared_parameters,
    functions,
    global_variables,
    parameter_records,
    split_list,
    stores,
    take_type,
    used_names,
)
from porting.errors import InputError

KERNEL_MARK = "eclosion.kernel"
BOUNDS_MARK = "eclosion.bounds"
CONSTANT_MARK = "eclosion.constant"
_ABI_WORDS = re.compile(r"\b(?:byval\((?:[^()]|\([^()]*\))*\)|align \d+|zeroext|signext)")
_BYVAL = re.compile(r"\bbyval\(((?:[^()]|\([^()]*\))*)\)")
_ALIGN = re.compile(r"\balign (\d+)")
_COERCED = re.compile(r"^(.*)\.coerce(\d*)$")
_EIGHTBYTE = 8
# Words of what is no variable of a device: another module's, a block's own, the compiler's.
_OTHERS = frozenset(("external", "thread_local", "private", "appending"))


@dataclass(frozen=True)
class Word:
    """A parameter of the function: its type, the words of its convention, where it is kept."""

    type: str
    attributes: str
    name: str
    place: str
    offset: int


@dataclass(frozen=True)
class Parameter:
    """A parameter of the source: its type, "" without content, and the words that carry it."""

    type: str
    alignment: int
    words: tuple[Word, ...]


@dataclass(frozen=True)
class KernelEntry:
    """What the table says of a kernel."""

    function: Function
    parameters: tuple[Parameter, ...]
    shared: tuple[str, ...]  # types of its variables that each block has
    most_threads: int
    file: str
    line: int


def with_entries(text: str, unit: str, source: str) -> str:
    """Return a module with an entry per kernel and its table, under the name `unit`.

    Raises InputError for a kernel whose parameters cannot be told from each other.
    """
    marks = annotations(text)
    bodies = {function.name: function for function in functions(text)}
    variables = list(global_variables(text))
    numbers = parameter_records(text)
    shared = {each.name: each.type for each in variables if each.is_thread_local}
    bounds = {mark.name: mark.number for mark in marks if mark.mark == BOUNDS_MARK}
    kernels = [
        KernelEntry(
            bodies[mark.name],
            _parameters(bodies[mark.name], numbers, mark),
            _shared_types(mark.name, bodies, shared),
            bounds.get(mark.name, 0),
            mark.file,
            mark.line,
        )
        for mark in _unique(marks)
        if mark.name in bodies
    ]
    constants = {mark.name for mark in marks if mark.mark == CONSTANT_MARK}
    return text + _table(unit, source, kernels, _device_variables(variables), constants)


def _unique(marks: Sequence[Annotation]) -> list[Annotation]:
    return list({mark.name: mark for mark in marks if mark.mark == KERNEL_MARK}.values())


def _device_variables(variables: Sequence[Global]) -> list[Global]:
    """Return what kernels can write to, and what the host may set before they run."""
    return [
        each
        for each in variables
        if not _OTHERS.intersection(each.words.split())
        and not each.name.startswith("@llvm.")
        and ("externally_initialized" in each.words or not each.is_constant)
    ]


def _shared_types(
    kernel: str, bodies: Mapping[str, Function], shared: Mapping[str, str]
) -> tuple[str, ...]:
    """Return the types of the variables of a block that a kernel reaches."""
    seen: set[str] = set()
    waiting = [kernel]
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        if name in bodies:
            waiting += used_names(bodies[name].body)
    return tuple(shared[name] for name in sorted(seen & shared.keys()))


def _parameters(
    function: Function, numbers: Mapping[str, int], mark: Annotation
) -> tuple[Parameter, ...]:
    kept = declared_parameters(function, numbers)
    stored = stores(function)
    words = [_word(part, stored) for part in split_list(function.parameters)]
    found = []
    for number in range(1, max(kept, default=0) + 1):
        place = kept.get(number, "")
        mine = tuple(word for word in words if word.place == place)
        found.append(_parameter(function, place, mine))
    placed = {id(word) for parameter in found for word in parameter.words}
    if any(id(word) not in placed for word in words):
        message = (
            f"{mark.file}:{mark.line}: the parameters of this kernel cannot be told from each "
            "other; give each a name, and pass what has a copy constructor by a pointer"
        )
        raise InputError(message)
    return tuple(found)


def _word(text: str, stored: Mapping[str, str]) -> Word:
    kind, rest = take_type(text)
    name = rest.split(" ")[-1]
    attributes = " ".join(_ABI_WORDS.findall(rest))
    coerced = _COERCED.match(name)
    if coerced:
        offset = _EIGHTBYTE * int(coerced[2] or 0)
        return Word(kind, attributes, name, coerced[1], offset)
    if _BYVAL.search(rest):
        return Word(kind, attributes, name, name, 0)
    return Word(kind, attributes, name, stored.get(name, ""), 0)


def _parameter(function: Function, place: str, words: tuple[Word, ...]) -> Parameter:
    if not words:
        return Parameter("", 1, ())
    by_value = _BYVAL.search(words[0].attributes)
    if by_value:
        align = _ALIGN.search(words[0].attributes)
        return Parameter(by_value[1], int(align[1]) if align else _EIGHTBYTE, words)
    found = allocation(function, place)
    if found is None:
        return Parameter(words[0].type, _EIGHTBYTE, words)
    return Parameter(found[0], found[1], words)


def _entry(kernel: KernelEntry, number: int) -> str:
    """Return the function that loads a kernel's parameters and calls it."""
    lines: list[str] = []
    loaded: dict[str, str] = {}
    for slot, parameter in enumerate(kernel.parameters):
        if not parameter.words:
            continue
        lines.append(f"  %s{slot} = getelementptr ptr, ptr %values, i64 {slot}")
        lines.append(f"  %p{slot} = load ptr, ptr %s{slot}")
        for part, word in enumerate(parameter.words):
            loaded[word.name], more = _load(word, f"%p{slot}", f"{slot}.{part}")
            lines += more
    names = [part.split(" ")[-1] for part in split_list(kernel.function.parameters)]
    call = f"  call void {kernel.function.name}({', '.join(loaded[name] for name in names)})"
    body = "\n".join([*lines, call, "  ret void"])
    return f"define internal void @eclosion.entry.{number}(ptr %values) noinline {{\n{body}\n}}\n"


def _load(word: Word, pointer: str, label: str) -> tuple[str, list[str]]:
    """Return a word as an argument of a call, and the instructions that load it."""
    if _BYVAL.search(word.attributes):
        return f"{word.type} {word.attributes} {pointer}", []
    lines = [f"  %a{label} = getelementptr i8, ptr {pointer}, i64 {word.offset}"]
    if word.type == "i1":
        lines.append(f"  %b{label} = load i8, ptr %a{label}")
        lines.append(f"  %v{label} = trunc i8 %b{label} to i1")
    else:
        lines.append(f"  %v{label} = load {word.type}, ptr %a{label}, align 1")
    return f"{word.type} {word.attributes} %v{label}", lines


def _size(kind: str) -> str:
    if not kind:
        return "i64 0"
    return f"i64 ptrtoint (ptr getelementptr ({kind}, ptr null, i64 1) to i64)"


def _sum(kinds: Sequence[str]) -> str:
    total = "i64 0"
    for kind in kinds:
        total = f"i64 add ({total}, {_size(kind)})"
    return total


def _string(name: str, text: str) -> str:
    data = text.encode()
    shown = "".join(_shown(byte) for byte in data)
    return f'{name} = private constant [{len(data) + 1} x i8] c"{shown}\\00"\n'


def _shown(byte: int) -> str:
    letter = chr(byte)
    return (
        letter
        if letter.isascii() and letter.isprintable() and letter not in '"\\'
        else f"\\{byte:02X}"
    )


def _numbers(name: str, values: Sequence[str]) -> str:
    return f"{name} = private constant [{len(values)} x i64] [{', '.join(values)}]\n"


def _plain(name: str) -> str:
    return name[1:].strip('"')


_KERNEL = "{ ptr, ptr, ptr, ptr, i64, i64, i64, ptr, i64 }"
_DATA = "{ ptr, ptr, i64, i64 }"


def _table(
    unit: str,
    source: str,
    kernels: Sequence[KernelEntry],
    variables: Sequence[Global],
    constants: set[str],
) -> str:
    lines = ["\n", _string("@eclosion.source", source)]
    rows = []
    for number, kernel in enumerate(kernels):
        lines.append(_entry(kernel, number))
        lines.append(_string(f"@eclosion.name.{number}", _plain(kernel.function.name)))
        lines.append(_string(f"@eclosion.file.{number}", kernel.file))
        sizes = [_size(parameter.type) for parameter in kernel.parameters]
        lines.append(_numbers(f"@eclosion.sizes.{number}", sizes))
        alignments = [f"i64 {parameter.alignment}" for parameter in kernel.parameters]
        lines.append(_numbers(f"@eclosion.alignments.{number}", alignments))
        rows.append(
            f"{_KERNEL} {{ ptr @eclosion.name.{number}, ptr @eclosion.entry.{number}, "
            f"ptr @eclosion.sizes.{number}, ptr @eclosion.alignments.{number}, "
            f"i64 {len(kernel.parameters)}, {_sum(kernel.shared)}, i64 {kernel.most_threads}, "
            f"ptr @eclosion.file.{number}, i64 {kernel.line} }}"
        )
    data = []
    for number, variable in enumerate(variables):
        lines.append(_string(f"@eclosion.variable.{number}", _plain(variable.name)))
        constant = int(variable.name in constants)
        data.append(
            f"{_DATA} {{ ptr @eclosion.variable.{number}, ptr {variable.name}, "
            f"{_size(variable.type)}, i64 {constant} }}"
        )
    lines.append(_array("@eclosion.kernels", _KERNEL, rows))
    lines.append(_array("@eclosion.variables", _DATA, data))
    lines.append(
        f"@{unit} = constant {{ ptr, ptr, i64, ptr, i64 }} {{ ptr @eclosion.source, "
        f"ptr @eclosion.kernels, i64 {len(rows)}, ptr @eclosion.variables, i64 {len(data)} }}\n"
    )
    return "".join(lines)


def _array(name: str, kind: str, rows: Sequence[str]) -> str:
    return f"{name} = private constant [{len(rows)} x {kind}] [{', '.join(rows)}]\n"
