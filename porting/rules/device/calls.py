"""Edits of one call that leave its arguments in place, and what is known of their types."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from porting.diagnostics import Code, Diagnostic, Severity
from porting.edits import Edit
from porting.rules.unit import Unit
from porting.syntax import IDENT, Argument, Call, Token

_POSTFIX: Final = frozenset((".", "->", "[", "("))
_STATEMENT_BEFORE: Final = frozenset((";", "{", "}", ")", "else", "do"))
_SKIPPED: Final = frozenset(
    ("const", "volatile", "*", "&", "__restrict__", "__restrict", "restrict", "std", "::")
)
NUMBERS: Final = frozenset(
    (
        *("float", "double", "int", "unsigned", "long", "short", "char", "bool", "int8_t"),
        *("uint8_t", "int16_t", "uint16_t", "int32_t", "uint32_t", "int64_t", "uint64_t"),
        *("size_t", "signed"),
    )
)


class CallEdits:
    """Collects edits of one call; arguments stay where they are, so other families see them."""

    def __init__(self, unit: Unit, call: Call) -> None:
        self.unit = unit
        self.tokens = unit.tokens
        self.call = call
        self.name = unit.tokens[call.name]
        self.edits: list[Edit] = []

    def rename(self, text: str) -> None:
        """Replace the function's name, and a `::` in front of it unless a name follows it."""
        start = self.name.start
        if self.tokens[self.call.name - 1].text == "::" and not text.startswith("__"):
            start = self.tokens[self.call.name - 1].start
        self.edits.append(Edit(start, self.name.end, text, self.name.text))

    def append(self, text: str) -> None:
        """Insert in front of the closing parenthesis."""
        at = self.tokens[self.call.close].start
        self.edits.append(Edit(at, at, text, self.name.text))

    def after(self, text: str) -> None:
        """Insert behind the closing parenthesis."""
        at = self.tokens[self.call.close].end
        self.edits.append(Edit(at, at, text, self.name.text))

    def around(self, front: str, back: str = "") -> None:
        """Replace the function's name and insert behind the call; a lambda's bracket stands alone.

        Two brackets in a row would begin an attribute.
        """
        before = self.call.name - 1
        if self.tokens[before].text == "::":
            before -= 1
        if front.startswith("[") and self.tokens[before].text == "[":
            front, back = f"({front}", f"{back})"
        self.rename(front)
        if back:
            self.after(back)

    def whole(self, text: str) -> None:
        """Replace the call."""
        first = self.call.name
        if self.tokens[first - 1].text == "::":
            first -= 1
        start, end = self.tokens[first].start, self.tokens[self.call.close].end
        self.edits.append(Edit(start, end, text, self.name.text))

    def replace(self, first: int, last: int, text: str) -> None:
        """Replace the tokens from `first` to `last`, that included."""
        start, end = self.tokens[first].start, self.tokens[last].end
        self.edits.append(Edit(start, end, text, self.name.text))

    def drop(self, argument: int) -> None:
        """Remove an argument behind another one."""
        before, span = self.call.arguments[argument - 1 : argument + 1]
        start, end = self.tokens[before.last - 1].end, self.tokens[span.last - 1].end
        self.edits.append(Edit(start, end, "", self.name.text))

    def text(self, argument: int) -> str:
        """Return the source of an argument."""
        span = self.call.arguments[argument]
        return self.unit.text_of(span.first, span.last)

    @property
    def is_statement(self) -> bool:
        """Whether the call is a statement of its own."""
        before = self.tokens[self.call.name - 1].text
        after = self.tokens[self.call.close + 1].text
        return before in _STATEMENT_BEFORE and after == ";"

    @property
    def has_postfix(self) -> bool:
        """Whether the result is used with an operator that binds closer than `*`."""
        after = self.call.close + 1
        return after < len(self.tokens) and self.tokens[after].text in _POSTFIX

    def note(self, code: Code, message: str) -> Diagnostic:
        """Return the finding as a note, whatever the code is worth where nothing can be written."""
        return replace(self.done(code, message), severity=Severity.NOTE)

    def done(self, code: Code, message: str, help_text: str = "") -> Diagnostic:
        """Return the finding with the edits collected so far."""
        return self.unit.diagnose(
            code,
            self.name,
            message,
            help=help_text,
            end=self.tokens[self.call.close].end,
            edits=self.edits,
        )


def is_simple(tokens: Sequence[Token], argument: Argument) -> bool:
    """Whether an argument may be written more than once: names, numbers, members, subscripts."""
    allowed = frozenset((".", "->", "[", "]", "::", "+", "-", "*", "&", ">>"))
    return all(
        token.kind == IDENT or token.text in allowed or token.text[0].isdigit()
        for token in tokens[argument.first : argument.last]
    )


def pointee(unit: Unit, argument: Argument) -> frozenset[str]:
    """Return the words of the type that a pointer argument points to, as declared in its function.

    Read for the first name of the argument; empty when the declaration is not seen, the name is
    no pointer or array, or a member is taken.
    """
    tokens = unit.tokens
    words = [tokens[at] for at in range(argument.first, argument.last)]
    if any(word.text in (".", "->") for word in words):
        return frozenset()
    name = next((word for word in words if word.kind == IDENT), None)
    return frozenset() if name is None else declared(unit, argument.first, name.text, pointer=True)


def declared(unit: Unit, place: int, name: str, *, pointer: bool) -> frozenset[str]:
    """Return the words of the type of a variable or parameter of the function around `place`."""
    function = unit.functions.around(place)
    if function is None:
        return frozenset()
    for at in unit.where(name):
        if function.first <= at < place:
            words = _type_before(unit.tokens, at, pointer=pointer)
            if words:
                return words
    return frozenset()


def _type_before(tokens: Sequence[Token], place: int, *, pointer: bool) -> frozenset[str]:
    after = tokens[place + 1].text if place + 1 < len(tokens) else ";"
    if after not in (",", ")", "=", ";", "[", "{"):
        return frozenset()
    at = place - 1
    is_pointer = after == "["
    found: set[str] = set()
    while at >= 0 and (tokens[at].text in _SKIPPED or tokens[at].text in NUMBERS):
        is_pointer |= tokens[at].text == "*"
        if tokens[at].text in NUMBERS:
            found.add(tokens[at].text)
        at -= 1
    if not found and at >= 0 and tokens[at].kind == IDENT and at < place - 1:
        found.add(tokens[at].text)
    return frozenset(found) if is_pointer == pointer else frozenset()
