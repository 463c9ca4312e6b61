"""PTX's instructions about threads and memory as calls of the emulator and accesses of LLVM.

Their semantics: PTX ISA, "Special Registers", "Parallel Synchronization and Communication
Instructions" and "Data Movement and Conversion Instructions".
"""

import re
from typing import Final

from porting.emulate.ptx.body import (
    Body,
    UnknownPtxError,
    Value,
    choose,
    llvm_type,
    number,
    width_of,
)
from porting.emulate.ptx.integers import Emitter
from porting.rules.ptx.template import Instruction

# Places in eclosion_lane (include/eclosion/device_abi.h), in words of 32 bits.
_VECTORS: Final = {"tid": 0, "ctaid": 3, "ntid": 6, "nctaid": 9}
_LANE: Final = 12
_WAVE: Final = 13
_WAVE_SIZE: Final = 14
# Values of enum eclosion_vote and eclosion_shuffle there.
_VOTES: Final = {"ballot": 0, "any": 1, "all": 2, "uni": 3}
_ACTIVE: Final = 4
_MATCHES: Final = {"any": 5, "all": 6}
_REDUCTIONS: Final = {
    "add": (7, 7),
    "min": (8, 10),
    "max": (9, 11),
    "and": (12, 12),
    "or": (13, 13),
    "xor": (14, 14),
}
_SYNC: Final = 15
_ADDRESS: Final = re.compile(r"\[\s*([^\s+\]]+)\s*(?:\+\s*(-?\w+))?\s*\]")
_ATOMICS: Final = {
    "add": "add",
    "and": "and",
    "or": "or",
    "xor": "xor",
    "exch": "xchg",
    "inc": "uinc_wrap",
    "dec": "udec_wrap",
}
_SHARED_WORD: Final = "addresses of shared memory in 32 bits are not emulated: they lose half"


def _member(body: Body, place: int) -> Value:
    """Read a word of the calling lane, without an instrumented access."""
    lane = body.call("ptr", "eclosion_lane_now")
    plain = body.emit("ptr addrspace(1)", f"addrspacecast {lane} to ptr addrspace(1)")
    there = body.emit("ptr addrspace(1)", f"getelementptr i8, {plain}, i64 {4 * place}")
    return body.emit("i32", f"load i32, {there}, align 4")


def special_register(body: Body, name: str) -> Value | None:
    """Return the value of a special register, or None when it is none."""
    base, _, axis = name.partition(".")
    if base in _VECTORS and axis in ("x", "y", "z"):
        return _member(body, _VECTORS[base] + "xyz".index(axis))
    if name.startswith("lanemask_"):
        return _lane_mask(body, name.removeprefix("lanemask_"))
    if name in ("clock", "clock64", "globaltimer", "globaltimer_lo"):
        ticks = body.call("i64", "eclosion_clock")
        return ticks if name in ("clock64", "globaltimer") else body.resized(ticks, "i32")
    places = {"laneid": _LANE, "warpid": _WAVE}
    return _member(body, places[name]) if name in places else None


def _lane_mask(body: Body, which: str) -> Value | None:
    lane = body.resized(_member(body, _LANE), "i64")
    own = body.binary("shl", number("i64", 1), lane)
    below = body.binary("sub", own, number("i64", 1))
    upto = body.binary("or", own, below)
    masks = {"eq": own, "lt": below, "le": upto}
    if which in ("gt", "ge"):
        masks[which] = body.binary("xor", upto if which == "gt" else below, number("i64", -1))
    found = masks.get(which)
    return None if found is None else body.resized(found, "i32")


def _mask(body: Body, text: str) -> Value:
    return body.resized(body.read(text, "u32"), "i64")


def _vote(body: Body, kind: int, value: Value, mask: Value) -> Value:
    return body.call("i64", "eclosion_wave_vote", number("i32", kind), value, mask)


def vote(body: Body, ins: Instruction) -> None:
    """Write vote.sync of a predicate."""
    kind = int(choose(ins.name, ins.opcode, {name: str(n) for name, n in _VOTES.items()}))
    target, asked, mask = ins.operands
    value = body.resized(body.read(asked, "pred"), "i64")
    result = _vote(body, kind, value, _mask(body, mask))
    if "ballot" in ins.opcode:
        body.write(target, body.resized(result, "i32"))
    else:
        body.write(target, body.compare("icmp ne", result, number("i64", 0)))


def active(body: Body, ins: Instruction) -> None:
    """Write activemask."""
    zero = number("i64", 0)
    body.write(ins.operands[0], body.resized(_vote(body, _ACTIVE, zero, zero), "i32"))


def match(body: Body, ins: Instruction) -> None:
    """Write match.sync: the lanes with the caller's value."""
    kind = int(choose(ins.name, ins.opcode, {name: str(n) for name, n in _MATCHES.items()}))
    *targets, value, mask = ins.operands
    bits = body.resized(body.read(value, ins.opcode[-1]), "i64")
    lanes = _vote(body, kind, bits, _mask(body, mask))
    body.write(targets[0], body.resized(lanes, "i32"))
    for same in targets[1:]:
        body.write(same, body.compare("icmp ne", lanes, number("i64", 0)))


def reduce(body: Body, ins: Instruction) -> None:
    """Write redux.sync."""
    kinds = next((_REDUCTIONS[part] for part in ins.opcode if part in _REDUCTIONS), None)
    kind = ins.opcode[-1]
    if kinds is None or not kind.endswith("32") or kind.startswith("f"):
        message = f"{ins.name} is not emulated"
        raise UnknownPtxError(message)
    target, value, mask = ins.operands
    signed = kind.startswith("s")
    wide = body.resized(body.read(value, kind), "i64", signed=signed)
    result = _vote(body, kinds[0 if signed else 1], wide, _mask(body, mask))
    body.write(target, body.resized(result, "i32"))


def shuffle(body: Body, ins: Instruction) -> None:
    """Write shfl.sync: PTX's pseudocode of the lane that is read, and whether it is in bounds."""
    *targets, value, argument, packed, mask = ins.operands
    lane, step, limit = _member(body, _LANE), body.read(argument, "u32"), body.read(packed, "u32")
    segment = body.binary("and", body.binary("lshr", limit, number("i32", 8)), number("i32", 31))
    bound = body.binary("and", limit, number("i32", 31))
    first = body.binary("and", lane, segment)
    rest = body.binary("xor", segment, number("i32", -1))
    last = body.binary("or", first, body.binary("and", bound, rest))
    mode = choose(ins.name, ins.opcode, {name: name for name in ("up", "down", "bfly", "idx")})
    if mode == "up":
        there = body.binary("sub", lane, step)
        inside = body.compare("icmp sge", there, last)
    elif mode == "down":
        there = body.binary("add", lane, step)
        inside = body.compare("icmp sle", there, last)
    elif mode == "bfly":
        there = body.binary("xor", lane, step)
        inside = body.compare("icmp sle", there, last)
    else:
        there = body.binary("or", first, body.binary("and", step, rest))
        inside = body.compare("icmp sle", there, last)
    chosen = body.select(inside, there, lane)
    word = body.resized(body.read(value, "u32"), "i64")
    kind, size = number("i32", 0), _member(body, _WAVE_SIZE)
    result = body.call("i64", "eclosion_wave_shuffle", kind, word, chosen, size, _mask(body, mask))
    body.write(targets[0], body.resized(result, "i32"))
    for was_inside in targets[1:]:
        body.write(was_inside, inside)


def barrier(body: Body, ins: Instruction) -> None:
    """Write bar.sync of the whole block and bar.warp.sync."""
    if "warp" in ins.opcode:
        _vote(body, _SYNC, number("i64", 0), _mask(body, ins.operands[0]))
        return
    if "sync" not in ins.opcode or ins.operands != ("0",):
        message = f"{ins.name} {', '.join(ins.operands)} is not emulated: only barrier 0 of all is"
        raise UnknownPtxError(message)
    body.call("i32", "eclosion_block_barrier", number("i32", 0), number("i32", 0))


def fence(body: Body, _: Instruction) -> None:
    """Write membar and fence."""
    body.lines.append("fence seq_cst")


def trap(body: Body, _: Instruction) -> None:
    """Write trap; what follows is not reached, which the compiler is not told."""
    body.lines.append("call void @eclosion_trap()")
    body.declarations["eclosion_trap"] = "declare void @eclosion_trap()"


def nothing(_: Body, __: Instruction) -> None:
    """Leave out what only hints: prefetch, discard, nanosleep."""


def _place(body: Body, text: str) -> Value:
    """Return the pointer of `[register + offset]`."""
    found = _ADDRESS.fullmatch(text)
    if found is None:
        message = f"the address {text} is not emulated"
        raise UnknownPtxError(message)
    name, offset = found[1], found[2]
    where = body.operands.get(int(name[1:])) if name.startswith("$") else body.registers.get(name)
    if where is not None and where.type not in ("ptr", "i64"):
        raise UnknownPtxError(_SHARED_WORD)
    pointer = body.resized(body.read(name, "u64") if where is None else where, "ptr")
    if offset is None:
        return pointer
    return body.emit("ptr", f"getelementptr i8, {pointer}, i64 {int(offset, 0)}")


def _names(text: str) -> list[str]:
    return [part.strip() for part in text.strip("{} ").split(",")]


def load(body: Body, ins: Instruction) -> None:
    """Write ld, of vectors too; hints of caching do nothing."""
    kind = ins.opcode[-1]
    place = _place(body, ins.operands[1])
    for index, name in enumerate(_names(ins.operands[0])):
        there = _element(body, place, kind, index)
        body.write(name, body.emit(llvm_type(kind), f"load {llvm_type(kind)}, {there}, align 1"))


def store(body: Body, ins: Instruction) -> None:
    """Write st, of vectors too."""
    kind = ins.opcode[-1]
    place = _place(body, ins.operands[0])
    for index, name in enumerate(_names(ins.operands[1])):
        there = _element(body, place, kind, index)
        body.lines.append(f"store {body.read(name, kind)}, {there}, align 1")


def _element(body: Body, place: Value, kind: str, index: int) -> Value:
    if index == 0:
        return place
    return body.emit("ptr", f"getelementptr i8, {place}, i64 {index * width_of(kind) // 8}")


def atomic(body: Body, ins: Instruction) -> None:
    """Write atom, and red, which gives nothing."""
    kind = ins.opcode[-1]
    target, (where, *given) = "_", ins.operands
    if ins.opcode[0] == "atom":
        target, where, *given = ins.operands
    place = _place(body, where)
    size = number("i32", width_of(kind) // 8)
    body.call("void", "eclosion_check_atomic", place, size)
    values = [body.read(name, kind) for name in given]
    align = f"seq_cst, align {width_of(kind) // 8}"
    if "cas" in ins.opcode:
        expected, wanted = values
        text = f"cmpxchg {place}, {expected}, {wanted} seq_cst {align}"
        pair = body.emit(f"{{ {expected.type}, i1 }}", text)
        body.write(target, body.emit(expected.type, f"extractvalue {pair}, 0"))
        return
    old = body.emit(values[0].type, f"atomicrmw {_operation(ins)} {place}, {values[0]} {align}")
    body.write(target, old)


def _operation(ins: Instruction) -> str:
    kind = ins.opcode[-1]
    limits = {name: f"{'' if kind.startswith('s') else 'u'}{name}" for name in ("min", "max")}
    if kind in ("f32", "f64"):
        return choose(ins.name, ins.opcode, {"add": "fadd", "exch": "xchg"})
    return choose(ins.name, ins.opcode, {**_ATOMICS, **limits})


_EFFECTS: Final[dict[str, Emitter]] = {
    "vote": vote,
    "activemask": active,
    "match": match,
    "redux": reduce,
    "shfl": shuffle,
    "bar": barrier,
    "barrier": barrier,
    "membar": fence,
    "fence": fence,
    "trap": trap,
    "ld": load,
    "st": store,
    "atom": atomic,
    "red": atomic,
}
EFFECTS: Final = frozenset(_EFFECTS)
EMITTERS: Final[dict[str, Emitter]] = {
    **_EFFECTS,
    **dict.fromkeys(("prefetch", "prefetchu", "discard", "nanosleep", "applypriority"), nothing),
}
