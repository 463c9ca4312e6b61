"""Where the lane masks of a function come from and where they go, read from its tokens."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from porting.rules.functions import Function
from porting.rules.unit import Unit
from porting.rules.warp.declarations import Declaration, declaration_at
from porting.rules.warp.lambdas import lambda_around
from porting.rules.warp.operands import met_at
from porting.rules.warp.places import (
    ASSIGNMENTS,
    assigned_name,
    enclosing_call,
    is_mask_argument,
    target_of,
)
from porting.rules.warp.shifts import Shift
from porting.rules.warp.vocabulary import LOSE_MASKS, MASKED, PRODUCERS
from porting.syntax import IDENT, STRING, call_at, statement_end


@dataclass(slots=True)
class MaskVariable:
    """A variable of one function that holds lane masks, and its token places."""

    name: str
    declaration: Declaration | None
    uses: list[int] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of lane masks beyond one function.

    `functions`: functions and macros whose value is a lane mask.  `demanded`: names that are
    combined with one.  `shifts`: the shifts of the file that may make one.
    """

    functions: frozenset[str] = frozenset()
    demanded: frozenset[str] = frozenset()
    shifts: tuple[Shift, ...] = ()

    def shifts_in(self, function: Function) -> list[Shift]:
        """Return the shifts of a function's body."""
        return [s for s in self.shifts if function.parameters < s.first < function.close]


@dataclass(slots=True)
class Flow:
    """The mask variables of one function, and whether it or its named lambdas return masks.

    `shifts`: those of its shifts that make masks, by their first token.  `met`: its own variables
    that masks are combined with, and where.  `demands`: names from elsewhere that are.
    """

    function: Function
    variables: dict[str, MaskVariable] = field(default_factory=dict)
    returns: bool = False
    lambdas: set[str] = field(default_factory=set)
    shifts: dict[int, Shift] = field(default_factory=dict)
    met: dict[str, int] = field(default_factory=dict)
    demands: dict[str, int] = field(default_factory=dict)
    sources: list[int] = field(default_factory=list)

    def places(self) -> Iterator[int]:
        """Yield where masks are made or used: the tokens of names, the first ones of shifts."""
        yield from self.sources
        for variable in self.variables.values():
            yield from (use for use in variable.uses if use > self.function.parameters)
        yield from self.shifts


def read_flow(unit: Unit, function: Function, known: Known, *, wave: bool) -> Flow:
    """Find the variables of a function that hold lane masks, directly or derived from others.

    `wave`: include the masks that *_sync calls are given and the shifts that make masks.
    """
    flow = Flow(function, sources=list(_sources(unit, function, known.functions)))
    _follow(unit, flow, list(flow.sources))
    if wave:
        for name in _given_masks(unit, function):
            _add(unit, flow, name)
        _Meetings(unit, flow, known).run()
    return flow


class _Meetings:
    """Finds what the masks of a function are combined with, until nothing is added."""

    def __init__(self, unit: Unit, flow: Flow, known: Known) -> None:
        self._unit = unit
        self._flow = flow
        self._shifts = known.shifts_in(flow.function)
        self._demanded = known.demanded

    def run(self) -> None:
        """Add variables, shifts and demands to the flow."""
        self._take(shift for shift in self._shifts if shift.by_lane)
        seen: set[int] = set()
        while True:
            fresh = [place for place in self._flow.places() if place not in seen]
            seen.update(fresh)
            for place in fresh:
                self._meet(place)
            self._take(shift for shift in self._shifts if self._reaches_mask(shift))
            if not fresh:
                break

    def _take(self, shifts: Iterable[Shift]) -> None:
        fresh = [shift for shift in shifts if shift.first not in self._flow.shifts]
        self._flow.shifts.update((shift.first, shift) for shift in fresh)
        _follow(self._unit, self._flow, [shift.operator for shift in fresh])

    def _meet(self, place: int) -> None:
        """Take the shifts and variables that are combined with the mask at a place."""
        unit, flow = self._unit, self._flow
        met = met_at(unit.tokens, place, flow.function.parameters)
        self._take(shift for shift in self._shifts if shift.is_among(met.operands))
        for at in met.operands:
            token = unit.tokens[at]
            if token.kind != IDENT or token.text in flow.variables:
                continue
            declaration = _declaration(unit, flow.function, token.text)
            if declaration is None:
                flow.demands.setdefault(token.text, at)
            elif declaration.name < flow.function.parameters and not declaration.deduced:
                _add(unit, flow, token.text)
            elif token.text not in flow.met:
                flow.met[token.text] = at
                self._meet_values(token.text)

    def _meet_values(self, name: str) -> None:
        """Meet what a variable that is combined with masks gets its values from."""
        tokens, function = self._unit.tokens, self._flow.function
        for use in self._unit.where(name):
            if function.parameters < use < function.close:
                after = tokens[use + 1].text
                initializes = after in ("(", "{") and declaration_at(tokens, use) is not None
                if initializes or after in ASSIGNMENTS:
                    self._meet(use + 2)

    def _reaches_mask(self, shift: Shift) -> bool:
        """Whether a shift's value goes into a mask, a demanded variable, or a demanded result."""
        target = target_of(self._unit, self._flow.function, shift.operator)
        if target is None:
            name = assigned_name(self._unit, shift.operator)
            return self._is_demanded(name) or self._is_sync_mask(shift)
        name = self._unit.tokens[target].text
        if name != "return":
            is_met = name in self._flow.variables or name in self._flow.met
            is_own = _declaration(self._unit, self._flow.function, name) is not None
            return is_met or (not is_own and self._is_demanded(name))
        own = lambda_around(self._unit, self._flow.function, target)
        if own is not None:
            return own in self._flow.met or own in self._flow.demands
        function = self._unit.tokens[self._flow.function.name].text
        return self._flow.returns or function in self._demanded

    def _is_demanded(self, name: str) -> bool:
        return name in self._demanded or name in self._flow.demands

    def _is_sync_mask(self, shift: Shift) -> bool:
        call = enclosing_call(self._unit, self._flow.function, shift.operator)
        return call is not None and is_mask_argument(self._unit, call, shift.operator)


def _follow(unit: Unit, flow: Flow, pending: list[int]) -> None:
    """Add the variables that the expressions at `pending` flow into, and so on."""
    while pending:
        place = pending.pop()
        target = target_of(unit, flow.function, place)
        if target is None:
            continue
        name = unit.tokens[target].text
        if name == "return":
            lambda_name = lambda_around(unit, flow.function, target)
            if lambda_name is None:
                flow.returns = True
            else:
                flow.lambdas.add(lambda_name)
        elif name not in flow.variables:
            variable = _add(unit, flow, name)
            pending += [
                use for use in variable.uses if enclosing_call(unit, flow.function, use) is None
            ]


def _add(unit: Unit, flow: Flow, name: str) -> MaskVariable:
    function = flow.function
    uses = [use for use in unit.where(name) if function.first <= use <= function.close]
    variable = MaskVariable(name, _declaration(unit, function, name), uses)
    flow.variables[name] = variable
    return variable


def _given_masks(unit: Unit, function: Function) -> Iterator[str]:
    """Yield the local variables and parameters that *_sync calls get as their mask."""
    for builtin in MASKED - LOSE_MASKS:
        for place in unit.where(builtin):
            if function.parameters < place < function.close:
                call = call_at(unit.tokens, place)
                if call is None or not call.arguments:
                    continue
                mask = call.arguments[0]
                name = unit.tokens[mask.first]
                if mask.last - mask.first == 1 and name.kind == IDENT:
                    declaration = _declaration(unit, function, name.text)
                    if declaration is not None and not declaration.deduced:
                        yield name.text


def _sources(unit: Unit, function: Function, mask_functions: frozenset[str]) -> Iterator[int]:
    """Yield the places in a function where a mask comes into being."""
    for name in PRODUCERS | mask_functions:
        for place in unit.where(name):
            is_inside = function.parameters < place < function.close
            if is_inside and declaration_at(unit.tokens, place) is None:
                yield place
    for name in ("asm", "__asm__"):
        for place in unit.where(name):
            if function.parameters < place < function.close:
                yield from _asm_outputs(unit, place)


def _asm_outputs(unit: Unit, place: int) -> Iterator[int]:
    """Yield the output operand of an asm statement that reads a lane mask register."""
    tokens = unit.tokens
    end = min(statement_end(tokens, place), place + 40)
    texts = [at for at in range(place, end) if tokens.kinds[at] == STRING]
    if not texts or "lanemask_" not in tokens[texts[0]].text:
        return
    for at in texts[1:]:
        if "=" in tokens[at].text and tokens[at + 1].text == "(" and tokens[at + 3].text == ")":
            yield at + 2


def _declaration(unit: Unit, function: Function, name: str) -> Declaration | None:
    for place in unit.where(name):
        if function.first <= place <= function.close:
            declaration = declaration_at(unit.tokens, place)
            if declaration is not None:
                return declaration
    return None
