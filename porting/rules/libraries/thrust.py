"""Thrust: the CUDA back end's namespaces become the HIP back end's; the rest keeps its name."""

from collections.abc import Iterator
from typing import Final

from porting.edits import Edit
from porting.rules.libraries.scopes import aliases, opened, qualifier
from porting.rules.unit import Unit

_INSIDE_THRUST: Final = {
    "cuda": "hip",
    "cuda_cub": "hip_rocprim",
    "cuda_category": "hip_category",
    "cuda_errc": "hip_errc",
}
_MACROS: Final = {
    "THRUST_DEVICE_SYSTEM_CUDA": "THRUST_DEVICE_SYSTEM_HIP",
    "THRUST_DEVICE_BACKEND_CUDA": "THRUST_DEVICE_BACKEND_HIP",
    "__THRUST_HAS_CUDART__": "__THRUST_HAS_HIPRT__",
}
_POLICIES: Final = frozenset(("par", "par_nosync"))


def check_thrust(unit: Unit) -> Iterator[Edit]:
    """Yield the renames of the CUDA back end."""
    for name, target in _INSIDE_THRUST.items():
        for number in unit.where(name):
            if is_thrust(unit, number):
                token = unit.tokens[number]
                yield Edit(token.start, token.end, target, f"thrust::{name}")
    for name, target in _MACROS.items():
        for number in unit.where(name):
            token = unit.tokens[number]
            yield Edit(token.start, token.end, target, name)


def is_thrust(unit: Unit, number: int) -> bool:
    """Whether a name of the CUDA back end stands in namespace thrust here."""
    outer = qualifier(unit, number)
    if outer == "system":
        outer = qualifier(unit, number - 2) or "thrust" * opened(unit, "thrust")
    if outer:
        return outer == "thrust" or outer in aliases(unit, "thrust")
    if unit.tokens[number].text == "cuda" and opened(unit, "thrust"):
        following = [t.text for t in unit.tokens[number + 1 : number + 3]]
        return len(following) == 2 and following[0] == "::" and following[1] in _POLICIES  # noqa: PLR2004
    return False
