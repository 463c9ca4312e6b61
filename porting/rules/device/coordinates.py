"""threadIdx and its kin as values: in HIP they are no uint3."""

from collections.abc import Iterator
from typing import Final

from porting.diagnostics import Diagnostic
from porting.edits import Edit
from porting.rules.device.codes import INTRINSIC
from porting.rules.unit import Unit
from porting.syntax import IDENT

_BUILTINS: Final = ("threadIdx", "blockIdx", "blockDim", "gridDim")


def whole_values(unit: Unit) -> Iterator[Diagnostic]:
    """Yield the initializers `uint3 t = threadIdx`, which HIP converts to dim3 only."""
    if not unit.where("uint3"):
        return
    tokens = unit.tokens
    for name in _BUILTINS:
        for place in unit.where(name):
            token, before = tokens[place], tokens[place - 1].text
            after = tokens[place + 1].text if place + 1 < len(tokens) else ""
            if before not in ("=", "(", "{") or after not in (";", ",", ")", "}"):
                continue
            if tokens[place - 2].kind != IDENT or not _is_uint3(unit, place - 2):
                continue
            text = f"make_uint3({name}.x, {name}.y, {name}.z)"
            yield unit.diagnose(
                INTRINSIC,
                token,
                f"{name} is no uint3 in HIP: its parts are written",
                edits=[Edit(token.start, token.end, text, token.text)],
            )


def _is_uint3(unit: Unit, name: int) -> bool:
    """Whether the variable at token `name` is declared here as a uint3, not as a reference."""
    return unit.tokens[name - 1].text == "uint3"
