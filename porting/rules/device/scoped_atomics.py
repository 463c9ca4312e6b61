"""atomicXxx_block and the _system forms that HIP lacks."""

from collections.abc import Iterator
from typing import Final

from porting.diagnostics import Diagnostic
from porting.rules.device.calls import CallEdits
from porting.rules.device.codes import ATOMIC_SCOPE
from porting.rules.unit import Unit
from porting.syntax import Call

_BLOCK: Final = "__ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP"
_FETCH: Final = {
    "atomicAdd_block": "__hip_atomic_fetch_add",
    "atomicSub_block": "__hip_atomic_fetch_sub",
    "atomicMin_block": "__hip_atomic_fetch_min",
    "atomicMax_block": "__hip_atomic_fetch_max",
    "atomicAnd_block": "__hip_atomic_fetch_and",
    "atomicOr_block": "__hip_atomic_fetch_or",
    "atomicXor_block": "__hip_atomic_fetch_xor",
    "atomicExch_block": "__hip_atomic_exchange",
}
# No builtin with a result of this form: device scope holds for the block as well.
_WIDER: Final = {
    "atomicCAS_block": "atomicCAS",
    "atomicInc_block": "atomicInc",
    "atomicDec_block": "atomicDec",
}
# Scope "" is the system's.
_SYSTEM: Final = {
    "atomicInc_system": "__builtin_amdgcn_atomic_inc32",
    "atomicDec_system": "__builtin_amdgcn_atomic_dec32",
}
NAMES: Final = (*_FETCH, *_WIDER, *_SYSTEM)


def rewrite(unit: Unit, call: Call) -> Iterator[Diagnostic]:
    """Yield the rewrite of one scoped atomic."""
    edits = CallEdits(unit, call)
    name = edits.name.text
    if name in _WIDER:
        edits.rename(_WIDER[name])
        message = f"{name} becomes {_WIDER[name]}, whose device scope includes the block"
    elif name in _FETCH:
        edits.rename(_FETCH[name])
        edits.append(f", {_BLOCK}")
        message = f"{name} becomes {_FETCH[name]} of work-group scope"
    else:
        edits.rename(_SYSTEM[name])
        edits.append(', __ATOMIC_RELAXED, ""')
        message = f"{name} becomes {_SYSTEM[name]} of system scope"
    yield edits.done(ATOMIC_SCOPE, message)
