"""PTX instructions on 16-bit floats and pairs of them, as arithmetic of clang's _Float16."""

from typing import Final

from porting.rules.ptx.integers import Emitter
from porting.rules.ptx.template import Instruction
from porting.rules.ptx.values import UntranslatableError, Values, strip

TYPES: Final = frozenset(("f16", "f16x2", "bf16", "bf16x2"))
_CPP: Final = {
    "f16": "_Float16",
    "f16x2": "_Float16 __attribute__((ext_vector_type(2)))",
    "bf16": "__bf16",
}
_OPERATORS: Final = {"add": "+", "sub": "-", "mul": "*"}
_BITS: Final = {"f16": "unsigned short", "f16x2": "unsigned"}


def _load(values: Values, text: str, kind: str) -> str:
    bits = values.value(text, "b32" if kind == "f16x2" else "b16")
    return f"__builtin_bit_cast({_CPP[kind]}, {strip(bits)})"


def _store(values: Values, target: str, expression: str, kind: str) -> str:
    if kind == "f16":
        expression = f"static_cast<_Float16>({expression})"
    return values.assign(
        target,
        f"__builtin_bit_cast({_BITS[kind]}, {expression})",
        "b32" if kind == "f16x2" else "b16",
    )


def arithmetic(values: Values, ins: Instruction) -> str:
    """Write add, sub, mul, fma, min, max, neg and abs of _Float16 and pairs of it."""
    kind = ins.opcode[-1]
    name = ins.opcode[0]
    allowed = {"ftz", "rn"} if name == "fma" else {"ftz"}
    if kind not in _BITS or set(ins.opcode[1:-1]) - allowed:
        raise UntranslatableError(f"{ins.name} is not supported")
    operands = [_load(values, text, kind) for text in ins.operands[1:]]
    if len(operands) != {"fma": 3, "neg": 1, "abs": 1}.get(name, 2):
        raise UntranslatableError(f"{ins.name} is not supported")
    if name in _OPERATORS:
        expression = f"{operands[0]} {_OPERATORS[name]} {operands[1]}"
    elif name == "neg":
        expression = f"-{operands[0]}"
    else:
        expression = f"__builtin_elementwise_{name}({', '.join(operands)})"
    return _store(values, ins.operands[0], expression, kind)


def convert(values: Values, ins: Instruction) -> str:
    """Write cvt between float and 16-bit floats, or from two floats to a pair."""
    to, have = ins.opcode[-2:]
    modes = [part for part in ins.opcode[1:-2] if part != "ftz"]
    relu = "relu" in modes
    modes = [mode for mode in modes if mode != "relu"]
    if have in ("f16", "bf16") and to == "f32" and not modes and not relu:
        wide = f"static_cast<float>({_load(values, ins.operands[1], have)})"
        return values.assign(ins.operands[0], wide, "f32")
    if have != "f32" or modes != ["rn"] or to not in TYPES:
        raise UntranslatableError(f"{ins.name} is not supported")
    narrow = _CPP[to.removesuffix("x2")]
    halves = [_narrow(values, text, narrow, relu=relu) for text in ins.operands[1:]]
    if not to.endswith("x2") and len(halves) == 1:
        return values.assign(ins.operands[0], halves[0], "b16")
    if not to.endswith("x2") or len(halves) != 2:  # noqa: PLR2004 - high and low
        raise UntranslatableError(f"{ins.name} is not supported")
    pair = f"static_cast<unsigned>({halves[0]}) << 16 | {halves[1]}"
    return values.assign(ins.operands[0], pair, "b32")


def _narrow(values: Values, text: str, narrow: str, *, relu: bool) -> str:
    """Return the bits of a float rounded to a 16-bit type; relu turns negative ones into 0."""
    value = strip(values.value(text, "f32"))
    if relu:
        values.require_repeatable(text)
        value = f"{values.value(text, 'f32')} < 0.0f ? 0.0f : {values.value(text, 'f32')}"
    return f"__builtin_bit_cast(unsigned short, static_cast<{narrow}>({value}))"


EMITTERS: Final[dict[str, Emitter]] = {
    **dict.fromkeys((*_OPERATORS, "fma", "min", "max", "neg", "abs"), arithmetic),
    "cvt": convert,
}
