"""PTX floating-point instructions and conversions as C++ expressions."""

from typing import Final

from porting.rules.ptx.integers import Emitter
from porting.rules.ptx.template import Instruction
from porting.rules.ptx.values import UntranslatableError, Values, strip

_OPERATORS: Final = {"add": "+", "sub": "-", "mul": "*"}
_INTRINSICS: Final = {"add": "add", "sub": "sub", "mul": "mul", "div": "div"}
# Approximations that NVIDIA's manual bounds, by functions of HIP that are no worse.
_APPROXIMATE: Final = {
    "ex2": "__builtin_amdgcn_exp2f",
    "lg2": "__builtin_amdgcn_logf",
    "rcp": "__builtin_amdgcn_rcpf",
    "rsqrt": "__builtin_amdgcn_rsqf",
    "sqrt": "__builtin_amdgcn_sqrtf",
    "sin": "__sinf",
    "cos": "__cosf",
    "tanh": "tanhf",
}
# Without .ftz a denormal operand counts, which the bare instructions of AMD flush.
_KEEPS_DENORMALS: Final = {"ex2": "exp2f", "lg2": "log2f", "rsqrt": "rsqrtf", "sqrt": "sqrtf"}
_FLOATS: Final = {"f32": ("f", "float"), "f64": ("", "double")}
_ROUNDS: Final = {"rn": "rn", "rz": "rz", "rm": "rd", "rp": "ru"}
_TO_INT: Final = {"rni": "rn", "rzi": "rz", "rmi": "rd", "rpi": "ru"}
_NAMES: Final = {
    "s32": "int",
    "u32": "uint",
    "s64": "ll",
    "u64": "ull",
    "f32": "float",
    "f64": "double",
}


def _kind(ins: Instruction) -> str:
    kind = ins.opcode[-1]
    if kind not in _FLOATS:
        raise UntranslatableError(f"{ins.name} is not supported")
    return kind


def _modifiers(ins: Instruction, *allowed: str) -> set[str]:
    modifiers = set(ins.opcode[1:-1])
    if modifiers - set(allowed):
        raise UntranslatableError(f"{ins.name} is not supported")
    return modifiers


def _operands(values: Values, ins: Instruction, count: int, kind: str) -> list[str]:
    if len(ins.operands) != count + 1:
        raise UntranslatableError(f"{ins.name} is not supported")
    return [values.value(text, kind) for text in ins.operands[1:]]


def binary(values: Values, ins: Instruction) -> str:
    """Write add, sub, mul and div; with .rn the form that is never fused."""
    kind = _kind(ins)
    modifiers = _modifiers(ins, "rn", "ftz", "approx", "full")
    left, right = _operands(values, ins, 2, kind)
    name = ins.opcode[0]
    if name == "div" and modifiers & {"approx", "full"}:
        return values.assign(ins.operands[0], f"__fdividef({strip(left)}, {strip(right)})", kind)
    if "rn" in modifiers or name == "div":
        letter = "f" if kind == "f32" else "d"
        call = f"__{letter}{_INTRINSICS[name]}_rn({strip(left)}, {strip(right)})"
        return values.assign(ins.operands[0], call, kind)
    return values.assign(ins.operands[0], f"{left} {_OPERATORS[name]} {right}", kind)


def fused(values: Values, ins: Instruction) -> str:
    """Write fma and mad of floats."""
    kind = _kind(ins)
    modifiers = _modifiers(ins, "rn", "ftz", "sat")
    texts = [strip(text) for text in _operands(values, ins, 3, kind)]
    call = f"fma{_FLOATS[kind][0]}({', '.join(texts)})"
    if "sat" in modifiers:
        call = f"__saturatef({call})"
    return values.assign(ins.operands[0], call, kind)


def extreme(values: Values, ins: Instruction) -> str:
    """Write min and max, which prefer a number over NaN as fmin and fmax do."""
    kind = _kind(ins)
    _modifiers(ins, "ftz")
    texts = [strip(text) for text in _operands(values, ins, 2, kind)]
    call = f"f{ins.opcode[0]}{_FLOATS[kind][0]}({', '.join(texts)})"
    return values.assign(ins.operands[0], call, kind)


def unary(values: Values, ins: Instruction) -> str:
    """Write abs, neg and the approximations."""
    kind = _kind(ins)
    name = ins.opcode[0]
    modifiers = _modifiers(ins, "approx", "ftz", "rn")
    (text,) = _operands(values, ins, 1, kind)
    if name == "neg":
        return values.assign(ins.operands[0], f"-{text}", kind)
    if name == "abs":
        return values.assign(ins.operands[0], f"fabs{_FLOATS[kind][0]}({strip(text)})", kind)
    if kind != "f32":
        raise UntranslatableError(f"{ins.name} is not supported")
    if "rn" in modifiers:
        function = {"rcp": "__frcp_rn", "sqrt": "__fsqrt_rn"}.get(name)
    elif "ftz" in modifiers or name not in _KEEPS_DENORMALS:
        function = _APPROXIMATE.get(name)
    else:
        function = _KEEPS_DENORMALS[name]
    if function is None:
        raise UntranslatableError(f"{ins.name} is not supported")
    return values.assign(ins.operands[0], f"{function}({strip(text)})", kind)


def convert(values: Values, ins: Instruction) -> str:
    """Write cvt to, from and between floats."""
    if len(ins.operands) != 2 or len(ins.opcode) < 3:  # noqa: PLR2004
        raise UntranslatableError(f"{ins.name} is not supported")
    to, have = ins.opcode[-2:]
    modes = [part for part in ins.opcode[1:-2] if part != "ftz"]
    if len(modes) > 1:
        raise UntranslatableError(f"{ins.name} is not supported")
    mode = modes[0] if modes else ""
    text = strip(values.value(ins.operands[1], have))
    return values.assign(ins.operands[0], _conversion(ins, to, have, mode, text), to)


def _conversion(ins: Instruction, to: str, have: str, mode: str, text: str) -> str:
    if have == "f32" and to == "f64" and not mode:
        return f"static_cast<double>({text})"
    if have == "f64" and to == "f32" and mode in _ROUNDS:
        return f"__double2float_{_ROUNDS[mode]}({text})"
    if have in _FLOATS and to in ("s32", "u32", "s64", "u64") and mode in _TO_INT:
        return f"__{_NAMES[have]}2{_NAMES[to]}_{_TO_INT[mode]}({text})"
    if to in _FLOATS and have in ("s32", "u32", "s64", "u64") and mode == "rn":
        return f"__{_NAMES[have]}2{_NAMES[to]}_rn({text})"
    raise UntranslatableError(f"{ins.name} is not supported")


EMITTERS: Final[dict[str, Emitter]] = {
    **dict.fromkeys(("add", "sub", "mul", "div"), binary),
    **dict.fromkeys(("fma", "mad"), fused),
    **dict.fromkeys(("min", "max"), extreme),
    **dict.fromkeys((*_APPROXIMATE, "neg", "abs"), unary),
    "cvt": convert,
}
