"""PTX loads, stores, asynchronous copies, atomics and prefetches as C++."""

from typing import Final

from porting.rules.ptx.integers import Emitter
from porting.rules.ptx.template import Instruction
from porting.rules.ptx.values import CPP, SHARED, UntranslatableError, Values, bits, strip

_SPACES: Final = ("global", "shared", "shared::cta", "const", "local")
_VECTORS: Final = {"v2": 2, "v4": 4}
# Hints about caches and lines: they change no result.
_HINTS: Final = frozenset(
    (
        *("nc", "ca", "cs", "lu", "wb", "wt", "L1::no_allocate", "L1::evict_last"),
        *("L1::evict_first", "L1::evict_normal", "L1::evict_unchanged", "L2::evict_last"),
        *("L2::evict_first", "L2::evict_normal", "L2::64B", "L2::128B", "L2::256B"),
        *("L2::cache_hint", "weak"),
    )
)
_STREAMS: Final = frozenset(("cs", "lu", "L1::no_allocate", "L1::evict_first"))
_SCOPES: Final = {"cta": "WORKGROUP", "gpu": "AGENT", "sys": "SYSTEM", "cluster": "AGENT"}
_ORDERS: Final = {
    "relaxed": "__ATOMIC_RELAXED",
    "acquire": "__ATOMIC_ACQUIRE",
    "release": "__ATOMIC_RELEASE",
    "acq_rel": "__ATOMIC_ACQ_REL",
}
_ATOMICS: Final = {
    "add": "add",
    "min": "min",
    "max": "max",
    "and": "and",
    "or": "or",
    "xor": "xor",
}
_COPIES: Final = {4: "unsigned", 8: "uint2", 16: "uint4"}
NOTHING: Final = "static_cast<void>(0)"


def _space(parts: set[str]) -> str:
    found = [part for part in parts if part in _SPACES]
    parts.difference_update(found)
    return "shared" if found and found[0].startswith("shared") else "global"


def _access(parts: set[str], default: str, lanes: int = 1) -> tuple[str, str]:
    """Take the memory order and scope out of the modifiers; ("", "") for a plain access.

    Cache operators are hints ("Cache Operators" in NVIDIA's PTX manual).
    """
    order = next((_ORDERS[part] for part in sorted(parts) if part in _ORDERS), "")
    scope = next((_SCOPES[part] for part in sorted(parts) if part in _SCOPES), "")
    if "cg" in parts and not order and lanes == 1:
        order, scope = "__ATOMIC_RELAXED", "AGENT"  # read anew, for loops that wait for a flag
    parts.difference_update({*_ORDERS, *_SCOPES, "cg"})
    if order and not scope:
        scope = default
    return order, scope


def load(values: Values, ins: Instruction) -> str:
    """Write ld, scalar or vector."""
    kind, parts, lanes = _shape(ins)
    space = _space(parts)
    order, scope = _access(parts, "SYSTEM", lanes)
    volatile = bool(parts & {"volatile", "cv"})
    streams = bool(parts & _STREAMS)
    if parts - _HINTS - {"volatile", "cv"} or len(ins.operands) < 2:  # noqa: PLR2004
        raise UntranslatableError(f"{ins.name} is not supported")
    targets = _elements(ins.operands[0], lanes)
    pointer = values.pointer(ins.operands[1], kind, const=True, space=space)
    if lanes > 1 and (order or volatile):
        raise UntranslatableError(f"{ins.name} is not supported")
    reads = []
    for number in range(lanes):
        place = f"{pointer} + {number}" if number else pointer
        if order:
            text = f"__hip_atomic_load({place}, {order}, __HIP_MEMORY_SCOPE_{scope})"
        elif volatile:
            text = f"*const_cast<const volatile {CPP[kind]}*>({place})"
        elif streams and space == "global":
            text = f"__builtin_nontemporal_load({place})"
        else:
            text = f"{pointer}[{number}]" if number else f"*{pointer}"
        reads.append(values.assign(targets[number], text, kind))
    return reads[0] if lanes == 1 else f"({', '.join(reads)})"


def store(values: Values, ins: Instruction) -> str:
    """Write st, scalar or vector."""
    kind, parts, lanes = _shape(ins)
    space = _space(parts)
    parts.discard("cg")
    order, scope = _access(parts, "SYSTEM", lanes)
    volatile = "volatile" in parts
    streams = bool(parts & _STREAMS)
    if parts - _HINTS - {"volatile"} or len(ins.operands) < 2:  # noqa: PLR2004
        raise UntranslatableError(f"{ins.name} is not supported")
    pointer = values.pointer(ins.operands[0], kind, const=False, space=space)
    sources = _elements(ins.operands[1], lanes)
    if lanes > 1 and (order or volatile):
        raise UntranslatableError(f"{ins.name} is not supported")
    writes = []
    for number in range(lanes):
        text = strip(values.value(sources[number], kind))
        place = f"{pointer} + {number}" if number else pointer
        if order:
            text = f"__hip_atomic_store({place}, {text}, {order}, __HIP_MEMORY_SCOPE_{scope})"
        elif volatile:
            text = f"*const_cast<volatile {CPP[kind]}*>({place}) = {text}"
        elif streams and space == "global":
            text = f"__builtin_nontemporal_store({text}, {place})"
        else:
            text = f"{pointer}[{number}] = {text}" if number else f"*{pointer} = {text}"
        writes.append(text)
    return writes[0] if lanes == 1 else f"({', '.join(writes)})"


def _shape(ins: Instruction) -> tuple[str, set[str], int]:
    """Return type, modifiers and number of elements of a load or store."""
    kind = ins.opcode[-1]
    if kind not in CPP or kind in ("pred", "f16", "bf16", "f16x2", "bf16x2"):
        raise UntranslatableError(f"{ins.name} is not supported")
    parts = set(ins.opcode[1:-1])
    lanes = next((_VECTORS[part] for part in parts if part in _VECTORS), 1)
    return kind, parts - set(_VECTORS), lanes


def _elements(text: str, lanes: int) -> list[str]:
    parts = [part.strip() for part in text.strip("{} ").split(",")]
    if len(parts) != lanes:
        raise UntranslatableError(f"{text} does not have {lanes} elements")
    return parts


def asynchronous_copy(values: Values, ins: Instruction) -> str:
    """Write cp.async as a copy that is done at once, its commits and waits as nothing."""
    parts = ins.opcode[1:]
    if parts[:2] in (("async", "commit_group"), ("async", "wait_all"), ("async", "wait_group")):
        return NOTHING
    known = {"async", "ca", "cg", "shared", "shared::cta", "global"} | _HINTS
    if parts[:1] != ("async",) or set(parts) - known or len(ins.operands) not in (3, 4, 5):
        raise UntranslatableError(f"{ins.name} is not supported")
    target = values.pointer(ins.operands[0], "u32", const=False, space="shared")
    source = values.pointer(ins.operands[1], "u32", const=True, space="global")
    operands = ins.operands[3:-1] if "L2::cache_hint" in parts else ins.operands[3:]
    size = values.constant(ins.operands[2])
    if size is None:
        return _copy_of_named_size(values, ins.operands[2], target, source, operands)
    word = _COPIES.get(size)
    if word is None:
        raise UntranslatableError(f"cp.async copies 4, 8 or 16 bytes, not {size}")
    target = target.replace("(unsigned*)", f"({word}*)", 1)
    source = source.replace("<const unsigned*>", f"<const {word}*>", 1)
    if not operands:
        return f"*{target} = *{source}"
    number = values.constant(operands[0])
    if number in (0, size):
        return f"*{target} = *{source}" if number else f"*{target} = {word}{{}}"
    every = f"static_cast<void>(*{target} = *{source})"
    clear = f"*{target} = {word}{{}}"
    return _partial(values, operands[0], str(size), every, clear, target, source)


def _copy_of_named_size(
    values: Values, size: str, target: str, source: str, operands: tuple[str, ...]
) -> str:
    """Write a copy whose size is a constant with a name; both sides are aligned to it."""
    operand = values.operand(size)
    if operand is None or operand.constraint not in ("n", "i"):
        raise UntranslatableError("cp.async needs a constant size")
    values.require_repeatable(size)
    bytes_text = values.source(operand)
    to, have = (
        f"__builtin_assume_aligned({strip(text)}, {bytes_text})" for text in (target, source)
    )
    every = f"static_cast<void>(__builtin_memcpy({to}, {have}, {bytes_text}))"
    if not operands:
        return every
    clear = f"__builtin_memset({to}, 0, {bytes_text})"
    return _partial(values, operands[0], bytes_text, every, clear, target, source)


def _partial(  # noqa: PLR0913, PLR0917 - the two ways to copy, and what both need
    values: Values, count: str, size: str, every: str, clear: str, target: str, source: str
) -> str:
    """Write a copy of the first `count` bytes of `size`, the rest of the target zero."""
    values.require_repeatable(count)
    text = values.value(count, "u32")
    first = f"__builtin_memcpy({strip(target)}, {strip(source)}, {strip(text)})"
    return f"{text} == {size} ? {every} : static_cast<void>(({clear}, {first}))"


def atomic(values: Values, ins: Instruction) -> str:
    """Write atom and red with HIP's scoped atomics."""
    kind = ins.opcode[-1]
    parts = set(ins.opcode[1:-1])
    space = _space(parts)
    order, scope = _access(parts, "AGENT")
    operation = next((part for part in parts if part in {*_ATOMICS, "cas", "exch"}), "")
    known = {operation, "L2::cache_hint", "noftz"}
    if not operation or parts - known or kind not in CPP or bits(kind) < 32:  # noqa: PLR2004
        raise UntranslatableError(f"{ins.name} is not supported")
    if kind.endswith("x2") or len(ins.operands) < 2:  # noqa: PLR2004
        raise UntranslatableError(f"{ins.name} is not supported")
    keeps = ins.opcode[0] == "red"
    address, *rest = ins.operands if keeps else ins.operands[1:]
    pointer = values.pointer(address, kind, const=False, space=space)
    texts = [strip(values.value(text, kind)) for text in rest]
    if operation == "cas":
        if order not in ("", "__ATOMIC_RELAXED") or scope not in ("", "AGENT") or len(texts) != 2:  # noqa: PLR2004
            raise UntranslatableError(f"{ins.name} is not supported")
        call = f"atomicCAS({pointer}, {texts[0]}, {texts[1]})"
    else:
        access = f"{order or '__ATOMIC_RELAXED'}, __HIP_MEMORY_SCOPE_{scope or 'AGENT'}"
        name = "exchange" if operation == "exch" else f"fetch_{_ATOMICS[operation]}"
        call = f"__hip_atomic_{name}({pointer}, {texts[0]}, {access})"
    if keeps:
        return f"static_cast<void>({call})"
    return values.assign(ins.operands[0], call, kind)


def prefetch(values: Values, ins: Instruction) -> str:
    """Write prefetches as clang's builtin, which targets without one drop."""
    if len(ins.operands) != 1:
        raise UntranslatableError(f"{ins.name} is not supported")
    pointer = values.pointer(ins.operands[0], "b8", const=True, space="global")
    return f"__builtin_prefetch({pointer})"


def nothing(values: Values, ins: Instruction) -> str:
    """Drop an instruction that only advises the hardware."""
    del values, ins
    return NOTHING


def policy(values: Values, ins: Instruction) -> str:
    """Write a cache policy as 0: the accesses that took it are plain."""
    return values.assign(ins.operands[0], "0", "b64")


EMITTERS: Final[dict[str, Emitter]] = {
    "ld": load,
    "ldu": load,
    "st": store,
    "cp": asynchronous_copy,
    **dict.fromkeys(("atom", "red"), atomic),
    **dict.fromkeys(("prefetch", "prefetchu"), prefetch),
    **dict.fromkeys(("applypriority", "discard", "pmevent"), nothing),
    "createpolicy": policy,
}
__all__ = ["EMITTERS", "NOTHING", "SHARED"]
