"""What is read out of a module of LLVM IR as clang writes it: functions, globals, annotations."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

# A global's name: plain, or in quotes when it has other characters.
NAME = r'@(?:[-\w$.]+|"[^"]*")'
_LOCAL = r'%(?:[-\w$.]+|"[^"]*")'
_DEFINE = re.compile(
    rf"^define .*?({NAME})\((.*)\)([^()\n]*(?:\([^()\n]*\)[^()\n]*)*)\{{$", re.MULTILINE
)
_STRING = re.compile(
    rf'^({NAME}) = private unnamed_addr constant \[\d+ x i8\] c"(.*)\\00",', re.MULTILINE
)
_ENTRY = re.compile(
    rf"\{{ ptr ({NAME}), ptr ({NAME}), ptr ({NAME}), i32 (\d+), ptr (null|{NAME}) \}}"
)
_GLOBAL = re.compile(rf"^({NAME}) = (.*?)\b(global|constant) (.*)$", re.MULTILINE)
_ARGUMENTS = re.compile(
    rf"^({NAME}) = private unnamed_addr constant \{{.*?\}} \{{ i32 (\d+)", re.MULTILINE
)
_DECLARED = re.compile(
    rf"(?:#dbg_declare\(ptr |@llvm\.dbg\.declare\(metadata ptr )({_LOCAL}), (?:metadata )?!(\d+),"
)
_VARIABLE = re.compile(
    r"^!(\d+) = !DILocalVariable\((?:name: \"[^\"]*\", )?arg: (\d+),", re.MULTILINE
)
_STORE = re.compile(rf"^\s+store .*? ({_LOCAL}), ptr ({_LOCAL})", re.MULTILINE)
_WIDENED = re.compile(rf"^\s+({_LOCAL}) = zext i1 ({_LOCAL}) to i8", re.MULTILINE)
_USED = re.compile(NAME)


@dataclass(frozen=True)
class Annotation:
    """A mark that a source gave something, and the number that came with it (0: none)."""

    name: str
    mark: str
    file: str
    line: int
    number: int


@dataclass(frozen=True)
class Function:
    """A definition: the text of its parameters and of its body."""

    name: str
    parameters: str
    body: str


@dataclass(frozen=True)
class Global:
    """A variable: the words before its type, its type, and what it begins with."""

    name: str
    words: str
    type: str
    rest: str
    is_constant: bool = False

    @property
    def is_thread_local(self) -> bool:
        """Whether each block has its own."""
        return "thread_local" in self.words


def functions(text: str) -> Iterator[Function]:
    """Yield the definitions of a module."""
    for match in _DEFINE.finditer(text):
        end = text.index("\n}", match.end())
        yield Function(match[1], match[2], text[match.end() : end])


def global_variables(text: str) -> Iterator[Global]:
    """Yield the variables of a module, with those that are only declared."""
    for match in _GLOBAL.finditer(text):
        kind, rest = take_type(match[4])
        yield Global(match[1], match[2], kind, rest, match[3] == "constant")


def annotations(text: str) -> list[Annotation]:
    """Return the marks that sources gave functions and variables."""
    strings = {match[1]: match[2] for match in _STRING.finditer(text)}
    numbers = {match[1]: int(match[2]) for match in _ARGUMENTS.finditer(text)}
    line = next(
        (line for line in text.splitlines() if line.startswith("@llvm.global.annotations ")), ""
    )
    return [
        Annotation(
            match[1], strings[match[2]], strings[match[3]], int(match[4]), numbers.get(match[5], 0)
        )
        for match in _ENTRY.finditer(line)
    ]


def declared_parameters(function: Function, numbers: Mapping[str, int]) -> dict[int, str]:
    """Return where each parameter of the source is kept, by its number from 1.

    `numbers`: of debug records, as `parameter_records` gives them.
    """
    found: dict[int, str] = {}
    for match in _DECLARED.finditer(function.body):
        number = numbers.get(match[2])
        if number is not None:
            found.setdefault(number, match[1])
    return found


def parameter_records(text: str) -> dict[str, int]:
    """Return the debug records of a module that are of parameters, with their numbers."""
    return {match[1]: int(match[2]) for match in _VARIABLE.finditer(text)}


def stores(function: Function) -> dict[str, str]:
    """Return where each value of a body is stored first, truth values among them."""
    found: dict[str, str] = {}
    for match in _STORE.finditer(function.body):
        found.setdefault(match[1], match[2])
    for match in _WIDENED.finditer(function.body):
        if match[1] in found:
            found.setdefault(match[2], found[match[1]])
    return found


def allocation(function: Function, name: str) -> tuple[str, int] | None:
    """Return the type and the alignment of a local variable."""
    match = re.search(
        rf"^\s+{re.escape(name)} = alloca (.*), align (\d+)", function.body, re.MULTILINE
    )
    return (match[1], int(match[2])) if match else None


def used_names(text: str) -> set[str]:
    """Return the globals that a text mentions."""
    return set(_USED.findall(text))


def split_list(text: str) -> list[str]:
    """Return the parts of a list with commas, brackets of any kind kept together."""
    parts, depth, start = [], 0, 0
    for position, letter in enumerate(text):
        if letter in "([{<":
            depth += 1
        elif letter in ")]}>":
            depth -= 1
        elif letter == "," and depth == 0:
            parts.append(text[start:position].strip())
            start = position + 1
    last = text[start:].strip()
    return [*parts, last] if last else parts


def take_type(text: str) -> tuple[str, str]:
    """Return the type that a text begins with, and what follows it."""
    depth = 0
    for position, letter in enumerate(text):
        if letter in "([{<":
            depth += 1
        elif letter in ")]}>":
            depth -= 1
        elif letter in " ," and depth == 0:
            return text[:position], text[position:].strip()
    return text, ""
