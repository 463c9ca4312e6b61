"""What can be done to a call so that it fits HIP's parameter list: small edits, or a refusal."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from porting.edits import Edit
from porting.rules.unit import Unit
from porting.rules.variables import is_a
from porting.syntax import IDENT, STRING, Argument, Call, Token

_NULLS: Final = frozenset(("nullptr", "NULL", "0", "0u", "0U", "0ull", "0ULL", "{}"))
# What cuBLAS's C++ overloads make of a data type; their pedantic modes need a call to change.
_COMPUTE_TYPES: Final = {
    **dict.fromkeys(("CUDA_R_32F", "CUDA_C_32F"), "32F"),
    **dict.fromkeys(("CUDA_R_64F", "CUDA_C_64F"), "64F"),
    "CUDA_R_16F": "16F",
    "CUDA_R_32I": "32I",
}
_DATA_TYPES: Final = ("cudaDataType", "cudaDataType_t", "hipDataType")
_DATA_TYPE_NAMES: Final = ("CUDA_R_", "CUDA_C_", "HIP_R_", "HIP_C_")
_OPERATORS: Final = frozenset(
    (
        *("+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "&&", "||", "==", "!=", "<", ">"),
        *("<=", ">=", "<=>", "?", "="),
    )
)


class RefusedError(Exception):
    """The call has no HIP form; the text says which argument stands in the way."""


def is_c(unit: Unit) -> bool:
    """Whether a file is compiled as C, where HIP has neither templates nor default arguments."""
    return unit.source.suffix == ".c"


def is_null(unit: Unit, argument: Argument) -> bool:
    """Whether an argument is a literal null pointer or zero, cast or not."""
    text = "".join(t.text for t in unit.tokens[argument.first : argument.last])
    return text in _NULLS or (text.startswith("(") and text.rpartition(")")[2] in _NULLS)


def is_compound(tokens: Sequence[Token], argument: Argument) -> bool:
    """Whether a prefix operator put before the argument would bind to only a part of it."""
    depth = 0
    for index in range(argument.first, argument.last):
        text = tokens[index].text
        if text in ("(", "[", "{"):
            depth += 1
        elif text in (")", "]", "}"):
            depth -= 1
        elif depth == 0 and index > argument.first and text in _OPERATORS:
            return True
    return False


def span_of(unit: Unit, argument: Argument) -> tuple[int, int]:
    """Return the byte range of an argument; an empty one raises RefusedError."""
    if argument.first >= argument.last:
        raise RefusedError("an argument is empty")
    return unit.tokens[argument.first].start, unit.tokens[argument.last - 1].end


def wrapped(unit: Unit, argument: Argument, before: str, after: str) -> Iterator[Edit]:
    """Yield the two insertions that put an argument between `before` and `after`."""
    start, end = span_of(unit, argument)
    yield Edit(start, start, before)
    yield Edit(end, end, after)


class Change(Protocol):
    """One step of fitting a call.  `edits` raises RefusedError when the step is not possible."""

    def edits(self, unit: Unit, call: Call) -> Iterator[Edit]:
        """Yield the edits of this step."""
        ...


@dataclass(frozen=True)
class Rename:
    """Give the function this name instead of the one in the tables."""

    target: str

    def edits(self, unit: Unit, call: Call) -> Iterator[Edit]:
        """Yield the replacement of the name."""
        token = unit.tokens[call.name]
        yield Edit(token.start, token.end, self.target, token.text)


@dataclass(frozen=True)
class Symbol:
    """Wrap a device symbol: HIP_SYMBOL(x) where HIP has an overload for it, else its address."""

    argument: int
    address: bool = False

    def edits(self, unit: Unit, call: Call) -> Iterator[Edit]:
        """Yield the insertions around the symbol; nothing where they are there already."""
        argument = call.arguments[self.argument]
        first = unit.tokens[argument.first]
        if first.kind == STRING:
            raise RefusedError(f"the symbol is named by the string {first.text}")
        if first.text == "HIP_SYMBOL" or is_c(unit):
            return  # C has pointers to symbols only, and HIP's macro is for C++
        if not self.address:
            yield from self._in_macro(unit, argument)
        elif first.text not in ("&", "("):
            compound = is_compound(unit.tokens, argument)
            before, after = ("&(", ")") if compound else ("&", "")
            yield from (e for e in wrapped(unit, argument, before, after) if e.replacement)

    def _in_macro(self, unit: Unit, argument: Argument) -> Iterator[Edit]:
        comma = _has_bare_comma(unit.tokens, argument)
        before, after = ("HIP_SYMBOL((", "))") if comma else ("HIP_SYMBOL(", ")")
        yield from wrapped(unit, argument, before, after)


@dataclass(frozen=True)
class Cast:
    """Cast an argument that CUDA's C++ headers take through a template, or that loses a const.

    `reinterpret`: as reinterpret_cast, which says what happens.  `addresses`: also where the
    argument is the address of an object, whose type is then the right one.  `exact`: also where the
    argument begins with a cast, unless it is this one.
    """

    argument: int
    type: str
    reinterpret: bool = False
    addresses: bool = True
    exact: bool = False

    def edits(self, unit: Unit, call: Call) -> Iterator[Edit]:
        """Yield the cast, unless the argument begins with one."""
        argument = call.arguments[self.argument]
        if is_null(unit, argument) or self._is_cast(unit, argument):
            return
        if not self.addresses and unit.tokens[argument.first].text == "&":
            return
        if self.reinterpret and not is_c(unit):
            yield from wrapped(unit, argument, f"reinterpret_cast<{self.type}>(", ")")
        elif is_compound(unit.tokens, argument):
            yield from wrapped(unit, argument, f"({self.type})(", ")")
        else:
            start, _ = span_of(unit, argument)
            yield Edit(start, start, f"({self.type})")

    def _is_cast(self, unit: Unit, argument: Argument) -> bool:
        if not self.exact:
            return _begins_with_cast(unit.tokens, argument)
        text = "".join(t.text for t in unit.tokens[argument.first : argument.last])
        wanted = self.type.replace(" ", "")
        return text.startswith((f"({wanted})", f"reinterpret_cast<{wanted}>"))


@dataclass(frozen=True)
class Plain:
    """Drop template arguments: HIP's function is no template, or has others."""

    def edits(self, unit: Unit, call: Call) -> Iterator[Edit]:
        """Yield the removal of what stands between the name and the bracket."""
        if unit.tokens[call.name + 1].text == "<":
            yield Edit(unit.tokens[call.name + 1].start, unit.tokens[call.open - 1].end, "")


@dataclass(frozen=True)
class ComputeType:
    """Give a compute type where CUDA's C++ headers take a data type in its place too."""

    argument: int

    def edits(self, unit: Unit, call: Call) -> Iterator[Edit]:
        """Yield the replacement of each data type that the argument names."""
        argument = call.arguments[self.argument]
        for number in range(argument.first, argument.last):
            token = unit.tokens[number]
            if token.text in _COMPUTE_TYPES:
                target = f"HIPBLAS_COMPUTE_{_COMPUTE_TYPES[token.text]}"
                yield Edit(token.start, token.end, target, token.text)
            elif token.text.startswith(_DATA_TYPE_NAMES):
                raise RefusedError(f"{token.text} is no compute type")
            elif token.kind == IDENT and is_a(unit, number, _DATA_TYPES):
                raise RefusedError(f"'{token.text}' is a data type, and a compute type is taken")


@dataclass(frozen=True)
class Insert:
    """Add an argument before the one at `position`; at the end when there is none."""

    position: int
    text: str

    def edits(self, unit: Unit, call: Call) -> Iterator[Edit]:
        """Yield the insertion."""
        text = "NULL" if self.text == "nullptr" and is_c(unit) else self.text
        if self.position < len(call.arguments):
            start, _ = span_of(unit, call.arguments[self.position])
            yield Edit(start, start, f"{text}, ")
        elif not call.arguments:
            end = unit.tokens[call.close].start
            yield Edit(end, end, text)
        else:
            _, end = span_of(unit, call.arguments[-1])
            yield Edit(end, end, f", {text}")


@dataclass(frozen=True)
class DropNull:
    """Remove an argument that HIP lacks, when it is null; refuse when it holds something."""

    argument: int
    what: str

    def edits(self, unit: Unit, call: Call) -> Iterator[Edit]:
        """Yield the removal of the argument and the comma beside it."""
        argument = call.arguments[self.argument]
        if not is_null(unit, argument):
            raise RefusedError(f"{self.what} has no counterpart")
        start, end = span_of(unit, argument)
        if self.argument + 1 < len(call.arguments):
            end = unit.tokens[call.arguments[self.argument + 1].first].start
        else:
            start = unit.tokens[call.arguments[self.argument - 1].last - 1].end
        yield Edit(start, end, "")


@dataclass(frozen=True)
class OnlyNull:
    """Refuse unless an argument is null; HIP's parameter there has another type."""

    argument: int
    what: str

    def edits(self, unit: Unit, call: Call) -> Iterator[Edit]:
        """Yield nothing."""
        if not is_null(unit, call.arguments[self.argument]):
            raise RefusedError(f"{self.what} differs")
        yield from ()


def _begins_with_cast(tokens: Sequence[Token], argument: Argument) -> bool:
    """Whether an argument begins with `(... *)` or `xxx_cast<...>`."""
    first = tokens[argument.first]
    if first.text.endswith("_cast"):
        return True
    if first.text != "(":
        return False
    for index in range(argument.first + 1, argument.last - 1):
        if tokens[index].text == ")":
            return tokens[index - 1].text == "*"
    return False


def _has_bare_comma(tokens: Sequence[Token], argument: Argument) -> bool:
    """Whether a macro would see more than one argument, as in `table<float, 4>`."""
    depth = 0
    for index in range(argument.first, argument.last):
        text = tokens[index].text
        depth += (text == "(") - (text == ")")
        if text == "," and depth == 0:
            return True
    return False
