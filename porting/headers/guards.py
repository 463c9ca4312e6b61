"""Which branches a ROCm build of an untouched source leaves out, and what to say of them."""

import re
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from typing import Final

from porting.diagnostics import Diagnostic, Severity
from porting.headers.codes import ARCH_GUARD, WAVEFRONT
from porting.rules import Unit
from porting.rules.macros.chains import Arm, lines_of, live_chains, mentions, taken
from porting.syntax import Side

_ARCH: Final = "__CUDA_ARCH__"
# What no ROCm build defines, and a compat header does not either.
_UNDEFINED: Final = frozenset((_ARCH, "__NVCC__", "__CUDACC_RDC__", "__CUDA_ARCH_LIST__"))
_WARP: Final = re.compile(r"warpSize|__(?:\w+_sync|activemask|syncwarp|shfl\w*|ballot|any|all)")
_ASM: Final = frozenset(("asm", "__asm__", "__asm"))
_HELP: Final = (
    "ask for the device by defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__) where the"
    " branch is for AMD GPUs too"
)


def lines_left_out(unit: Unit) -> frozenset[int]:
    """Return the lines that no ROCm build of the untouched source compiles."""
    return frozenset(line for arm in _left_out(unit) for line in lines_of(unit, arm))


def arch_guards(unit: Unit) -> Iterator[Diagnostic]:
    """Yield a finding for every condition that leaves a branch out of ROCm builds.

    A branch with inline assembly is guarded for that; of another one nobody knows.
    """
    for arms in live_chains(unit, {_ARCH}):
        compiled = taken(unit, arms, _UNDEFINED)
        for arm in arms:
            places = mentions(unit, arm, {_ARCH})
            if places and arm not in compiled:
                has_ptx = any(
                    unit.tokens[n].text in _ASM for n in unit.tokens_in(arm.start, arm.end)
                )
                text = f"{_ARCH} stays undefined in ROCm builds, which leave this branch out"
                yield unit.diagnose(
                    ARCH_GUARD,
                    unit.tokens[places[0]],
                    text,
                    help="" if has_ptx else _HELP,
                    severity=Severity.NOTE if has_ptx else None,
                )


def counted_in_wavefronts(unit: Unit, used: AbstractSet[str]) -> Iterator[Diagnostic]:
    """Yield where a branch for ROCm uses warp functions, which the header makes 32 lanes wide.

    `used`: what the header may provide; warp functions among it matter.
    """
    warps = {name for name in used if _WARP.fullmatch(name)}
    for branch in unit.conditionals.one_sided():
        if branch.side is not Side.ROCM:
            continue
        for number in unit.tokens_in(branch.start, branch.end):
            token = unit.tokens[number]
            if token.text in warps and unit.tokens[number - 1].text not in (".", "->"):
                text = f"this branch is for ROCm, and the compat header gives {token.text} 32 lanes"
                yield unit.diagnose(
                    WAVEFRONT,
                    token,
                    text,
                    help="drop the branch, as the one for CUDA holds; or use __lane_id(),"
                    " __ballot64() and __builtin_amdgcn_* functions, which stay HIP's",
                )


def _left_out(unit: Unit) -> Iterator[Arm]:
    for arms in live_chains(unit, _UNDEFINED):
        compiled = taken(unit, arms, _UNDEFINED)
        yield from (arm for arm in arms if arm not in compiled)
