"""Meson's language as tokens and calls with exact places."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from porting.source import SourceFile

_TOKEN = re.compile(
    r"(?P<space>[ \t\r\n]+|\\\r?\n|#[^\n]*)"
    r"|(?P<string>f?'''.*?'''|f?'(?:[^'\\]|\\.)*')"
    r"|(?P<word>[A-Za-z_]\w*)"
    r"|(?P<number>\d\w*)"
    r"|(?P<mark>==|!=|>=|<=|\+=|.)",
    re.DOTALL,
)
_OPENERS = {"(": ")", "[": "]", "{": "}"}


@dataclass(frozen=True)
class Token:
    """A word, string, number or mark of the text."""

    kind: str
    text: str
    start: int

    @property
    def end(self) -> int:
        """The offset after it."""
        return self.start + len(self.text)

    @property
    def value(self) -> str:
        """What a string means, as far as build files use escapes."""
        bare = self.text.removeprefix("f")
        quote = "'''" if bare.startswith("'''") else "'"
        return bare.removeprefix(quote).removesuffix(quote).replace("\\'", "'")


@dataclass(frozen=True)
class Argument:
    """One argument: its keyword or "", the tokens of its value, and where all of it begins."""

    keyword: str
    first: int
    end: int
    whole: int


@dataclass(frozen=True)
class Call:
    """A call: the name, for a method with its object's; its tokens and arguments."""

    name: str
    first: int
    opening: int
    closing: int
    arguments: tuple[Argument, ...]

    def keyword(self, name: str) -> Argument | None:
        """Return the argument with a keyword."""
        return next((a for a in self.arguments if a.keyword == name), None)

    @property
    def positional(self) -> tuple[Argument, ...]:
        """The arguments without a keyword."""
        return tuple(a for a in self.arguments if not a.keyword)


@dataclass(frozen=True)
class MesonFile:
    """One meson.build."""

    source: SourceFile

    @cached_property
    def tokens(self) -> list[Token]:
        """The code, without comments and line ends."""
        found = []
        for match in _TOKEN.finditer(self.source.text):
            kind = match.lastgroup or ""
            if kind != "space":
                found.append(Token(kind, match[0], match.start()))
        return found

    @cached_property
    def partner(self) -> dict[int, int]:
        """Opening bracket -> closing bracket."""
        found, stack = {}, []
        for number, token in enumerate(self.tokens):
            if token.kind != "mark":
                continue
            if token.text in _OPENERS:
                stack.append(number)
            elif token.text in _OPENERS.values() and stack:
                found[stack.pop()] = number
        return found

    @cached_property
    def fault(self) -> tuple[int, str] | None:
        """Where the text cannot be read, and why; None when all of it can."""
        stack: list[Token] = []
        for token in self.tokens:
            if token.kind != "mark":
                continue
            if token.text == "'":
                return token.start, "the string is never closed"
            if token.text in _OPENERS:
                stack.append(token)
            elif token.text in _OPENERS.values():
                if not stack or _OPENERS[stack[-1].text] != token.text:
                    return token.start, f"the {token.text} closes nothing"
                stack.pop()
        return (stack[0].start, f"the {stack[0].text} is never closed") if stack else None

    def text(self, first: int, end: int) -> str:
        """Return the text of tokens, the end exclusive."""
        if end <= first:
            return ""
        return self.source.text[self.tokens[first].start : self.tokens[end - 1].end]

    @cached_property
    def calls(self) -> tuple[Call, ...]:
        """Every call, in the order of the text."""
        return tuple(self._calls())

    def called(self, first: int, end: int) -> Iterator[str]:
        """Yield the names of what is called among tokens."""
        yield from (call.name for call in self.calls if first <= call.first < end)

    def _calls(self) -> Iterator[Call]:
        for opening, closing in sorted(self.partner.items()):
            before = self.tokens[opening - 1] if opening else None
            if self.tokens[opening].text != "(" or before is None or before.kind != "word":
                continue
            if before.text in ("if", "elif", "and", "or", "not", "in", "foreach"):
                continue
            first = opening - 1
            while first > 1 and self.tokens[first - 1].text == ".":
                first -= 2
            name = self.text(first, opening)
            yield Call(name, first, opening, closing, tuple(self._arguments(opening, closing)))

    def _arguments(self, opening: int, closing: int) -> Iterator[Argument]:
        for first, end in self.items(opening, closing):
            if self.tokens[first].kind == "word" and self.tokens[first + 1].text == ":":
                yield Argument(self.tokens[first].text, first + 2, end, first)
            else:
                yield Argument("", first, end, first)

    def items(self, opening: int, closing: int) -> Iterator[tuple[int, int]]:
        """Yield the ranges between the commas of a bracket."""
        first = at = opening + 1
        while at < closing:
            if self.tokens[at].text == "," and self.tokens[at].kind == "mark":
                yield first, at
                first = at + 1
            at = self.partner.get(at, at) + 1
        if first < closing:
            yield first, closing

    def assignments(self) -> Iterator[tuple[str, int, int]]:
        """Yield name and value tokens of each `name = value` statement, `+=` too."""
        depth_end = -1
        for at in range(1, len(self.tokens) - 1):
            if at < depth_end:
                continue
            token = self.tokens[at]
            if at in self.partner:
                depth_end = self.partner[at]
            elif token.text in ("=", "+=") and self.tokens[at - 1].kind == "word":
                yield self.tokens[at - 1].text, at + 1, self.statement_end(at + 1)

    def statement_end(self, first: int) -> int:
        """Return the token after a statement: at the first line end outside of brackets."""
        at = first
        while at < len(self.tokens):
            after = self.partner.get(at, at) + 1
            if after >= len(self.tokens):
                return len(self.tokens)
            gap = self.source.text[self.tokens[after - 1].end : self.tokens[after].start]
            if "\n" in re.sub(r"\\\r?\n", "", gap):
                return after
            at = after
        return at
