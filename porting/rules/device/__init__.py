"""Device code: functions, types and abilities that differ between NVIDIA's and AMD's GPUs."""

from collections.abc import Iterator

from porting.diagnostics import Diagnostic
from porting.edits import Edit
from porting.rules.device import (
    averages,
    cache_hints,
    coordinates,
    infinities,
    intrinsics,
    locks,
    narrow_atomics,
    other_results,
    plain_math,
    restrictions,
    scoped_atomics,
    shared_memory,
    surfaces,
    throwing,
)
from porting.rules.device.codes import CODES
from porting.rules.dialect import is_hip_source
from porting.rules.unit import Unit
from porting.syntax import IDENT, call_at

__all__ = ["CODES", "check"]

_NO_CALL = frozenset(("define", "undef", "ifdef", "ifndef", "defined", ".", "->"))
_BEFORE_EXPRESSION = frozenset(("return", "else", "do", "case", "throw", "co_return", "co_yield"))
_RESTRICTIONS = (
    restrictions.device_launches,
    restrictions.textures,
    shared_memory.large_requests,
    restrictions.matrix,
    restrictions.narrow_floats,
    restrictions.attributes,
    locks.spin_locks,
    coordinates.whole_values,
    throwing.throwing,
    other_results.uncalled,
)


def check(unit: Unit) -> Iterator[Edit | Diagnostic]:
    """Yield what device code must do in another way."""
    if is_hip_source(unit):
        return
    for module, names in (
        (scoped_atomics, scoped_atomics.NAMES),
        (cache_hints, cache_hints.NAMES),
        (plain_math, plain_math.NAMES),
        (narrow_atomics, narrow_atomics.NAMES),
        (intrinsics, tuple(intrinsics.names(unit))),
        (surfaces, surfaces.NAMES),
        (other_results, other_results.names(unit)),
        (infinities, infinities.NAMES),
        (averages, averages.names(unit)),
    ):
        for name in filter(unit.index.__contains__, names):
            for place in unit.where(name):
                if _is_call(unit, place):
                    call = call_at(unit.tokens, place)
                    if call is not None and all(a.first < a.last for a in call.arguments):
                        yield from module.rewrite(unit, call)
    for restriction in _RESTRICTIONS:
        yield from restriction(unit)


def _is_call(unit: Unit, place: int) -> bool:
    """Whether a builtin is called here: it is no declaration, member or name of the project's."""
    words = unit.tokens.words
    if words[place - 1] in _NO_CALL or words[place] in unit.project.declared:
        return False
    is_body = words[place - 2 : place - 1] == ["define"]  # of a macro without parameters
    if (
        unit.tokens.kinds[place - 1] == IDENT
        and words[place - 1] not in _BEFORE_EXPRESSION
        and not is_body
    ):
        return False
    function = unit.functions.around(place + 1)
    return function is None or function.name != place
