"""What one function's lane masks need to be 64 bits wide, and where they go too far to follow."""

from collections.abc import Iterator
from typing import Final

from porting.diagnostics import Diagnostic
from porting.edits import Edit
from porting.rules.unit import Unit
from porting.rules.warp.arguments import FULL_32, constant_value, literal_value
from porting.rules.warp.codes import ESCAPES, UNTOLD_SHIFT, WIDENED
from porting.rules.warp.combining import Combining
from porting.rules.warp.declarations import Declaration, declaration_at, widen
from porting.rules.warp.flow import Flow, Known, MaskVariable
from porting.rules.warp.operands import met_at
from porting.rules.warp.places import (
    enclosing_call,
    expression_start,
    is_mask_argument,
    is_sole_declarator,
    is_tested,
    target_of,
)
from porting.rules.warp.results import trailing_type
from porting.rules.warp.shifts import Shift, widened
from porting.rules.warp.shuffles import SHUFFLES
from porting.rules.warp.vocabulary import COUNTERS
from porting.rules.warp.width import Widths, integer
from porting.syntax import IDENT, NUMBER, call_at, statement_end

_FULL_64: Final = "0xffffffffffffffffull"
_COMPARISONS: Final = frozenset(("==", "!=", "<", ">", "<=", ">="))
_TESTS: Final = frozenset(("if", "while", "switch", "bool", "assert", "__builtin_expect"))
_FROM_TOP: Final = {31: "63", 32: "64"}
_SEE_THE_SIGN: Final = _COMPARISONS | {"|", "^"}
_ORDER_OF_BITS: Final = frozenset(("__clz", "__brev", "__builtin_clz"))
_HEADERS: Final = frozenset((".cuh", ".hu", ".h", ".hpp", ".hh", ".hxx", ".inl", ".inc"))


def full_literal(unit: Unit, first: int) -> Edit:
    """Return the edit that makes the full mask at token `first` 64 bits wide."""
    tokens = unit.tokens
    while tokens[first].text == "(":
        first += 1
    last = first + (1 if tokens[first].text in ("~", "-") else 0)
    return Edit(tokens[first].start, tokens[last].end, _FULL_64, tokens[first].text)


def _is_full_constant(unit: Unit, name: str) -> bool:
    return any(constant_value(unit, place) == FULL_32 for place in unit.where(name))


def shift_finding(unit: Unit, shift: Shift) -> Diagnostic:
    """Return the finding of a shift that makes a lane mask: its widening, or that none is sure."""
    token = unit.tokens[shift.first]
    edits = widened(unit, shift)
    if edits is not None:
        return unit.diagnose(WIDENED, token, "a shifted lane bit gets 64 bits", edits=edits)
    text = unit.text_of(shift.first, shift.end)
    return unit.diagnose(
        UNTOLD_SHIFT,
        token,
        f"'{text}' makes a lane mask in 32 bits, and its amount does not tell which in 64",
        help="compute it in unsigned long long, with a bit for each of the wavefront's lanes",
    )


class Widening:
    """Decides for the mask variables of one function."""

    def __init__(self, unit: Unit, widths: Widths, flow: Flow, known: Known) -> None:
        self.unit = unit
        self.tokens = unit.tokens
        self.flow = flow
        self.function = flow.function
        self.logical = widths.logical
        self.known = known
        self.counted: set[int] = set()

    def findings(self) -> Iterator[Diagnostic]:
        """Yield one finding per variable, counter call, shift and escape."""
        wide = [v for v in self.flow.variables.values() if not self.logical or self._is_safe(v)]
        for variable in wide:
            yield from self._declaration(variable)
            for use in variable.uses:
                yield from self._use(variable.name, use)
                if self.logical and use > self.function.parameters:
                    yield from self._shifted_bits(use)
        if self.logical:
            return
        if self.flow.returns:
            yield from self._result()
        for place in self.flow.sources:
            if self.tokens[place].text not in self.flow.variables:
                yield from self._use(self.tokens[place].text, place)
        for shift in self.flow.shifts.values():
            yield shift_finding(self.unit, shift)
            yield from self._use(self.unit.text_of(shift.first, shift.end), shift.operator)
        yield from Combining(self.unit, self.flow, self.known).findings()

    def _is_safe(self, variable: MaskVariable) -> bool:
        """Whether 32-lane code computes the same when the variable has 64 bits.

        Its upper half is zero, so only operators that set it (~, <<, -) and callees whose
        parameter types are not known could tell.
        """
        declaration = variable.declaration
        if declaration is None or declaration.name < self.function.parameters:
            return False
        if declaration.wide or declaration.deduced:
            return False
        if not is_sole_declarator(self.unit, declaration):
            return False
        return all(self._is_safe_use(use) for use in variable.uses)

    def _is_safe_use(self, use: int) -> bool:
        before, after = self.tokens[use - 1].text, self.tokens[use + 1].text
        if before in ("~", "-", "<<", "[") or after in ("<<", "<<=", "++", "--", "[", "*"):
            return False
        if before == "&" and self.tokens[use - 2].text in ("(", ",", "=", "return"):
            return False  # its address
        if after in _SEE_THE_SIGN and not self._is_unsigned(use + 2):
            return False
        if before in _SEE_THE_SIGN and not self._is_unsigned(use - 2):
            return False
        call = enclosing_call(self.unit, self.function, use)
        if call is None or is_mask_argument(self.unit, call, use):
            return True
        name = self.tokens[call].text
        return name in COUNTERS

    def _is_unsigned(self, place: int) -> bool:
        """Whether the operand at `place` is no negative int, which 64 bits would tell apart."""
        token = self.tokens[place]
        if token.kind == NUMBER:
            return self.tokens[place - 1].text not in ("-", "~")
        if token.kind != IDENT or token.text in self.flow.variables:
            return token.kind == IDENT
        for at in self.unit.where(token.text):
            declaration = declaration_at(self.tokens, at)
            if declaration is not None and not declaration.deduced:
                words = self.tokens.words[declaration.first : declaration.last]
                return words[-1].startswith("u") or "unsigned" in words
            if self.tokens[at - 1].text == "define":
                return self.tokens[at + 1].kind == NUMBER
        return False

    def _declaration(self, variable: MaskVariable) -> Iterator[Diagnostic]:
        declaration = variable.declaration
        if declaration is None:
            if not self.logical:
                place = variable.uses[0]
                yield self._escape(place, f"'{variable.name}' is not declared in this function")
            return
        if declaration.wide or declaration.deduced:
            return
        if not is_sole_declarator(self.unit, declaration):
            yield self._escape(
                declaration.name, f"'{variable.name}' is declared together with other variables"
            )
            return
        name = self.tokens[declaration.name]
        edits = [widen(self.tokens, declaration)]
        if constant_value(self.unit, declaration.name) == FULL_32:
            edits.append(full_literal(self.unit, declaration.name + 2))
        if declaration.name < self.function.parameters:
            edits += self._full_arguments(declaration)
            if self.unit.source.suffix in _HEADERS:
                callers = "callers in other files must pass 64 bits"
                yield self._escape(declaration.name, f"parameter '{variable.name}': {callers}")
        yield self.unit.diagnose(
            WIDENED, name, f"the lane mask '{variable.name}' gets 64 bits", edits=edits
        )

    def _full_arguments(self, declaration: Declaration) -> Iterator[Edit]:
        """Widen the full masks that calls pass to this parameter."""
        tokens = self.tokens
        commas = range(self.function.name, declaration.name)
        number = sum(tokens[at].text == "," for at in commas)
        for call in self.unit.calls(tokens[self.function.name].text):
            if call.name == self.function.name or len(call.arguments) <= number:
                continue
            argument = call.arguments[number]
            if literal_value(tokens, argument.first) == FULL_32:
                yield full_literal(self.unit, argument.first)

    def _use(self, name: str, use: int) -> Iterator[Diagnostic]:
        if use <= self.function.parameters:
            return
        call = enclosing_call(self.unit, self.function, use)
        if call is not None:
            if self.tokens[call].text in COUNTERS:
                yield from self._counter(call)
            elif not self.logical and not self._takes_masks(call, use):
                callee = self.tokens[call].text
                yield self._escape(use, f"'{name}' is passed to {callee}, which may take 32 bits")
        elif not self.logical:
            yield from self._plain_use(name, use)

    def _takes_masks(self, call: int, use: int) -> bool:
        name = self.tokens[call].text
        return (
            is_mask_argument(self.unit, call, use)
            or name in SHUFFLES
            or name in self.known.functions
            or call == use
        )

    def _plain_use(self, name: str, use: int) -> Iterator[Diagnostic]:
        """Report a comparison with a 32-bit constant, or a store that cuts the mask."""
        tokens = self.tokens
        after = tokens[use + 1].text
        if after in ("==", "!="):
            operand = tokens[use + 2]
            value = integer(operand)
            if value not in (None, 0, 1) or _is_full_constant(self.unit, operand.text):
                yield self._escape(
                    use, f"'{name}' is compared with {operand.text}, which has 32 or 64 ones"
                )
        if tokens[use].text in self.flow.variables:
            if tokens[use - 1].text == "=" and tokens[use - 2].text in ("]", ")"):
                yield self._escape(use, f"'{name}' is stored where 32 bits may be expected")
        elif after != ";" or tokens[use - 1].text not in (";", "{", "}"):
            yield from self._value(name, use)

    def _value(self, name: str, use: int) -> Iterator[Diagnostic]:
        """Report a mask made here that is neither kept in a mask variable nor tested."""
        start = expression_start(self.unit, use)
        end = statement_end(self.tokens, start)
        is_condition = self.tokens[start - 1].text == "(" and self.tokens[start - 2].text in _TESTS
        if is_condition or is_tested(self.unit, start, end, use):
            return
        if target_of(self.unit, self.function, use) is None:
            yield self._escape(use, f"the mask of '{name}' goes where 32 bits may be expected")

    def _shifted_bits(self, use: int) -> Iterator[Diagnostic]:
        """Give 64 bits to the lane bits that a mask of one 32-lane warp is combined with."""
        met = met_at(self.tokens, use, self.function.parameters)
        for shift in self.known.shifts_in(self.function):
            token = self.tokens[shift.first]
            is_bit = shift.value != FULL_32 and token.kind == NUMBER
            if is_bit and shift.is_among(met.operands) and shift.first not in self.counted:
                self.counted.add(shift.first)
                edit = Edit(token.start, token.end, f"{shift.value}ull", token.text)
                message = "a shifted lane bit gets 64 bits"
                yield self.unit.diagnose(WIDENED, token, message, edits=[edit])

    def _counter(self, name: int) -> Iterator[Diagnostic]:
        """Rename a bit-counting call to its 64-bit form."""
        call = call_at(self.tokens, name)
        if call is None or name in self.counted:
            return
        self.counted.add(name)
        token = self.tokens[name]
        if self.logical and not self._counts_alike(name, call.close):
            return
        edits = [Edit(token.start, token.end, COUNTERS[token.text], token.text)]
        if token.text in _ORDER_OF_BITS:
            top = self.tokens[name - 2]
            replaced = _FROM_TOP.get(integer(top) or 0)
            if self.tokens[name - 1].text == "-" and replaced and token.text != "__brev":
                edits.append(Edit(top.start, top.end, replaced, token.text))
            else:
                yield self._escape(name, f"{token.text} counts from bit 31 of a lane mask")
        after = self.tokens[call.close + 1]
        if after.text in _COMPARISONS and integer(self.tokens[call.close + 2]) in (31, 32):
            yield self._escape(name, "its bits are compared with the 32 lanes of CUDA's warp")
        message = f"{token.text} of a lane mask becomes {COUNTERS[token.text]}"
        yield self.unit.diagnose(WIDENED, token, message, edits=edits)

    def _counts_alike(self, name: int, close: int) -> bool:
        """Whether the 64-bit form gives the same for a mask whose upper half is zero."""
        if self.tokens[name].text in _ORDER_OF_BITS or self.tokens[name].text == "__fns":
            return False
        for at in range(name, close):
            text = self.tokens[at].text
            if text == "~" or (text == "-" and integer(self.tokens[at + 1]) != 1):
                return False
        return True

    def _result(self) -> Iterator[Diagnostic]:
        """Widen the function's result type."""
        declaration = declaration_at(self.tokens, self.function.name)
        name = self.tokens[self.function.name]
        if declaration is None:
            yield self._escape(self.function.name, f"{name.text} returns a lane mask")
            return
        if declaration.deduced:
            edit = trailing_type(self.unit, self.function.parameters, self.function.open)
        else:
            edit = None if declaration.wide else widen(self.tokens, declaration)
        if edit is not None:
            message = f"the lane mask that {name.text} returns gets 64 bits"
            yield self.unit.diagnose(WIDENED, name, message, edits=[edit])

    def _escape(self, place: int, why: str) -> Diagnostic:
        return self.unit.diagnose(
            ESCAPES,
            self.tokens[place],
            f"a 64-bit lane mask meets 32 bits: {why}",
            help="make it unsigned long long, and port its other uses the same way",
        )
