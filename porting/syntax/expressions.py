"""Three-valued evaluation of #if expressions: true, false, or not known here."""

import operator
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from enum import Enum
from types import MappingProxyType
from typing import Final

from porting.syntax.tokens import IDENT, NUMBER, Token


class Truth(Enum):
    """Kleene's three truth values."""

    FALSE = 0
    UNKNOWN = 1
    TRUE = 2

    def __and__(self, other: "Truth") -> "Truth":
        """Return the weaker of the two."""
        return Truth(min(self.value, other.value))

    def __or__(self, other: "Truth") -> "Truth":
        """Return the stronger of the two."""
        return Truth(max(self.value, other.value))

    def __invert__(self) -> "Truth":
        """Return the opposite; unknown stays unknown."""
        return Truth(2 - self.value)

    @staticmethod
    def of_macro(name: str, defined: AbstractSet[str], undefined: AbstractSet[str]) -> "Truth":
        """Return whether a macro is defined, as far as the two sets tell."""
        if name in defined:
            return Truth.TRUE
        return Truth.FALSE if name in undefined else Truth.UNKNOWN


_COMPARISONS: Final = frozenset(("<", ">", "<=", ">=", "==", "!=", "+", "-", "*", "/", "%", "&"))


_OPERATIONS: Final[Mapping[str, Callable[[int, int], bool]]] = MappingProxyType(
    {
        "<": operator.lt,
        ">": operator.gt,
        "<=": operator.le,
        ">=": operator.ge,
        "==": operator.eq,
        "!=": operator.ne,
    }
)
_NO_VALUES: Final[Mapping[str, int]] = MappingProxyType({})


def evaluate(
    tokens: Sequence[Token],
    defined: AbstractSet[str],
    undefined: AbstractSet[str],
    values: Mapping[str, int] = _NO_VALUES,
) -> Truth:
    """Return what the condition `tokens` comes to when only some macros are known.

    `values`: numbers of macros that are defined and known.  A macro that is only known to be
    defined is unknown when compared and true when bare; an undefined one is 0.  Whatever cannot
    be read is unknown.
    """
    parser = _Parser(tokens, defined | values.keys(), undefined - values.keys(), values)
    result = parser.disjunction()
    return result if parser.at_end() else Truth.UNKNOWN


class _Parser:
    def __init__(
        self,
        tokens: Sequence[Token],
        defined: AbstractSet[str],
        undefined: AbstractSet[str],
        values: Mapping[str, int],
    ) -> None:
        self._tokens = tokens
        self._values = values
        self._defined = defined
        self._undefined = undefined
        self._at = 0

    def at_end(self) -> bool:
        return self._at >= len(self._tokens)

    def disjunction(self) -> Truth:
        result = self._conjunction()
        while self._take("||"):
            result |= self._conjunction()
        return result

    def _conjunction(self) -> Truth:
        result = self._comparison()
        while self._take("&&"):
            result &= self._comparison()
        return result

    def _comparison(self) -> Truth:
        first = self._at
        result = self._unary()
        compared = False
        while not self.at_end() and self._tokens[self._at].text in _COMPARISONS:
            compared = True
            self._at += 1
            self._unary()
        if not compared:
            return result
        return self._compare(self._tokens[first : self._at])

    def _compare(self, tokens: Sequence[Token]) -> Truth:
        """Return what `operand op operand` comes to; unknown unless both operands have a value."""
        if len(tokens) != 3:  # noqa: PLR2004
            return Truth.UNKNOWN
        left, right = self._value(tokens[0]), self._value(tokens[2])
        operate = _OPERATIONS.get(tokens[1].text)
        if left is None or right is None or operate is None:
            return Truth.UNKNOWN
        return Truth.TRUE if operate(left, right) else Truth.FALSE

    def _value(self, token: Token) -> int | None:
        if token.kind == NUMBER:
            return _integer(token.text)
        if token.text in self._values:
            return self._values[token.text]
        return 0 if token.text in self._undefined else None

    def _unary(self) -> Truth:
        if self._take("!"):
            return ~self._unary()
        if self._take("("):
            result = self.disjunction()
            return result if self._take(")") else Truth.UNKNOWN
        if self._take("defined"):
            return self._defined_operator()
        return Truth.UNKNOWN if self.at_end() else self._operand()

    def _operand(self) -> Truth:
        token = self._tokens[self._at]
        self._at += 1
        if token.kind == IDENT and self._take("("):
            self._skip_arguments()
            return Truth.UNKNOWN
        if token.kind == NUMBER or token.text in self._values:
            value = self._value(token)
            return Truth.UNKNOWN if value is None else Truth.TRUE if value else Truth.FALSE
        if token.kind == IDENT:
            return Truth.of_macro(token.text, self._defined, self._undefined)
        return Truth.UNKNOWN

    def _defined_operator(self) -> Truth:
        parenthesized = self._take("(")
        if self.at_end():
            return Truth.UNKNOWN
        name = self._tokens[self._at].text
        self._at += 1
        if parenthesized:
            self._take(")")
        return Truth.of_macro(name, self._defined, self._undefined)

    def _skip_arguments(self) -> None:
        depth = 1
        while not self.at_end() and depth:
            depth += {"(": 1, ")": -1}.get(self._tokens[self._at].text, 0)
            self._at += 1

    def _take(self, text: str) -> bool:
        if not self.at_end() and self._tokens[self._at].text == text:
            self._at += 1
            return True
        return False


def _integer(text: str) -> int | None:
    digits = text.replace("'", "").rstrip("uUlLzZ")
    try:
        return int(digits, 0) if digits != "0" else 0
    except ValueError:
        return None
