"""PTX's integer instructions as LLVM's.

Their semantics: PTX ISA, "Integer Arithmetic Instructions", "Logic and Shift Instructions" and
"Extended-Precision Integer Arithmetic Instructions".
"""

from collections.abc import Callable
from typing import Final

from porting.emulate.ptx.body import Body, UnknownPtxError, Value, llvm_type, number, width_of
from porting.rules.ptx.template import Instruction

Emitter = Callable[[Body, Instruction], None]
_BYTE: Final = 0xFF
_LOGIC: Final = ("and", "or", "xor")
_TABLE: Final = 8


def _kind(ins: Instruction) -> str:
    return ins.opcode[-1]


def _operands(body: Body, ins: Instruction, *names: str) -> list[Value]:
    return [body.read(name, _kind(ins)) for name in names]


def _wide(body: Body, value: Value, kind: str, factor: int = 2) -> Value:
    """Return a value in twice the bits, with its sign where it has one."""
    return body.resized(value, f"i{factor * width_of(kind)}", signed=kind.startswith("s"))


def add_or_subtract(body: Body, ins: Instruction) -> None:
    """Write add and sub, with .cc, and addc and subc, which take the carry."""
    kind, name = _kind(ins), ins.opcode[0]
    left, right = _operands(body, ins, *ins.operands[1:])
    operation = name[:3]
    takes, gives = name.endswith("c"), "cc" in ins.opcode
    if not takes and not gives:
        body.write(ins.operands[0], body.binary(operation, left, right))
        return
    width = width_of(kind)
    wide = f"i{2 * width}"
    result = body.binary(operation, body.resized(left, wide), body.resized(right, wide))
    if takes:
        result = body.binary(operation, result, body.resized(_carry(body), wide))
    _set_carry(body, result, width, gives=gives)
    body.write(ins.operands[0], body.resized(result, left.type))


def _carry(body: Body) -> Value:
    if body.carry is None:
        message = "a carry from another asm statement is not emulated"
        raise UnknownPtxError(message)
    return body.carry


def _set_carry(body: Body, wide: Value, width: int, *, gives: bool) -> None:
    if gives:
        above = body.binary("lshr", wide, number(wide.type, width))
        body.carry = body.resized(above, "i1")


def multiply(body: Body, ins: Instruction) -> None:
    """Write mul and mad, their .lo, .hi and .wide, and madc and .cc of .lo and .hi."""
    kind = _kind(ins)
    width = width_of(kind)
    left, right = _operands(body, ins, *ins.operands[1:3])
    product = body.binary("mul", _wide(body, left, kind), _wide(body, right, kind))
    if "wide" in ins.opcode:
        if ins.opcode[0] == "mad":
            wide_kind = f"{kind[0]}{2 * width}"
            product = body.binary("add", product, body.read(ins.operands[3], wide_kind))
        body.write(ins.operands[0], product)
        return
    if "hi" in ins.opcode:
        product = body.binary("lshr", product, number(product.type, width))
    part = body.resized(product, left.type)
    if ins.opcode[0] == "mul":
        body.write(ins.operands[0], part)
        return
    _accumulate(body, ins, part)


def _accumulate(body: Body, ins: Instruction, part: Value) -> None:
    width = width_of(_kind(ins))
    wide = f"i{2 * width}"
    added = body.read(ins.operands[3], _kind(ins))
    total = body.binary("add", body.resized(part, wide), body.resized(added, wide))
    if ins.opcode[0] == "madc":
        total = body.binary("add", total, body.resized(_carry(body), wide))
    _set_carry(body, total, width, gives="cc" in ins.opcode)
    body.write(ins.operands[0], body.resized(total, part.type))


def divide(body: Body, ins: Instruction) -> None:
    """Write div and rem."""
    signed = _kind(ins).startswith("s")
    operation = f"{'s' if signed else 'u'}{ins.opcode[0]}"
    body.write(ins.operands[0], body.binary(operation, *_operands(body, ins, *ins.operands[1:])))


def choose_least(body: Body, ins: Instruction) -> None:
    """Write min and max."""
    sign = "s" if _kind(ins).startswith("s") else "u"
    left, right = _operands(body, ins, *ins.operands[1:])
    name = f"llvm.{sign}{ins.opcode[0]}.{left.type}"
    body.write(ins.operands[0], body.call(left.type, name, left, right))


def logic(body: Body, ins: Instruction) -> None:
    """Write and, or and xor, of predicates too."""
    body.write(
        ins.operands[0], body.binary(ins.opcode[0], *_operands(body, ins, *ins.operands[1:]))
    )


def negate(body: Body, ins: Instruction) -> None:
    """Write not, neg, abs and cnot."""
    (value,) = _operands(body, ins, ins.operands[1])
    zero = number(value.type, 0) if value.type != "i1" else Value("i1", "false")
    name = ins.opcode[0]
    if name == "not":
        ones = Value("i1", "true") if value.type == "i1" else number(value.type, -1)
        result = body.binary("xor", value, ones)
    elif name == "neg":
        result = body.binary("sub", zero, value)
    elif name == "abs":
        result = body.call(value.type, f"llvm.abs.{value.type}", value, Value("i1", "false"))
    else:
        result = body.resized(body.compare("icmp eq", value, zero), value.type)
    body.write(ins.operands[0], result)


def shift(body: Body, ins: Instruction) -> None:
    """Write shl and shr: by no more than the width."""
    kind = _kind(ins)
    width = width_of(kind)
    (value,) = _operands(body, ins, ins.operands[1])
    amount = body.read(ins.operands[2], "u32")
    wide = f"i{2 * width}"
    limit = body.call("i32", "llvm.umin.i32", amount, number("i32", width))
    places = body.resized(limit, wide)
    operation = {"shl": "shl"}.get(ins.opcode[0], "ashr" if kind.startswith("s") else "lshr")
    shifted = body.binary(operation, _wide(body, value, kind), places)
    body.write(ins.operands[0], body.resized(shifted, value.type))


def funnel(body: Body, ins: Instruction) -> None:
    """Write shf: two words as one, shifted by the amount modulo 32 or by 32 at most."""
    low, high, amount = (body.read(name, "u32") for name in ins.operands[1:])
    if "wrap" in ins.opcode:
        places = body.binary("and", amount, number("i32", 31))
    else:
        places = body.call("i32", "llvm.umin.i32", amount, number("i32", 32))
    upper = body.binary("shl", body.resized(high, "i64"), number("i64", 32))
    both = body.binary("or", upper, body.resized(low, "i64"))
    wide = body.resized(places, "i64")
    if "l" in ins.opcode:
        moved = body.binary("shl", both, wide)
        result = body.binary("lshr", moved, number("i64", 32))
    else:
        result = body.binary("lshr", both, wide)
    body.write(ins.operands[0], body.resized(result, "i32"))


def count(body: Body, ins: Instruction) -> None:
    """Write popc, clz and brev."""
    (value,) = _operands(body, ins, ins.operands[1])
    name = {"popc": "ctpop", "clz": "ctlz", "brev": "bitreverse"}[ins.opcode[0]]
    extra = (Value("i1", "false"),) if name == "ctlz" else ()
    result = body.call(value.type, f"llvm.{name}.{value.type}", value, *extra)
    body.write(ins.operands[0], result if name == "bitreverse" else body.resized(result, "i32"))


def find_highest(body: Body, ins: Instruction) -> None:
    """Write bfind: the place of the highest bit that is not the sign's, or all ones."""
    kind = _kind(ins)
    (value,) = _operands(body, ins, ins.operands[1])
    if kind.startswith("s"):
        sign = body.binary("ashr", value, number(value.type, width_of(kind) - 1))
        value = body.binary("xor", value, sign)
    no = Value("i1", "false")
    zeros = body.call(value.type, f"llvm.ctlz.{value.type}", value, no)
    counted = body.resized(zeros, "i32")
    place = body.binary("sub", number("i32", width_of(kind) - 1), counted)
    if "shiftamt" in ins.opcode:
        found = body.compare("icmp ne", value, number(value.type, 0))
        place = body.select(found, counted, number("i32", -1))
    body.write(ins.operands[0], place)


def _bounded(body: Body, text: str, most: int) -> Value:
    """Return an operand's low byte, `most` at most."""
    low = body.binary("and", body.read(text, "u32"), number("i32", _BYTE))
    return body.call("i32", "llvm.umin.i32", low, number("i32", most))


def extract(body: Body, ins: Instruction) -> None:
    """Write bfe: a field, filled up with zeros or with its sign."""
    kind = _kind(ins)
    width = width_of(kind)
    wide = f"i{2 * width}"
    (value,) = _operands(body, ins, ins.operands[1])
    start = body.resized(_bounded(body, ins.operands[2], width), wide)
    size = body.resized(_bounded(body, ins.operands[3], width), wide)
    down = "ashr" if kind.startswith("s") else "lshr"
    field = body.binary(down, _wide(body, value, kind), start)
    # No shift is by all bits: a field of none is chosen away below.
    some = body.call(wide, f"llvm.umax.{wide}", size, number(wide, 1))
    above = body.binary("sub", number(wide, 2 * width), some)
    cut = body.binary(down, body.binary("shl", field, above), above)
    empty = body.compare("icmp eq", size, number(wide, 0))
    chosen = body.select(empty, number(wide, 0), cut)
    body.write(ins.operands[0], body.resized(chosen, value.type))


def insert(body: Body, ins: Instruction) -> None:
    """Write bfi: low bits of the first operand put into the second."""
    kind = _kind(ins)
    width = width_of(kind)
    wide = f"i{2 * width}"
    source, into = _operands(body, ins, *ins.operands[1:3])
    start = body.resized(_bounded(body, ins.operands[3], width), wide)
    size = body.resized(_bounded(body, ins.operands[4], width), wide)
    ones = body.binary("sub", body.binary("shl", number(wide, 1), size), number(wide, 1))
    mask = body.resized(body.binary("shl", ones, start), source.type)
    moved = body.resized(body.binary("shl", body.resized(source, wide), start), source.type)
    kept = body.binary("and", into, body.binary("xor", mask, number(mask.type, -1)))
    body.write(ins.operands[0], body.binary("or", kept, body.binary("and", moved, mask)))


def permute(body: Body, ins: Instruction) -> None:
    """Write prmt: each byte of the result is one of eight, or its sign eight times."""
    if ins.opcode != ("prmt", "b32"):
        message = f"{ins.name} is not emulated"
        raise UnknownPtxError(message)
    low, high, selector = (body.read(name, "u32") for name in ins.operands[1:])
    upper = body.binary("shl", body.resized(high, "i64"), number("i64", 32))
    both = body.binary("or", upper, body.resized(low, "i64"))
    result = number("i32", 0)
    for place in range(4):
        digit = body.binary("lshr", selector, number("i32", 4 * place))
        byte = _chosen_byte(body, both, digit)
        moved = body.binary("shl", byte, number("i32", 8 * place))
        result = body.binary("or", moved, result)
    body.write(ins.operands[0], result)


def _chosen_byte(body: Body, both: Value, digit: Value) -> Value:
    which = body.binary("and", digit, number("i32", 7))
    places = body.resized(body.binary("shl", which, number("i32", 3)), "i64")
    byte = body.resized(body.binary("lshr", both, places), "i8")
    sign = body.binary("ashr", byte, number("i8", 7))
    wants_sign = body.binary("and", digit, number("i32", 8))
    chosen = body.compare("icmp ne", wants_sign, number("i32", 0))
    return body.resized(body.select(chosen, sign, byte), "i32")


def any_logic(body: Body, ins: Instruction) -> None:
    """Write lop3: bit n of the table says what bits a, b, c with n = 4a + 2b + c become."""
    values = [body.read(name, "u32") for name in ins.operands[1:4]]
    inverted = [body.binary("xor", value, number("i32", -1)) for value in values]
    table = int(ins.operands[4], 0)
    result = number("i32", 0)
    for row in range(_TABLE):
        if not table >> row & 1:
            continue
        bits = [values[i] if row >> (2 - i) & 1 else inverted[i] for i in range(3)]
        term = body.binary("and", body.binary("and", bits[0], bits[1]), bits[2])
        result = body.binary("or", term, result)
    body.write(ins.operands[0], result)


def sum_of_difference(body: Body, ins: Instruction) -> None:
    """Write sad: |a - b| + c."""
    sign = "s" if _kind(ins).startswith("s") else "u"
    left, right, added = _operands(body, ins, *ins.operands[1:])
    kind = llvm_type(_kind(ins))
    most = body.call(kind, f"llvm.{sign}max.{kind}", left, right)
    least = body.call(kind, f"llvm.{sign}min.{kind}", left, right)
    body.write(ins.operands[0], body.binary("add", body.binary("sub", most, least), added))


EMITTERS: Final[dict[str, Emitter]] = {
    **dict.fromkeys(("add", "addc", "sub", "subc"), add_or_subtract),
    **dict.fromkeys(("mul", "mad", "madc"), multiply),
    **dict.fromkeys(("div", "rem"), divide),
    **dict.fromkeys(("min", "max"), choose_least),
    **dict.fromkeys(_LOGIC, logic),
    **dict.fromkeys(("not", "neg", "abs", "cnot"), negate),
    **dict.fromkeys(("shl", "shr"), shift),
    **dict.fromkeys(("popc", "clz", "brev"), count),
    "shf": funnel,
    "bfind": find_highest,
    "bfe": extract,
    "bfi": insert,
    "prmt": permute,
    "lop3": any_logic,
    "sad": sum_of_difference,
}
