"""Which branches a ROCm build of an untouched source leaves out, and what to say of them."""

from collections.abc import Iterator
from typing import Final

from porting.diagnostics import Diagnostic, Severity
from porting.headers.codes import ARCH_GUARD
from porting.rules import Unit
from porting.rules.macros.chains import Arm, lines_of, live_chains, mentions, taken

_ARCH: Final = "__CUDA_ARCH__"
# What no ROCm build defines, and a compat header does not either.
_UNDEFINED: Final = frozenset((_ARCH, "__NVCC__", "__CUDACC_RDC__", "__CUDA_ARCH_LIST__"))
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


def _left_out(unit: Unit) -> Iterator[Arm]:
    for arms in live_chains(unit, _UNDEFINED):
        compiled = taken(unit, arms, _UNDEFINED)
        yield from (arm for arm in arms if arm not in compiled)
