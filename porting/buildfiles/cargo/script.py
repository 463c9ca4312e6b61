"""A build script as code tokens with the statements and calls that hold them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from porting.headers.rust.lexer import Kind, Token, string_value, tokens
from porting.source import UTF8_BOM, SourceFile

_BOM = UTF8_BOM.decode("latin-1")
_OPENERS = {"(": ")", "[": "]", "{": "}"}
_CLOSERS = {close: open_ for open_, close in _OPENERS.items()}
# What may follow a closing brace within one statement.
_GOES_ON = frozenset((".", "?", ";", ")", "]", ",", "else", "as"))
_ITEMS = frozenset(("const", "static", "use", "struct", "enum", "impl", "mod", "type", "extern"))


class Range(NamedTuple):
    """Token numbers, the end exclusive."""

    first: int
    end: int


@dataclass(frozen=True)
class Call:
    """A method call `.name(arguments)`: its tokens, and those between the parentheses."""

    name: str
    whole: Range
    arguments: Range


@dataclass(frozen=True)
class Script:
    """One build.rs."""

    source: SourceFile

    @cached_property
    def tokens(self) -> list[Token]:
        """The code, without comments."""
        return tokens(self.source.text.replace(_BOM, " " * len(_BOM), 1))

    @cached_property
    def partner(self) -> dict[int, int]:
        """Opening bracket -> closing bracket, and back; what has no partner is not there."""
        found: dict[int, int] = {}
        stack: list[int] = []
        for number, token in enumerate(self.tokens):
            if token.kind is not Kind.PUNCT:
                continue
            if token.text in _OPENERS:
                stack.append(number)
            elif token.text in _CLOSERS and stack:
                opening = stack.pop()
                found[opening], found[number] = number, opening
        return found

    @cached_property
    def fault(self) -> tuple[int, str] | None:
        """Where the text cannot be read, and why; None when all of it can."""
        stack: list[Token] = []
        for token in self.tokens:
            if token.kind is Kind.UNFINISHED:
                what = "comment" if token.text.startswith("/*") else "string"
                return token.start, f"the {what} is never closed"
            if token.kind is not Kind.PUNCT:
                continue
            if token.text in _OPENERS:
                stack.append(token)
            elif token.text in _CLOSERS:
                if not stack or stack[-1].text != _CLOSERS[token.text]:
                    return token.start, f"the {token.text} closes nothing"
                stack.pop()
        return (stack[-1].start, f"the {stack[-1].text} is never closed") if stack else None

    def text(self, range_: Range) -> str:
        """Return the source text of tokens."""
        first, last = self.tokens[range_.first], self.tokens[range_.end - 1]
        return self.source.text[first.start : last.end]

    def is_text(self, number: int) -> bool:
        """Whether a token is a string literal."""
        return self.tokens[number].kind in (Kind.STRING, Kind.RAW_STRING)

    def value(self, number: int) -> str:
        """Return what a string literal means."""
        return string_value(self.tokens[number])

    def texts(self) -> Iterator[tuple[int, str]]:
        """Yield number and value of each string literal; the name of a feature says nothing."""
        for number in range(len(self.tokens)):
            before = [token.text for token in self.tokens[max(number - 2, 0) : number]]
            if self.is_text(number) and before != ["feature", "="]:
                yield number, self.value(number)

    def calls(self) -> Iterator[Call]:
        """Yield the method calls in the order of their names."""
        for at, token in enumerate(self.tokens[:-2]):
            name, opening = self.tokens[at + 1], at + 2
            is_call = token.text == "." and name.kind is Kind.IDENT
            if is_call and self.tokens[opening].text == "(" and opening in self.partner:
                close = self.partner[opening]
                yield Call(name.text, Range(at, close + 1), Range(opening + 1, close))

    def main_brace(self) -> int:
        """Return the opening brace of `fn main`, -1 without one."""
        for at in range(len(self.tokens) - 3):
            if [token.text for token in self.tokens[at : at + 3]] == ["fn", "main", "("]:
                braces = (n for n in range(at, len(self.tokens)) if self.tokens[n].text == "{")
                return next(braces, -1)
        return -1

    def statement(self, number: int) -> Range:
        """Return the innermost statement around a token, with its semicolon."""
        while True:
            first, end = self._start(number), self._end(number)
            if not self._is_list(first, end) or first == 0:
                return Range(first, end)
            number = first - 1  # the brace of a match or of a struct: what holds it

    def is_item(self, statement: Range) -> bool:
        """Whether a statement is a declaration that no code can stand in for."""
        head = self.tokens[statement.first : statement.first + 3]
        return any(token.text in _ITEMS for token in head) or any(t.text == "fn" for t in head)

    def _start(self, number: int) -> int:
        at = number
        while at > 0:
            before = self.tokens[at - 1].text
            if before in (";", "{"):
                return at
            if before == "}" and self.tokens[at].text not in _GOES_ON:
                return at
            at = self.partner.get(at - 1, at - 1) if before in _CLOSERS else at - 1
        return 0

    def _end(self, number: int) -> int:
        at = number
        while at < len(self.tokens):
            text = self.tokens[at].text
            if text == ";":
                return at + 1
            if text in _OPENERS and at in self.partner:
                closing = self.partner[at]
                at = closing + 1
                follows = self.tokens[at].text if at < len(self.tokens) else ""
                if text == "{" and follows not in _GOES_ON:
                    return at
            elif text == "}":
                return at
            else:
                at += 1
        return at

    def _is_list(self, first: int, end: int) -> bool:
        """Whether tokens are arms of a match or fields, separated by commas."""
        at = first
        while at < end:
            text = self.tokens[at].text
            if text in ("=>", ","):
                return True
            at = self.partner.get(at, at) + 1 if text in _OPENERS else at + 1
        return False


def inline_names(text: str) -> list[str]:
    """Return the names that a format string takes from around it, as in "{lib}/x"."""
    return re.findall(r"(?<!\{)\{([A-Za-z_]\w*)(?::[^}]*)?\}", text)
