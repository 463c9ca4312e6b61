"""What lane masks are combined with in wave-wide code, and whether it has 64 bits too."""

from collections.abc import Iterator
from typing import Final

from porting.diagnostics import Diagnostic
from porting.edits import Edit
from porting.rules.unit import Unit
from porting.rules.warp.arguments import FULL_32, is_wide_literal
from porting.rules.warp.codes import ESCAPES, UNTOLD_SHIFT, WIDENED
from porting.rules.warp.declarations import declaration_at, wide_type
from porting.rules.warp.flow import Flow, Known
from porting.rules.warp.operands import Met, met_at
from porting.rules.warp.shifts import mask_shifted
from porting.rules.warp.width import integer
from porting.syntax import IDENT, NUMBER, match_bracket

_FULL_64: Final = "0xffffffffffffffffull"
_HELP: Final = "make it unsigned long long, and port its other uses the same way"


def cast_finding(unit: Unit, first: int, last: int) -> Diagnostic:
    """Return the widening of the type `[first, last)` that a mask is cast to."""
    token = unit.tokens[first]
    text = wide_type(unit.tokens.words[first:last])
    edit = Edit(token.start, unit.tokens[last - 1].end, text, token.text)
    return unit.diagnose(WIDENED, token, "a cast of a lane mask gets 64 bits", edits=[edit])


class Combining:
    """Looks at the operands around every mask of one function; each is spoken of once."""

    def __init__(self, unit: Unit, flow: Flow, known: Known) -> None:
        self._unit = unit
        self._tokens = unit.tokens
        self._flow = flow
        self._known = known
        self._spoken: set[int | str] = set()

    def findings(self) -> Iterator[Diagnostic]:
        """Yield one finding for each operand."""
        for place in self._flow.places():
            met = met_at(self._tokens, place, self._flow.function.parameters)
            yield from self._casts(met)
            yield from self._numbers(met)
            yield from self._narrow(met, place)
            yield from self._shifted(met, place)
            yield from self._complement(met, place)

    def _once(self, key: int | str) -> bool:
        fresh = key not in self._spoken
        self._spoken.add(key)
        return fresh

    def _casts(self, met: Met) -> Iterator[Diagnostic]:
        shifts = self._flow.shifts.values()
        for first, last in met.casts:
            is_shifted = any(shift.first <= first < shift.operator for shift in shifts)
            if not is_shifted and self._once(first):
                yield cast_finding(self._unit, first, last)

    def _numbers(self, met: Met) -> Iterator[Diagnostic]:
        """Widen the 32 ones that a mask is cut to by `&`; other operators make them more lanes."""
        for at in met.operands:
            token = self._tokens[at]
            if token.kind != NUMBER or integer(token) != FULL_32 or is_wide_literal(token):
                continue
            if self._tokens[at + 1].text in ("<<", ">>") or not self._once(at):
                continue
            around = (self._tokens[at - 1].text, self._tokens[at + 1].text)
            if "&" in around or around[0] == "&=":
                edit = Edit(token.start, token.end, _FULL_64, token.text)
                message = "the lane mask of every lane gets 64 bits"
                yield self._unit.diagnose(WIDENED, token, message, edits=[edit])
            elif not {"==", "!="} & set(around):
                yield self._escape(at, f"{token.text} has 32 ones")

    def _narrow(self, met: Met, place: int) -> Iterator[Diagnostic]:
        """Report variables and functions of 32 bits that are not widened."""
        for at in met.operands:
            token = self._tokens[at]
            if at == place or token.kind != IDENT or not self._is_narrow(token.text):
                continue
            if self._once(token.text):
                yield self._escape(at, f"'{token.text}' has 32 bits")

    def _is_narrow(self, name: str) -> bool:
        """Whether a name is declared with 32 bits in this function, or as one of this file's."""
        if name in self._flow.variables or name in self._known.functions:
            return False
        function = self._flow.function
        declared = []
        for place in self._unit.where(name):
            around = self._unit.functions.around(place)
            is_own = function.first <= place < function.close
            if is_own or (around is not None and around.name == place):
                declared.append(declaration_at(self._tokens, place))
        found = [declaration for declaration in declared if declaration is not None]
        return bool(found) and not any(d.wide or d.deduced for d in found)

    def _shifted(self, met: Met, place: int) -> Iterator[Diagnostic]:
        """Make `mask << (31 - lane)` count from bit 63, and keep what is shifted out, out."""
        if place in self._flow.shifts:
            return
        behind = place + 1
        if self._tokens[place].kind == IDENT and self._tokens[behind].text == "(":
            behind = (match_bracket(self._tokens, behind) or behind) + 1
        if self._tokens[behind].text not in ("<<", ">>") or not self._once(behind):
            return
        edits = mask_shifted(self._unit, behind)
        if edits:
            token = self._tokens[place]
            message = f"'{token.text}' is shifted within 64 bits"
            yield self._unit.diagnose(WIDENED, token, message, edits=edits)
        elif edits is None or (self._tokens[behind].text == "<<" and not self._is_cut(met)):
            yield self._untold(place)

    def _is_cut(self, met: Met) -> bool:
        """Whether an `&` leaves only lanes that are there."""
        words = set(self._tokens.words[met.first : met.last]) | {self._tokens[met.first - 1].text}
        return not words.isdisjoint(("&", "&="))

    def _untold(self, place: int) -> Diagnostic:
        return self._unit.diagnose(
            UNTOLD_SHIFT,
            self._tokens[place],
            f"'{self._tokens[place].text}' is a lane mask of 64 bits, shifted by a number for"
            " the 32 bits of CUDA's",
            help="compute the amount from the 64 bits of the mask",
        )

    def _complement(self, met: Met, place: int) -> Iterator[Diagnostic]:
        """Report `~mask` that no `&` cuts to the lanes that are there."""
        tokens = self._tokens
        if tokens[place].kind != IDENT or tokens[place - 1].text != "~":
            return
        if not self._is_cut(met) and self._once(place):
            yield self._unit.diagnose(
                ESCAPES,
                tokens[place],
                f"the complement of '{tokens[place].text}' has bits for the lanes 32 to 63, which a"
                " wavefront of 32 lanes lacks",
                help="combine it by & with a mask of the lanes that take part",
            )

    def _escape(self, place: int, why: str) -> Diagnostic:
        return self._unit.diagnose(
            ESCAPES, self._tokens[place], f"a 64-bit lane mask meets 32 bits: {why}", help=_HELP
        )
