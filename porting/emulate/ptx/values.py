"""PTX's moves, comparisons, conversions and floating-point instructions as LLVM's.

Their semantics: PTX ISA, "Floating-Point Instructions", "Comparison and Selection Instructions" and
"Data Movement and Conversion Instructions".
"""

from typing import Final

from porting.emulate.ptx.body import (
    Body,
    UnknownPtxError,
    Value,
    llvm_type,
    number,
    width_of,
)
from porting.emulate.ptx.integers import Emitter
from porting.emulate.ptx.machine import special_register
from porting.rules.ptx.template import Instruction

_FLOATS: Final = frozenset(("f32", "f64"))
_COMPARISONS: Final = ("eq", "ne", "lt", "le", "gt", "ge")
_UNSIGNED: Final = {"lo": "ult", "ls": "ule", "hi": "ugt", "hs": "uge"}
_EXACT: Final = frozenset(("rn", "ftz", "approx", "full"))
_ROUNDINGS: Final = {"rni": "roundeven", "rzi": "trunc", "rmi": "floor", "rpi": "ceil"}
_CALLS: Final = {
    "fma": "llvm.fma",
    "mad": "llvm.fma",
    "min": "llvm.minnum",
    "max": "llvm.maxnum",
    "sqrt": "llvm.sqrt",
    "ex2": "llvm.exp2",
    "lg2": "llvm.log2",
    "sin": "llvm.sin",
    "cos": "llvm.cos",
    "abs": "llvm.fabs",
}
_OPERATIONS: Final = {"add": "fadd", "sub": "fsub", "mul": "fmul", "div": "fdiv"}
_PAIR: Final = 2


def is_float(ins: Instruction) -> bool:
    """Whether an instruction works on floating-point numbers of 32 or 64 bits."""
    return ins.opcode[-1] in _FLOATS


def move(body: Body, ins: Instruction) -> None:
    """Write mov: a register, a number, a special register, or halves packed and unpacked."""
    kind = ins.opcode[-1]
    target, source = ins.operands
    if target.startswith("{"):
        _unpack(body, target, source, kind)
    elif source.startswith("{"):
        body.write(target, _pack(body, source, kind))
    elif source.startswith("%"):
        found = special_register(body, source[1:])
        body.write(target, found or body.read(source, kind))
    else:
        body.write(target, body.read(source, kind))


def _parts(text: str) -> list[str]:
    return [part.strip() for part in text.strip("{} ").split(",")]


def _pack(body: Body, text: str, kind: str) -> Value:
    names = _parts(text)
    each = width_of(kind) // len(names)
    result = number(llvm_type(kind), 0)
    for place, name in enumerate(names):
        part = body.resized(body.read(name, f"u{each}"), result.type)
        moved = body.binary("shl", part, number(result.type, place * each))
        result = body.binary("or", moved, result)
    return result


def _unpack(body: Body, target: str, source: str, kind: str) -> None:
    names = _parts(target)
    each = width_of(kind) // len(names)
    whole = body.read(source, kind)
    for place, name in enumerate(names):
        moved = body.binary("lshr", whole, number(whole.type, place * each))
        body.write(name, body.resized(moved, f"i{each}"))


def compare(body: Body, ins: Instruction) -> None:
    """Write setp, with a second predicate and with another one joined."""
    kind = ins.opcode[-1]
    targets, (left, right, *joined) = _targets(ins)
    condition = _condition(ins.opcode[1], kind)
    result = body.compare(condition, body.read(left, kind), body.read(right, kind))
    for place, name in enumerate(targets):
        value = result if place == 0 else body.binary("xor", result, Value("i1", "true"))
        if joined:
            value = body.binary(ins.opcode[2], value, body.read(joined[0], "pred"))
        body.write(name, value)


def _targets(ins: Instruction) -> tuple[list[str], list[str]]:
    joins = ins.opcode[2] in ("and", "or", "xor")
    inputs = _PAIR + joins
    return list(ins.operands[:-inputs]), list(ins.operands[-inputs:])


def _condition(name: str, kind: str) -> str:
    if kind in _FLOATS:
        special = {"num": "ord", "nan": "uno", "neu": "une", "equ": "ueq"}
        plain = f"o{name}" if name in _COMPARISONS and name != "ne" else ""
        unordered = f"u{name[:-1]}" if name[:-1] in _COMPARISONS and name.endswith("u") else ""
        found = special.get(name) or ("one" if name == "ne" else plain or unordered)
        if found:
            return f"fcmp {found}"
    elif name in _UNSIGNED:
        return f"icmp {_UNSIGNED[name]}"
    elif name in ("eq", "ne"):
        return f"icmp {name}"
    elif name in _COMPARISONS:
        return f"icmp {'s' if kind.startswith('s') else 'u'}{name}"
    message = f"the comparison .{name} of .{kind} is not emulated"
    raise UnknownPtxError(message)


def select(body: Body, ins: Instruction) -> None:
    """Write selp: one of two values by a predicate."""
    kind = ins.opcode[-1]
    yes, no = (body.read(name, kind) for name in ins.operands[1:3])
    body.write(ins.operands[0], body.select(body.read(ins.operands[3], "pred"), yes, no))


def convert(body: Body, ins: Instruction) -> None:
    """Write cvt between integers and floating-point numbers, rounded to nearest or cut."""
    target, source = ins.opcode[-2:]
    modes = set(ins.opcode[1:-2]) - {"ftz"}
    value = body.read(ins.operands[1], source)
    kind = llvm_type(target)
    if target in _FLOATS and source in _FLOATS:
        result = _float_to_float(body, ins, value, kind, modes)
    elif target in _FLOATS and modes <= {"rn"}:
        how = "sitofp" if source.startswith("s") else "uitofp"
        result = body.emit(kind, f"{how} {value} to {kind}")
    elif source in _FLOATS:
        result = _to_integer(body, ins, value, target, modes)
    elif not modes:
        result = body.resized(value, kind, signed=source.startswith("s"))
    else:
        message = f"{ins.name} is not emulated"
        raise UnknownPtxError(message)
    body.write(ins.operands[0], result)


def _rounding(ins: Instruction, modes: set[str]) -> str:
    if len(modes) == 1 and modes <= set(_ROUNDINGS):
        return _ROUNDINGS[next(iter(modes))]
    message = f"{ins.name} is not emulated"
    raise UnknownPtxError(message)


def _float_to_float(
    body: Body, ins: Instruction, value: Value, kind: str, modes: set[str]
) -> Value:
    if kind == value.type:
        if not modes:
            return value
        return body.call(kind, f"llvm.{_rounding(ins, modes)}.{_suffix(kind)}", value)
    if not modes <= {"rn"}:
        message = f"{ins.name} is not emulated"
        raise UnknownPtxError(message)
    how = "fpext" if kind == "double" else "fptrunc"
    return body.emit(kind, f"{how} {value} to {kind}")


def _to_integer(body: Body, ins: Instruction, value: Value, target: str, modes: set[str]) -> Value:
    """Saturate; what is no number is 0, or where 64 bits are involved the sign's bit alone."""
    suffix = _suffix(value.type)
    rounded = body.call(value.type, f"llvm.{_rounding(ins, modes)}.{suffix}", value)
    kind = llvm_type(target)
    how = "fptosi" if target.startswith("s") else "fptoui"
    result = body.call(kind, f"llvm.{how}.sat.{kind}.{suffix}", rounded)
    if width_of(target) == _WIDE or value.type == "double":
        is_nan = body.compare("fcmp uno", value, value)
        sign = number(kind, -(1 << (width_of(target) - 1)))
        result = body.select(is_nan, sign, result)
    return result


_WIDE: Final = 64


def _suffix(kind: str) -> str:
    return "f32" if kind == "float" else "f64"


def arithmetic(body: Body, ins: Instruction) -> None:
    """Write floating-point instructions that round to nearest, approximate ones among them."""
    if not set(ins.opcode[1:-1]) <= _EXACT:
        message = f"{ins.name} is not emulated"
        raise UnknownPtxError(message)
    name, kind = ins.opcode[0], ins.opcode[-1]
    values = [body.read(text, kind) for text in ins.operands[1:]]
    body.write(ins.operands[0], _result(body, name, values))


def _result(body: Body, name: str, values: list[Value]) -> Value:
    kind = values[0].type
    suffix = _suffix(kind)
    if name in _OPERATIONS:
        return body.binary(_OPERATIONS[name], *values)
    if name in _CALLS:
        return body.call(kind, f"{_CALLS[name]}.{suffix}", *values)
    if name == "neg":
        return body.emit(kind, f"fneg {values[0]}")
    if name == "copysign":
        return body.call(kind, f"llvm.copysign.{suffix}", values[1], values[0])
    # rcp and rsqrt
    of = body.call(kind, f"llvm.sqrt.{suffix}", *values) if name == "rsqrt" else values[0]
    return body.binary("fdiv", Value(kind, "1.0"), of)


def address(body: Body, ins: Instruction) -> None:
    """Write cvta: there is one address space, so an address stays what it is."""
    body.write(ins.operands[0], body.read(ins.operands[1], ins.opcode[-1]))


EMITTERS: Final[dict[str, Emitter]] = {
    "mov": move,
    "setp": compare,
    "selp": select,
    "cvt": convert,
    "cvta": address,
}
FLOAT_EMITTERS: Final[dict[str, Emitter]] = dict.fromkeys(
    (*_OPERATIONS, *_CALLS, "neg", "rcp", "rsqrt", "copysign"),
    arithmetic,
)
