"""PTX text as instructions: predicates, opcodes and operands."""

import re
from dataclasses import dataclass, field
from typing import Final

_COMMENT: Final = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_DECLARATION: Final = re.compile(r"\.reg\s+\.(\w+)\s+(.*)", re.DOTALL)
_PREDICATE: Final = re.compile(r"@(!?)\s*([%$\w]+)\s+")
_OPCODE: Final = re.compile(r"([a-z][\w]*)((?:\.[\w:]+)*)\s*(.*)", re.DOTALL)
_REGISTERS: Final = re.compile(r"([%$\w]+)<(\d+)>")


@dataclass(frozen=True, slots=True)
class Instruction:
    """One instruction: `opcode` is its dotted parts; operands are texts as written.

    `predicate` is the register of `@p`, `negated` for `@!p`.
    """

    opcode: tuple[str, ...]
    operands: tuple[str, ...]
    predicate: str = ""
    negated: bool = False

    @property
    def name(self) -> str:
        """The opcode as it was written."""
        return ".".join(self.opcode)


@dataclass(frozen=True, slots=True)
class Template:
    """The registers that a PTX text declares (name -> type) and its instructions."""

    registers: dict[str, str] = field(default_factory=dict)
    instructions: tuple[Instruction, ...] = ()


def parse(text: str) -> Template | None:
    """Return a PTX text without labels and nested blocks, or None when it is none.

    `%%` is one `%`.  One pair of braces around everything is accepted, and braces that follow
    each other.
    """
    plain = _COMMENT.sub(" ", text).replace("%%", "%")
    if plain.count("{") != plain.count("}"):
        return None  # a scope that another asm statement closes
    registers: dict[str, str] = {}
    instructions: list[Instruction] = []
    for part in _statements(plain):
        declared = _DECLARATION.fullmatch(part)
        if declared:
            registers.update(_declared(declared[1], declared[2]))
            continue
        instruction = _instruction(part)
        if instruction is None:
            return None
        instructions.append(instruction)
    return Template(registers, tuple(instructions))


def _statements(text: str) -> list[str]:
    """Split at semicolons; braces that hold statements are dropped, those of operands stay."""
    parts = [part.strip() for part in text.split(";")]
    found: list[str] = []
    for part in parts:
        bare = part
        while bare[:1] in ("{", "}"):
            bare = bare[1:].strip()
        if bare:
            found.append(bare)
    return found


def _declared(kind: str, names: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for name in names.split(","):
        ranged = _REGISTERS.fullmatch(name.strip())
        if ranged:
            found.update({f"{ranged[1]}{number}": kind for number in range(int(ranged[2]))})
        else:
            found[name.strip()] = kind
    return found


def _instruction(text: str) -> Instruction | None:
    predicate = _PREDICATE.match(text)
    rest = text[predicate.end() :] if predicate else text
    match = _OPCODE.fullmatch(rest)
    if match is None or rest.endswith(":"):
        return None
    opcode = (match[1], *filter(None, match[2].split(".")))
    operands = tuple(_split(match[3]))
    if predicate is None:
        return Instruction(opcode, operands)
    return Instruction(opcode, operands, predicate[2], predicate[1] == "!")


def _split(text: str) -> list[str]:
    """Split operands at the commas outside of braces and brackets."""
    parts: list[str] = []
    depth, start = 0, 0
    for at, char in enumerate(text):
        if char in "{[":
            depth += 1
        elif char in "}]":
            depth -= 1
        elif char in ",|" and depth == 0:
            parts.append(text[start:at].strip())
            start = at + 1
    last = text[start:].strip()
    return [*parts, last] if last or parts else []
