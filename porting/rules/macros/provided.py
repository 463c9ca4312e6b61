"""Branches for older GPUs that define a device function, which HIP has or lacks."""

from collections.abc import Iterable, Iterator
from enum import Enum, auto
from typing import Final

from porting.rules.macros.chains import Arm
from porting.rules.unit import Unit
from porting.syntax import IDENT, match_bracket

_DEVICE: Final = "__device__"
_ENDS: Final = frozenset((";", "{", "}"))
_ATTRIBUTES: Final = frozenset(("__attribute__", "__declspec"))
# CUDA has atomics on these types, HIP has none under the same name.
_WITHOUT_ATOMICS: Final = frozenset(
    (
        *("half", "__half", "half2", "__half2", "nv_bfloat16", "__nv_bfloat16"),
        *("nv_bfloat162", "__nv_bfloat162", "c10", "Half", "BFloat16"),
    )
)


class Fallback(Enum):
    """What a branch for older GPUs defines under the name of a function of CUDA."""

    NONE = auto()
    PROVIDED = auto()  # HIP has it too: defining it again is an error, on the host as well
    LACKING = auto()  # HIP has the name, but not for these types


def fallback(unit: Unit, arms: Iterable[Arm]) -> Fallback:
    """Return what the arms define; a function that HIP has counts more than one it lacks."""
    found = {_kind(unit, name, end) for arm in arms for name, end in _device_functions(unit, arm)}
    for kind in (Fallback.PROVIDED, Fallback.LACKING):
        if kind in found:
            return kind
    return Fallback.NONE


def _device_functions(unit: Unit, arm: Arm) -> Iterator[tuple[int, int]]:
    """Yield name and closing bracket of each function that the arm declares for the device."""
    numbers = unit.tokens_in(arm.start, arm.end)
    for number in numbers:
        token = unit.tokens[number]
        if token.text != _DEVICE or token.directive >= 0:
            continue
        for at in range(number + 1, numbers.stop - 1):
            if unit.tokens[at].text in _ENDS:
                break
            if unit.tokens[at].kind == IDENT and unit.tokens[at + 1].text == "(":
                end = match_bracket(unit.tokens, at + 1)
                if end is not None and unit.tokens[at].text not in _ATTRIBUTES:
                    yield at, end
                    break


def _kind(unit: Unit, name: int, end: int) -> Fallback:
    known = unit.names.get(unit.tokens[name].text)
    if known is None or known.kind != "intrinsic" or not known.target:
        return Fallback.NONE
    types = {unit.tokens[at].text for at in range(name + 2, end)}
    if not types.isdisjoint(_WITHOUT_ATOMICS):
        is_atomic = known.name.startswith("atomic")
        return Fallback.LACKING if is_atomic else Fallback.PROVIDED
    return Fallback.PROVIDED
