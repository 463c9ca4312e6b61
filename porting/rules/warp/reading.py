"""What is known of lane masks in a file, read from its functions and macros."""

from dataclasses import replace

from porting.rules.functions import Function
from porting.rules.unit import Unit
from porting.rules.warp.flow import Flow, Known, read_flow
from porting.rules.warp.places import enclosing_call, is_tested
from porting.rules.warp.shifts import Shift, find_shifts
from porting.rules.warp.vocabulary import MASKED, PRODUCERS


def read_masks(unit: Unit, known: Known, *, wave: bool) -> tuple[list[Flow], Known]:
    """Return the flows of a file's functions, and what is known when nothing new is found.

    `known`: what the rest of the tree tells.
    """
    if not wave:
        flows = _flows(unit, known, wave=False)
        has_masks = any(flow.variables for flow in flows)
        return flows, replace(known, shifts=find_shifts(unit)) if has_masks else known
    known = replace(known, shifts=find_shifts(unit))
    while True:
        flows = _flows(unit, known, wave=True)
        found = replace(
            known,
            functions=known.functions.union(
                _mask_macros(unit, known), *(_results(unit, flow) for flow in flows)
            ),
            demanded=known.demanded.union(*(flow.demands for flow in flows)),
        )
        if found == known:
            return flows, known
        known = found


def _flows(unit: Unit, known: Known, *, wave: bool) -> list[Flow]:
    return [read_flow(unit, f, known, wave=wave) for f in _users(unit, known)]


def _results(unit: Unit, flow: Flow) -> set[str]:
    """Return the function, when it returns masks, and its lambdas that do."""
    own = {unit.tokens[flow.function.name].text} if flow.returns else set[str]()
    return own | (flow.lambdas - {""})


def _users(unit: Unit, known: Known) -> list[Function]:
    """Return the functions that make, take or shift masks, or call what returns one."""
    names = (*MASKED, *PRODUCERS, "asm", "__asm__", *known.functions)
    places = [place for name in names for place in unit.where(name)]
    places += [shift.operator for shift in known.shifts]
    found = {
        function
        for place in places
        if (function := unit.functions.around(place)) is not None and not function.is_macro
    }
    return sorted(found, key=lambda f: f.first)


def _mask_macros(unit: Unit, known: Known) -> set[str]:
    """Return the macros of this file whose value is a lane mask."""
    found = {unit.tokens[macro.name].text for macro, _ in macro_shifts(unit, known)}
    for name in PRODUCERS | known.functions:
        for place in unit.where(name):
            macro = unit.functions.around(place)
            if macro is None or not macro.is_macro or place <= macro.name + 1:
                continue
            body = range(macro.first + 1, macro.close + 1)
            if enclosing_call(unit, macro, place) is None and not is_tested(
                unit, body.start, body.stop, place
            ):
                found.add(unit.tokens[macro.name].text)
    return found


def macro_shifts(unit: Unit, known: Known) -> list[tuple[Function, Shift]]:
    """Return the macros and their shifts that make a lane mask: by a lane, or where one is met."""
    found = []
    for shift in known.shifts:
        macro = unit.functions.around(shift.operator)
        if macro is not None and macro.is_macro and macro.name < shift.first:
            name = unit.tokens[macro.name].text
            if shift.by_lane or name in known.demanded or name in known.functions:
                found.append((macro, shift))
    return found
