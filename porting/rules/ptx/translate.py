"""One asm statement of straight-line PTX as one C++ statement."""

import re
from typing import Final

from porting.rules.ptx import bitfields, control, floats, halves, integers, memory
from porting.rules.ptx.integers import Emitter
from porting.rules.ptx.statement import AsmStatement
from porting.rules.ptx.template import Instruction, Template
from porting.rules.ptx.unsupported import OTHERS
from porting.rules.ptx.values import CPP, UntranslatableError, Values
from porting.rules.unit import Unit
from porting.syntax import IDENT

_EMITTERS: Final[dict[str, Emitter]] = {
    **bitfields.EMITTERS,
    **memory.EMITTERS,
    **control.EMITTERS,
    **floats.EMITTERS,
    **integers.EMITTERS,
}
KNOWN: Final = frozenset(_EMITTERS) | OTHERS
_FLOAT: Final = re.compile(r"f(?:16|32|64)|bf16")


def translate(unit: Unit, statement: AsmStatement, template: Template, *, logical: bool) -> str:
    """Return the C++ text that takes the statement's place, without the semicolon behind it.

    One instruction becomes an expression, several a `do { ... } while (0)`.  Raises
    UntranslatableError when an instruction has no equivalent.
    """
    values = Values(unit, statement, template, logical=logical)
    lines = [_line(values, ins) for ins in template.instructions]
    lines = [line for line in lines if line != memory.NOTHING]
    if not lines:
        return memory.NOTHING
    if _overlaps(unit, statement, lines):
        raise UntranslatableError("an output is also an input, and several instructions use it")
    if len(lines) == 1 and not template.registers and not template.instructions[0].predicate:
        return lines[0]
    return _block(unit, statement, [*_registers(template), *(f"{line};" for line in lines)])


def _block(unit: Unit, statement: AsmStatement, statements: list[str]) -> str:
    """Return a `do { ... } while (0)`: one statement, whatever stands around it.

    A line each, unless a macro's body would need continued lines.
    """
    keyword = unit.tokens[statement.keyword]
    line = unit.source.line_text(unit.source.line_of(keyword.start))
    indent = line[: len(line) - len(line.lstrip())]
    if keyword.directive >= 0:
        return f"do {{ {' '.join(statements)} }} while (0)"
    newline = unit.source.newline
    body = "".join(f"{indent}  {text}{newline}" for text in statements)
    return f"do {{{newline}{body}{indent}}} while (0)"


def _line(values: Values, ins: Instruction) -> str:
    emitter = _EMITTERS.get(ins.opcode[0])
    if emitter is None:
        raise UntranslatableError(f"{ins.name} is not supported")
    if ins.opcode[0] in floats.EMITTERS and any(map(_FLOAT.fullmatch, ins.opcode[1:])):
        emitter = floats.EMITTERS[ins.opcode[0]]
    if ins.opcode[0] in halves.EMITTERS and halves.TYPES.intersection(ins.opcode[1:]):
        emitter = halves.EMITTERS[ins.opcode[0]]
    text = emitter(values, ins)
    if not ins.predicate or text == memory.NOTHING:
        return text
    condition = values.value(ins.predicate, "pred")
    return f"if ({'!' if ins.negated else ''}{condition}) {text}"


def _registers(template: Template) -> list[str]:
    lines: list[str] = []
    for name, kind in template.registers.items():
        if kind not in CPP:
            raise UntranslatableError(f"a register of type {kind} is not supported")
        lines.append(f"{CPP[kind]} ptx_{name.lstrip('%$')};")
    return lines


def _overlaps(unit: Unit, statement: AsmStatement, lines: list[str]) -> bool:
    """Whether writing one output could change an input that a later line reads."""
    if len(lines) == 1 and not lines[0].startswith("("):
        return False
    tokens = unit.tokens
    written = {
        token.text
        for operand in statement.operands[: statement.outputs]
        if not operand.constraint.startswith("+")
        for token in tokens[operand.first : operand.last]
        if token.kind == IDENT
    }
    read = {
        token.text
        for operand in statement.operands[statement.outputs :]
        for token in tokens[operand.first : operand.last]
        if token.kind == IDENT
    }
    return bool(written & read)
