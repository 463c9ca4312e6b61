"""PTX barriers, fences, votes, shuffles and traps as HIP's functions."""

from typing import Final

from porting.rules.ptx.integers import Emitter
from porting.rules.ptx.memory import NOTHING
from porting.rules.ptx.template import Instruction
from porting.rules.ptx.values import UntranslatableError, Values, strip

_FENCES: Final = {
    ("membar", "cta"): "__threadfence_block()",
    ("membar", "gl"): "__threadfence()",
    ("membar", "sys"): "__threadfence_system()",
}
_SCOPED: Final = {
    "cta": "__threadfence_block()",
    "gpu": "__threadfence()",
    "sys": "__threadfence_system()",
}
_SHUFFLES: Final = {
    "up": ("__shfl_up", 0x0),
    "down": ("__shfl_down", 0x1F),
    "bfly": ("__shfl_xor", 0x1F),
    "idx": ("__shfl", 0x1F),
}
_FIRST_SYNCWARP: Final = (7, 0)
WAVE_BARRIER: Final = (
    '(__builtin_amdgcn_fence(__ATOMIC_RELEASE, "wavefront"), __builtin_amdgcn_wave_barrier(),'
    ' __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "wavefront"))'
)


def fence(values: Values, ins: Instruction) -> str:
    """Write membar and fence."""
    del values
    if ins.opcode in _FENCES:
        return _FENCES[ins.opcode]
    if ins.opcode[0] == "fence" and ins.opcode[1] in ("acq_rel", "sc") and len(ins.opcode) == 3:  # noqa: PLR2004
        text = _SCOPED.get(ins.opcode[2])
        if text is not None:
            return text
    raise UntranslatableError(f"{ins.name} is not supported")


def barrier(values: Values, ins: Instruction) -> str:
    """Write the barrier of the whole block, and that of a warp."""
    if ins.opcode[:3] == ("bar", "warp", "sync"):
        return "__syncwarp()" if values.release >= _FIRST_SYNCWARP else WAVE_BARRIER
    plain = ins.opcode in (("bar", "sync"), ("barrier", "sync"), ("barrier", "sync", "aligned"))
    cta = ins.opcode in (("bar", "cta", "sync"), ("barrier", "cta", "sync"))
    if (plain or cta) and len(ins.operands) == 1 and values.constant(ins.operands[0]) == 0:
        return "__syncthreads()"
    raise UntranslatableError("a barrier for part of a block has no counterpart")


def shuffle(values: Values, ins: Instruction) -> str:
    """Write shfl.sync over 32 lanes."""
    if len(ins.opcode) != 4 or ins.opcode[1] != "sync" or len(ins.operands) != 5:  # noqa: PLR2004
        raise UntranslatableError(f"{ins.name} is not supported")
    function, clamp = _SHUFFLES.get(ins.opcode[2], ("", 0))
    if not function or values.constant(ins.operands[3]) != clamp:
        raise UntranslatableError(f"{ins.name} is supported over 32 lanes only")
    kind = "u32"
    source = strip(values.value(ins.operands[1], kind))
    lane = strip(values.value(ins.operands[2], "u32"))
    return values.assign(ins.operands[0], f"{function}({source}, {lane}, 32)", kind)


def active_mask(values: Values, ins: Instruction) -> str:
    """Write activemask: the caller's half of the wavefront in 32-lane code."""
    if len(ins.operands) != 1:
        raise UntranslatableError(f"{ins.name} is not supported")
    text = "__ballot(1)"
    if values.logical:
        text = "static_cast<unsigned>(__ballot(1) >> (__lane_id() & 32))"
    return values.assign(ins.operands[0], text, "u32")


def stop(values: Values, ins: Instruction) -> str:
    """Write trap and brkpt."""
    del values
    return {"trap": "__builtin_trap()", "brkpt": "__builtin_debugtrap()"}[ins.opcode[0]]


def sleep(values: Values, ins: Instruction) -> str:
    """Write nanosleep as one s_sleep, 64 clock cycles a step; the time was never exact."""
    number = values.constant(ins.operands[0]) if ins.operands else None
    steps = 1 if number is None else max(1, min(127, number // 40))
    return f"__builtin_amdgcn_s_sleep({steps})"


def dependency(values: Values, ins: Instruction) -> str:
    """Drop griddepcontrol: without programmatic launches a kernel waits for the one before."""
    del values
    if ins.opcode[1:] in (("wait",), ("launch_dependents",)):
        return NOTHING
    raise UntranslatableError(f"{ins.name} is not supported")


EMITTERS: Final[dict[str, Emitter]] = {
    **dict.fromkeys(("membar", "fence"), fence),
    **dict.fromkeys(("bar", "barrier"), barrier),
    "shfl": shuffle,
    "activemask": active_mask,
    **dict.fromkeys(("trap", "brkpt"), stop),
    "nanosleep": sleep,
    "griddepcontrol": dependency,
}
