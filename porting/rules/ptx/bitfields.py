"""PTX bit-field, byte-permute, funnel-shift and three-input logic instructions."""

import operator
from itertools import permutations, product
from typing import Final

from porting.rules.ptx.integers import Emitter, expect, kind_of
from porting.rules.ptx.template import Instruction
from porting.rules.ptx.values import UntranslatableError, Values, atom, bits, strip

_BYTE: Final = 0xFF
_SIGN_NIBBLES: Final = 0x8888
_OPERATORS: Final = {"&": operator.and_, "|": operator.or_, "^": operator.xor}
_TABLE: Final = (0xF0, 0xCC, 0xAA)  # what a, b and c are in a lop3 table


def _bounded(values: Values, text: str, bound: int) -> tuple[str, int | None]:
    """Return an amount as PTX reads it (its low byte, no more than `bound`), and its value."""
    number = values.constant(text)
    if number is not None:
        number = min(number & _BYTE, bound)
        return str(number), number
    return f"min({values.value(text, 'u32')} & 0xffu, {bound}u)", None


def extract(values: Values, ins: Instruction) -> str:
    """Write bfe: zero past the top for unsigned fields, the top bit past it for signed ones."""
    expect(ins, 4)
    kind = kind_of(ins, "u32", "s32", "u64")
    target, source, position, length = ins.operands
    width = bits(kind)
    if kind == "s32":
        return _extract_signed(values, ins)
    start, start_value = _bounded(values, position, 63)
    size, size_value = _bounded(values, length, width)
    text = values.value(source, kind)
    if start_value is not None and size_value is not None:
        if start_value >= width or size_value == 0:
            return values.assign(target, "0", kind)
        mask = (1 << min(size_value, width - start_value)) - 1
        shifted = f"({text} >> {start_value})" if start_value else text
        suffix = "u" if width == 32 else "ull"  # noqa: PLR2004
        return values.assign(target, f"{shifted} & 0x{mask:x}{suffix}", kind)
    if kind == "u64":
        raise UntranslatableError("bfe.u64 needs constant positions")
    field = f"1ull * {text} >> {start} & ~(~0ull << {size})"
    return values.assign(target, f"static_cast<unsigned>({field})", kind)


def _extract_signed(values: Values, ins: Instruction) -> str:
    """Write bfe.s32: move the field to the top of the word and back down, the sign following."""
    target, source, position, length = ins.operands
    start, size = values.constant(position), values.constant(length)
    if start is None or size is None:
        return values.assign(target, _signed_field(values, source, position, length), "s32")
    first = min(start & _BYTE, 31)
    count = min(size & _BYTE, 32 - first)
    if count == 0:
        return values.assign(target, "0", "s32")
    up = 32 - first - count
    text = values.value(source, "s32")
    raised = f"static_cast<int>({values.value(source, 'u32')} << {up})" if up else text
    return values.assign(target, f"{raised} >> {32 - count}", "s32")


def _signed_field(values: Values, source: str, position: str, length: str) -> str:
    """Write a signed field whose place is known at run time only; past the top is the sign."""
    values.require_repeatable(length)
    start, _ = _bounded(values, position, 31)
    size, number = _bounded(values, length, 32)
    moved = f"static_cast<unsigned>({values.value(source, 's32')} >> {start})"
    field = f"static_cast<int>({moved} << (32 - {size})) >> (32 - {size})"
    if number is not None:
        return field if number else "0"
    return f"({values.value(length, 'u32')} & 0xffu) == 0 ? 0 : {field}"


def insert(values: Values, ins: Instruction) -> str:
    """Write bfi: `length` low bits of the first operand into the second at `position`."""
    expect(ins, 5)
    kind = kind_of(ins, "b32")
    target, source, base, position, length = ins.operands
    start, start_value = _bounded(values, position, 63)
    size, size_value = _bounded(values, length, 32)
    field, kept = values.value(source, kind), values.value(base, kind)
    if start_value is not None and size_value is not None:
        if start_value >= 32 or size_value == 0:  # noqa: PLR2004 - nothing is replaced
            return values.assign(target, strip(kept), kind)
        mask = ((1 << size_value) - 1) << start_value & 0xFFFFFFFF
        return values.assign(
            target,
            f"({kept} & 0x{~mask & 0xFFFFFFFF:x}u) | ({field} << {start_value} & 0x{mask:x}u)",
            kind,
        )
    values.require_repeatable(base, position)
    mask_text = f"((1ull << {size}) - 1) << {start}"
    text = f"static_cast<unsigned>({kept} ^ (({kept} ^ 1ull * {field} << {start}) & {mask_text}))"
    return values.assign(target, text, kind)


def permute(values: Values, ins: Instruction) -> str:
    """Write prmt with a constant selector that does not replicate signs as __byte_perm."""
    expect(ins, 4)
    kind = kind_of(ins, "b32")
    target, low, high, selector = ins.operands
    number = values.constant(selector)
    if number is None:
        raise UntranslatableError("prmt needs a constant selector: bit 3 of a nibble copies signs")
    if number & _SIGN_NIBBLES:
        raise UntranslatableError("prmt with sign replication is not supported")
    first, second = strip(values.value(low, kind)), strip(values.value(high, kind))
    return values.assign(target, f"__byte_perm({first}, {second}, 0x{number & 0x7777:04x})", kind)


def funnel(values: Values, ins: Instruction) -> str:
    """Write shf as HIP's funnel shifts."""
    expect(ins, 4, "l", "r", "wrap", "clamp")
    kind = kind_of(ins, "b32")
    if len(ins.opcode) != 4:  # noqa: PLR2004 - shf, direction, mode, type
        raise UntranslatableError(f"{ins.name} is not supported")
    suffix = "c" if ins.opcode[2] == "clamp" else ""
    texts = [strip(values.value(text, kind)) for text in ins.operands[1:]]
    call = f"__funnelshift_{ins.opcode[1]}{suffix}({', '.join(texts)})"
    return values.assign(ins.operands[0], call, kind)


def logic(values: Values, ins: Instruction) -> str:
    """Write lop3 as the shortest expression of two operators, else as its minterms."""
    expect(ins, 5)
    kind = kind_of(ins, "b32")
    table = values.constant(ins.operands[4])
    names = ins.operands[1:4]
    texts = [values.bits_of(text) for text in names]
    if table is None:
        return values.assign(ins.operands[0], _named_table(values, ins, texts), kind)
    if not 0 <= table <= _BYTE:
        raise UntranslatableError(f"lop3 has a table of 8 bits, not {table}")
    found = _TWO_OPERATORS.get(table)
    if found is None:
        values.require_repeatable(*names)
        return values.assign(ins.operands[0], _minterms(table, texts), kind)
    pattern, repeats = found
    if repeats:
        values.require_repeatable(*names)
    return values.assign(ins.operands[0], pattern.format(*texts), kind)


def _named_table(values: Values, ins: Instruction, texts: list[str]) -> str:
    """Return the minterms that a constant with a name selects; the compiler folds the tests."""
    operand = values.operand(ins.operands[4])
    if operand is None or operand.constraint not in ("n", "i"):
        raise UntranslatableError("lop3 needs a constant table")
    values.require_repeatable(*ins.operands[1:])
    table = atom(values.source(operand))
    terms = [f"({table} & {1 << row} ? {_minterm(row, texts)} : 0u)" for row in range(8)]
    return " | ".join(terms)


def _minterm(row: int, texts: list[str]) -> str:
    bits_of = (row >> 2 & 1, row >> 1 & 1, row & 1)
    return " & ".join(t if bit else f"~{t}" for t, bit in zip(texts, bits_of, strict=True))


def _minterms(table: int, texts: list[str]) -> str:
    terms = [f"({_minterm(row, texts)})" for row in range(8) if table >> row & 1]
    return " | ".join(terms) if terms else "0u"


def _expressions() -> dict[int, tuple[str, bool]]:
    """Return table -> (pattern, whether an operand occurs twice) for short expressions."""
    first, second, third = _TABLE
    majority = (first & second) | (third & (first | second))
    found = {majority: ("({0} & {1}) | ({2} & ({0} | {1}))", True)}
    for i, j, k in permutations(range(3)):
        chosen = (_TABLE[i] & _TABLE[j]) | (~_TABLE[i] & _BYTE & _TABLE[k])
        found[chosen] = (f"({{{i}}} & {{{j}}}) | (~{{{i}}} & {{{k}}})", True)
    for order in ((0, 1, 2), (0, 2, 1), (1, 2, 0)):
        for signs in product((False, True), repeat=3):
            for left, right in product(_OPERATORS, repeat=2):
                value, text = _two_operators(order, signs, left, right)
                best = found.get(value)
                if best is None or best[1] or len(text) < len(best[0]):
                    found[value] = (text, False)
    return found


def _two_operators(
    order: tuple[int, ...], signs: tuple[bool, ...], left: str, right: str
) -> tuple[int, str]:
    """Return the table and the text of `(x left y) right z`, each operand negated or not."""
    columns = [_TABLE[i] ^ (_BYTE if sign else 0) for i, sign in zip(order, signs, strict=True)]
    a, b, c = (f"{'~' if sign else ''}{{{i}}}" for i, sign in zip(order, signs, strict=True))
    table = _OPERATORS[right](_OPERATORS[left](columns[0], columns[1]), columns[2])
    return table, f"{a} {left} {b} {left} {c}" if left == right else f"({a} {left} {b}) {right} {c}"


_TWO_OPERATORS: Final = _expressions()
EMITTERS: Final[dict[str, Emitter]] = {
    "bfe": extract,
    "bfi": insert,
    "prmt": permute,
    "shf": funnel,
    "lop3": logic,
}
