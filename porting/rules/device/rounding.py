"""Arithmetic with a directed rounding, which clang's HIP headers hide behind a macro."""

from collections.abc import Iterator
from typing import Final

from porting.diagnostics import Diagnostic
from porting.rules.device.calls import CallEdits
from porting.rules.device.codes import INTRINSIC, INTRINSIC_UNKNOWN
from porting.rules.unit import Unit
from porting.syntax import Call

_TO: Final = {"rd": "rtn", "ru": "rtp", "rz": "rtz"}
_OPERATIONS: Final = ("add", "sub", "mul")
# AMD's device library declares these and has no code for them.
_ABSENT: Final = ("div", "rcp", "sqrt")
_WRITTEN: Final = {
    **{
        f"__{kind}{operation}_{mode}": f"__ocml_{operation}_{to}_{width}"
        for kind, width in (("f", "f32"), ("d", "f64"))
        for operation in _OPERATIONS
        for mode, to in _TO.items()
    },
    **{f"__fmaf_{mode}": f"__ocml_fma_{to}_f32" for mode, to in _TO.items()},
    **{f"__fma_{mode}": f"__ocml_fma_{to}_f64" for mode, to in _TO.items()},
}
_UNWRITTEN: Final = tuple(
    f"__{kind}{operation}_{mode}" for kind in "fd" for operation in _ABSENT for mode in _TO
)
NAMES: Final = (*_WRITTEN, *_UNWRITTEN)


def rewrite(unit: Unit, call: Call) -> Iterator[Diagnostic]:
    """Yield the rewrite of one call, or say that nothing computes it."""
    edits = CallEdits(unit, call)
    name = edits.name.text
    if name in _WRITTEN:
        edits.rename(_WRITTEN[name])
        yield edits.done(
            INTRINSIC,
            f"{name} becomes {_WRITTEN[name]}: HIP declares {name} only with"
            " OCML_BASIC_ROUNDED_OPERATIONS",
        )
        return
    wider = "compute in double and convert with __double2float_" + name[-2:]
    yield edits.done(
        INTRINSIC_UNKNOWN,
        f"{name}: AMD's device library has no division or root with this rounding",
        f"{wider}, or round to nearest" if name[2] == "f" else "round to nearest",
    )
