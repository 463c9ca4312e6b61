"""Read the Cython declarations (.pxd) of AMD's Python bindings: which C API they describe.

Only what AMD's generator writes is understood: `cdef extern` blocks with constants, enums, structs,
unions and typedefs, and functions at the outermost level.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from porting.errors import ToolchainError


@dataclass(frozen=True)
class Constant:
    """A macro or constant that has a value: `cdef int NAME`."""

    name: str


@dataclass(frozen=True)
class Enum:
    """An enum; `name` is empty for an anonymous one."""

    name: str
    members: tuple[str, ...]


@dataclass(frozen=True)
class Record:
    """A struct or union; without fields it is opaque."""

    kind: str
    name: str
    fields: tuple[str, ...]


@dataclass(frozen=True)
class Typedef:
    """A typedef, written as a C declaration of the new name."""

    name: str
    declaration: str


@dataclass(frozen=True)
class Prototype:
    """A function: result type, name and parameters as C."""

    result: str
    name: str
    parameters: str


Declaration = Constant | Enum | Record | Typedef | Prototype

_BLOCK = re.compile(r"(?:cdef|ctypedef) (enum|struct|union)(?: (\w+))?:$")
_FUNCTION = re.compile(r"cdef (?P<result>[\w *]+?) ?\b(?P<name>\w+)\((?P<parameters>.*)\)[^()]*$")
_CONSTANT = re.compile(r"cdef (?:int|char \*) ?(\w+)$")
_PREFIX_ARRAY = re.compile(r"^(?P<type>[\w ]+)(?P<dims>(?:\[\d+\])+) (?P<name>\w+)$")
_NAME = re.compile(r"\(\*\s*(\w+)\s*\)|(\w+)(?:\[\d+\])*$")
_IGNORED = ("cimport ", "from ", "import ", "ctypedef bint ", "cdef extern from ")


def parse(text: str) -> list[Declaration]:
    """Return the declarations of a .pxd in its order.

    Raises ToolchainError with the line for what is none of the known forms: a declaration that is
    skipped in silence would later look like a mistake in the user's code.
    """
    lines = list(_code_lines(text))
    found: list[Declaration] = []
    at = 0
    while at < len(lines):
        indent, line = lines[at]
        at += 1
        if block := _BLOCK.match(line):
            body: list[str] = []
            while at < len(lines) and lines[at][0] > indent:
                body.append(lines[at][1])
                at += 1
            found.append(_block(block[1], block[2] or "", body))
        elif not line.startswith(_IGNORED):
            found.append(_line(line))
    return found


def _code_lines(text: str) -> Iterator[tuple[int, str]]:
    for raw in text.splitlines():
        line = raw.split("#", 1)[0].rstrip()
        if line:
            yield len(line) - len(line.lstrip()), line.strip()


def _block(kind: str, name: str, body: list[str]) -> Declaration:
    members = tuple(line for line in body if line != "pass")
    if kind == "enum":
        return Enum(name, members)
    return Record(kind, name, tuple(c_declaration(member) for member in members))


def _line(line: str) -> Declaration:
    if match := _CONSTANT.match(line):
        return Constant(match[1])
    if line.startswith("ctypedef "):
        declaration = c_declaration(line.removeprefix("ctypedef "))
        return Typedef(declared_name(declaration), declaration)
    if match := _FUNCTION.match(line):
        result = c_declaration(match["result"].strip())
        return Prototype(result, match["name"], c_declaration(match["parameters"]))
    message = f"a stub has a declaration of an unknown form: {line[:120]!r}"
    raise ToolchainError(message)


def c_declaration(text: str) -> str:
    """Return a Cython variable declaration as C: array sizes after the name, bint as bool."""
    text = re.sub(r"\b(bint|_Bool)\b", "bool", text)
    if match := _PREFIX_ARRAY.match(text):
        return f"{match['type']} {match['name']}{match['dims']}"
    return text


def declared_name(declaration: str) -> str:
    """Return the name that a C declaration declares."""
    match = _NAME.search(declaration)
    if match is None:
        message = f"a stub has a declaration without a name: {declaration[:120]!r}"
        raise ToolchainError(message)
    return match[1] or match[2]
