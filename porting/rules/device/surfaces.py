"""Reads and writes of surfaces in the forms that HIP lacks: a boundary mode, a result."""

from collections.abc import Iterator
from typing import Final

from porting.diagnostics import Diagnostic
from porting.rules.device.calls import CallEdits
from porting.rules.device.codes import SURFACE
from porting.rules.unit import Unit
from porting.syntax import Call, match_angle

# Coordinates of each function, behind the data and the surface.
_COORDINATES: Final = {
    **dict.fromkeys(("surf2Dread", "surf2Dwrite", "surf1DLayeredread", "surf1DLayeredwrite"), 2),
    **dict.fromkeys(("surf3Dread", "surf3Dwrite", "surf2DLayeredread", "surf2DLayeredwrite"), 3),
    **dict.fromkeys(("surfCubemapread", "surfCubemapwrite"), 3),
    **dict.fromkeys(("surfCubemapLayeredread", "surfCubemapLayeredwrite"), 4),
    **dict.fromkeys(("surf1Dread", "surf1Dwrite"), 1),
}
NAMES: Final = tuple(_COORDINATES)
_MODE: Final = "BoundaryMode"


def rewrite(unit: Unit, call: Call) -> Iterator[Diagnostic]:
    """Yield what becomes of one call: without its mode, with a variable for its result."""
    edits = CallEdits(unit, call)
    name = edits.name.text
    has_result = unit.tokens[call.name + 1].text == "<" and name.endswith("read")
    plain = _COORDINATES[name] + (1 if has_result else 2)
    has_mode = len(call.arguments) == plain + 1
    if len(call.arguments) not in (plain, plain + 1) or not (has_result or has_mode):
        return
    said = []
    if has_mode:
        mode = edits.text(plain)
        if _MODE not in mode or mode.endswith("Clamp"):
            yield unit.diagnose(
                SURFACE,
                edits.name,
                f"{name} with the boundary mode {mode}: HIP's has none, reads 0 outside and writes"
                " nothing there",
                help="bring the coordinates into range before, and leave out the mode",
            )
            return
        edits.drop(plain)
        said.append("loses its boundary mode: outside it reads 0 and writes nothing")
    if has_result:
        said.append("reads into a variable: HIP's has no result")
        _with_variable(edits)
    yield edits.note(SURFACE, f"{name} {' and '.join(said)}")


def _with_variable(edits: CallEdits) -> None:
    """Write the call as a function of its own, which gives what was read."""
    tokens, call = edits.tokens, edits.call
    close = match_angle(tokens, call.name + 1) or call.name + 1
    kind = edits.unit.text_of(call.name + 2, close)
    edits.replace(call.name, call.open, f"[&] {{ {kind} value; {edits.name.text}(&value, ")
    edits.after("; return value; }()")
