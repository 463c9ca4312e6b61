"""PTX moves, integer arithmetic and bit operations as C++ expressions."""

from collections.abc import Callable
from typing import Final

from porting.rules.ptx.template import Instruction
from porting.rules.ptx.values import CPP, UntranslatableError, Values, atom, bits, strip

Emitter = Callable[[Values, Instruction], str]
_WORD: Final = 32
_SIMPLE: Final = {"add": "+", "sub": "-", "and": "&", "or": "|", "xor": "^"}
_COMPARE: Final = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
_UNSIGNED_COMPARE: Final = {"lo": "<", "ls": "<=", "hi": ">", "hs": ">="}
_HALVES: Final = {64: ("u32", 32), 32: ("u16", 16)}


def kind_of(ins: Instruction, *allowed: str) -> str:
    """Return the type at the end of the opcode when it is an allowed one."""
    kind = ins.opcode[-1]
    if kind not in allowed:
        raise UntranslatableError(f"{ins.name} is not supported")
    return kind


def expect(ins: Instruction, operands: int, *modifiers: str) -> None:
    """Refuse an instruction with another operand count or other modifiers than these."""
    extra = set(ins.opcode[1:-1]) - set(modifiers)
    if len(ins.operands) != operands or extra:
        raise UntranslatableError(f"{ins.name} is not supported")


_INTS: Final = ("u32", "s32", "b32", "u64", "s64", "b64")
_SMALL: Final = (*_INTS, "u16", "s16", "b16")


def mov(values: Values, ins: Instruction) -> str:
    """Write `mov` between registers, of immediates, and packing or unpacking `{lo, hi}`."""
    expect(ins, 2)
    kind = kind_of(ins, *_SMALL, "f32", "f64", "pred")
    target, source = ins.operands
    if target.startswith("{"):
        return _unpack(values, target, source, kind)
    if source.startswith("{"):
        return values.assign(target, _pack(values, source, kind), kind)
    return values.assign(target, strip(values.value(source, kind)), kind)


def _halves(text: str, kind: str) -> tuple[str, str, str, int]:
    parts = [part.strip() for part in text.strip("{} ").split(",")]
    if len(parts) != 2 or bits(kind) not in _HALVES:  # noqa: PLR2004 - low and high
        raise UntranslatableError("only halves are packed and unpacked")
    half, shift = _HALVES[bits(kind)]
    return parts[0], parts[1], half, shift


def _pack(values: Values, text: str, kind: str) -> str:
    low, high, half, shift = _halves(text, kind)
    wide = CPP[f"u{2 * shift}"]
    upper, lower = values.value(high, half), values.value(low, half)
    return f"static_cast<{wide}>({strip(upper)}) << {shift} | {lower}"


def _unpack(values: Values, target: str, source: str, kind: str) -> str:
    low, high, half, shift = _halves(target, kind)
    values.require_repeatable(source)
    text = values.value(source, f"u{2 * shift}")
    cast = CPP[half]
    parts = [
        values.assign(low, f"static_cast<{cast}>({strip(text)})", half),
        values.assign(high, f"static_cast<{cast}>({text} >> {shift})", half),
    ]
    return f"({parts[0]}, {parts[1]})"


def arithmetic(values: Values, ins: Instruction) -> str:
    """Write add, sub, and, or, xor of integers (and of predicates)."""
    expect(ins, 3, "rn")
    kind = kind_of(ins, *_SMALL, "pred")
    target, left, right = ins.operands
    operator = _SIMPLE[ins.opcode[0]]
    if kind == "b32" and operator in ("&", "|", "^"):
        text = f"{values.bits_of(left)} {operator} {values.bits_of(right)}"
    else:
        text = f"{values.value(left, kind)} {operator} {values.value(right, kind)}"
    return values.assign(target, text, kind)


def negate(values: Values, ins: Instruction) -> str:
    """Write not, neg, abs and cnot."""
    expect(ins, 2)
    kind = kind_of(ins, *_INTS, "pred")
    target, source = ins.operands
    text = values.value(source, kind)
    name = ins.opcode[0]
    if name == "abs":
        return values.assign(target, f"abs({strip(text)})", kind)
    sign = {"neg": "-", "not": "!" if kind == "pred" else "~"}[name]
    return values.assign(target, f"{sign}{text}", kind)


def shift(values: Values, ins: Instruction) -> str:
    """Write shl and shr, whose amounts are clamped to the width instead of undefined."""
    expect(ins, 3)
    kind = kind_of(ins, *_INTS)
    target, source, amount = ins.operands
    operator = {"shl": "<<", "shr": ">>"}[ins.opcode[0]]
    text, width = values.value(source, kind), bits(kind)
    constant = values.constant(amount)
    if constant is not None and 0 <= constant < width:
        return values.assign(target, f"{text} {operator} {constant}", kind)
    count = values.value(amount, "u32")
    if operator == ">>" and kind[0] == "s":
        return values.assign(target, f"{text} >> min({strip(count)}, {width - 1}u)", kind)
    if width == _WORD:
        wide = f"static_cast<unsigned long long>({strip(values.value(source, 'u32'))})"
        shifted = f"{wide} {operator} min({strip(count)}, 63u)"
        return values.assign(target, f"static_cast<unsigned>({shifted})", kind)
    values.require_repeatable(amount)
    return values.assign(target, f"{count} > 63u ? 0 : {text} {operator} {count}", kind)


def multiply(values: Values, ins: Instruction) -> str:
    """Write mul and mad: lo, hi and wide."""
    fused = ins.opcode[0] == "mad"
    expect(ins, 4 if fused else 3, "lo", "hi", "wide")
    kind = kind_of(ins, *_INTS)
    part = ins.opcode[1]
    left, right = (values.value(text, kind) for text in ins.operands[1:3])
    result = kind
    if part == "wide" and bits(kind) == _WORD:
        result = kind[0] + "64"
        product = f"static_cast<{CPP[result]}>({strip(left)}) * {right}"
    elif part == "lo":
        product = f"{left} * {right}"
    elif part == "hi":
        function = {"u32": "__umulhi", "s32": "__mulhi", "u64": "__umul64hi", "s64": "__mul64hi"}
        product = f"{function[kind]}({strip(left)}, {strip(right)})"
    else:
        raise UntranslatableError(f"{ins.name} is not supported")
    if fused:
        product += f" + {values.value(ins.operands[3], result)}"
    return values.assign(ins.operands[0], product, result)


def divide(values: Values, ins: Instruction) -> str:
    """Write div and rem of integers."""
    expect(ins, 3)
    kind = kind_of(ins, "u32", "s32", "u64", "s64")
    left, right = (values.value(text, kind) for text in ins.operands[1:])
    operator = {"div": "/", "rem": "%"}[ins.opcode[0]]
    return values.assign(ins.operands[0], f"{left} {operator} {right}", kind)


def extreme(values: Values, ins: Instruction) -> str:
    """Write min and max of integers."""
    expect(ins, 3)
    kind = kind_of(ins, "u32", "s32", "u64", "s64")
    left, right = (strip(values.value(text, kind)) for text in ins.operands[1:])
    return values.assign(ins.operands[0], f"{ins.opcode[0]}({left}, {right})", kind)


def count(values: Values, ins: Instruction) -> str:
    """Write popc, clz, brev and bfind."""
    expect(ins, 2)
    kind = kind_of(ins, "b32", "b64", "u32", "u64")
    name = ins.opcode[0]
    suffix = "" if bits(kind) == _WORD else "ll"
    text = strip(values.value(ins.operands[1], kind))
    if name == "bfind":
        return values.assign(ins.operands[0], f"{bits(kind) - 1} - __clz{suffix}({text})", "u32")
    result = kind if name == "brev" else "u32"
    return values.assign(ins.operands[0], f"__{name}{suffix}({text})", result)


def setp(values: Values, ins: Instruction) -> str:
    """Write a comparison that sets one predicate."""
    comparison = ins.opcode[1]
    if len(ins.operands) != 3 or len(ins.opcode) != 3:  # noqa: PLR2004
        raise UntranslatableError(f"{ins.name} is not supported")
    kind = kind_of(ins, *_SMALL, "f32", "f64")
    operator = {**_COMPARE, **_UNSIGNED_COMPARE}.get(comparison)
    if operator is None or (kind[0] == "f" and comparison not in _COMPARE):
        raise UntranslatableError(f"{ins.name} is not supported")
    left, right = (values.value(text, kind) for text in ins.operands[1:])
    if comparison == "ne" and kind[0] == "f":
        values.require_repeatable(*ins.operands[1:])
        return values.assign(ins.operands[0], f"{left} < {right} || {left} > {right}", "pred")
    return values.assign(ins.operands[0], f"{left} {operator} {right}", "pred")


def selp(values: Values, ins: Instruction) -> str:
    """Write a choice by a predicate."""
    expect(ins, 4)
    kind = kind_of(ins, *_SMALL, "f32", "f64")
    target, left, right, predicate = ins.operands
    condition = values.value(predicate, "pred")
    chosen = f"{condition} ? {values.value(left, kind)} : {values.value(right, kind)}"
    return values.assign(target, chosen, kind)


def convert(values: Values, ins: Instruction) -> str:
    """Write cvt between integers: widening and cutting."""
    if len(ins.opcode) != 3 or len(ins.operands) != 2:  # noqa: PLR2004
        raise UntranslatableError(f"{ins.name} is not supported")
    to, have = ins.opcode[1:]
    whole = ("u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64")
    if to not in whole or have not in whole:
        raise UntranslatableError(f"{ins.name} is not supported")
    operand = values.operand(ins.operands[1])
    carried = {8: "u16", 16: "u16", 32: "u32", 64: "u64"}[bits(have)]
    if bits(have) == 8 and operand is not None and operand.constraint[-1] == "r":  # noqa: PLR2004
        carried = "u32"
    text = values.value(ins.operands[1], have if bits(have) >= _WORD else carried)
    if bits(have) < _WORD:
        text = f"static_cast<{CPP[have]}>({strip(text)})"
    return values.assign(ins.operands[0], f"static_cast<{CPP[to]}>({strip(text)})", to)


def cvta(values: Values, ins: Instruction) -> str:
    """Write address conversions: global addresses are generic ones, shared ones are offsets."""
    expect(ins, 2, "to", "global", "shared")
    kind_of(ins, "u64", "u32")
    text = values.value(ins.operands[1], "u64")
    if "shared" in ins.opcode and "to" in ins.opcode:
        text = f"{text} & 0xffffffffu"
    elif "shared" in ins.opcode:
        raise UntranslatableError(f"{ins.name} is not supported")
    return values.assign(ins.operands[0], strip(text), "u64")


def dot_product(values: Values, ins: Instruction) -> str:
    """Write dp4a as four products, which the compiler turns into one instruction where it can."""
    if len(ins.operands) != 4 or len(ins.opcode) != 3:  # noqa: PLR2004
        raise UntranslatableError(f"{ins.name} is not supported")
    kinds = ins.opcode[1:]
    if not set(kinds) <= {"u32", "s32"}:
        raise UntranslatableError(f"{ins.name} is not supported")
    target, left, right, addend = ins.operands
    values.require_repeatable(left, right)
    result = "u32" if kinds == ("u32", "u32") else "s32"
    factors = [
        [_byte(values, text, kind, number) for number in range(4)]
        for text, kind in zip((left, right), kinds, strict=True)
    ]
    products = " + ".join(f"{a} * {b}" for a, b in zip(*factors, strict=True))
    return values.assign(target, f"{values.value(addend, result)} + {products}", result)


def _byte(values: Values, text: str, kind: str, number: int) -> str:
    word = values.value(text, "u32")
    shifted = f"{word} >> {8 * number}" if number else strip(word)
    return f"static_cast<{CPP[kind[0] + '8']}>({shifted})"


EMITTERS: Final[dict[str, Emitter]] = {
    "mov": mov,
    **dict.fromkeys(_SIMPLE, arithmetic),
    **dict.fromkeys(("not", "neg", "abs"), negate),
    **dict.fromkeys(("shl", "shr"), shift),
    **dict.fromkeys(("mul", "mad"), multiply),
    **dict.fromkeys(("div", "rem"), divide),
    **dict.fromkeys(("min", "max"), extreme),
    **dict.fromkeys(("popc", "clz", "brev", "bfind"), count),
    "setp": setp,
    "selp": selp,
    "cvt": convert,
    "cvta": cvta,
    "dp4a": dot_product,
}
__all__ = ["EMITTERS", "Emitter", "atom", "expect", "kind_of"]
