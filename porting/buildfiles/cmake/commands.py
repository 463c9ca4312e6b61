"""The commands of a CMake file, each with its arguments and their places."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from porting.buildfiles.cmake.lexer import Kind, Token, tokenize
from porting.source import SourceFile

_NAME = re.compile(r"[A-Za-z_]\w*")
_OPENS = frozenset(("if", "foreach", "while", "function", "macro", "block"))
_CLOSES = frozenset(f"end{name}" for name in _OPENS)
_MIDDLES = frozenset(("else", "elseif"))


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument; parentheses of a condition are arguments too.

    `start` and `end` are its place with quotes or brackets, `inner` and `inner_end` without.
    `value` is the text between those, as it is written.
    """

    kind: Kind
    start: int
    end: int
    inner: int
    inner_end: int
    value: str

    @property
    def quoted(self) -> bool:
        """Whether it stands in quotes."""
        return self.kind is Kind.QUOTED

    @property
    def plain(self) -> bool:
        """Whether it is text alone, without a variable or generator expression."""
        return "$" not in self.value


@dataclass(frozen=True, slots=True)
class Command:
    """A command: `name` is lower case, `start` to `end` reaches from the name to the `)`.

    `depth`: the blocks (if, foreach, function ...) around it; `opened`: the offset of the outermost
    block that it is in, its own start at depth 0.  `inside_function`: whether one of them is a
    function or macro.
    """

    name: str
    start: int
    name_end: int
    open: int
    end: int
    args: tuple[Argument, ...]
    depth: int = 0
    opened: int = 0
    inside_function: bool = False

    @property
    def values(self) -> tuple[str, ...]:
        """The arguments' texts."""
        return tuple(arg.value for arg in self.args)

    def keyword(self, word: str) -> int:
        """Return the index of an argument that is this very word, -1 without one."""
        return self.values.index(word) if word in self.values else -1


@dataclass(frozen=True)
class Listing:
    """A parsed file.

    `broken`: offset of the first place that is no CMake, -1 when all is; `fault`: what it is.
    """

    source: SourceFile
    commands: tuple[Command, ...]
    broken: int = -1
    fault: str = ""

    @property
    def unread(self) -> str:
        """The text after what could be read."""
        return self.source.text[self.commands[-1].end if self.commands else 0 :]


def parse(source: SourceFile) -> Listing:
    """Return the commands of a file, as far as it can be read."""
    tokens = [t for t in tokenize(source.text) if t.kind not in (Kind.SPACE, Kind.COMMENT)]
    found: list[Command] = []
    at = 0
    while at < len(tokens):
        command, after = _command(source.text, tokens, at)
        if command is None:
            return Listing(source, tuple(_nested(found)), *_fault(source.text, tokens, at))
        found.append(command)
        at = after
    return Listing(source, tuple(_nested(found)))


def _command(text: str, tokens: list[Token], at: int) -> tuple[Command | None, int]:
    name = tokens[at]
    word = text[name.start : name.end]
    if name.kind is not Kind.WORD or not _NAME.fullmatch(word) or at + 1 >= len(tokens):
        return None, at
    if tokens[at + 1].kind is not Kind.OPEN:
        return None, at
    depth, args, number = 1, list[Argument](), at + 2
    while number < len(tokens):
        token = tokens[number]
        depth += (token.kind is Kind.OPEN) - (token.kind is Kind.CLOSE)
        if depth == 0:
            command = Command(
                word.lower(), name.start, name.end, tokens[at + 1].start, token.end, tuple(args)
            )
            return command, number + 1
        if token.kind is Kind.STRAY:
            return None, at
        args.append(_argument(text, token))
        number += 1
    return None, at


def _fault(text: str, tokens: list[Token], at: int) -> tuple[int, str]:
    """Return where and why the tokens from `at` on are no command."""
    name = tokens[at]
    word = text[name.start : name.end]
    opens = tokens[at + 1].kind is Kind.OPEN if at + 1 < len(tokens) else False
    if name.kind is not Kind.WORD or not _NAME.fullmatch(word) or not opens:
        return name.start, f"{word[:40]} is no command"
    stray = next((token for token in tokens[at:] if token.kind is Kind.STRAY), None)
    if stray is not None:
        return stray.start, f"{text[stray.start : stray.end]} is never closed"
    return name.start, f"the ( of {word} is never closed"


def _argument(text: str, token: Token) -> Argument:
    start, end = token.start, token.end
    if token.kind is Kind.QUOTED:
        start, end = start + 1, end - 1
    elif token.kind is Kind.BRACKET:
        width = text.index("[", start + 1) - start + 1
        start, end = start + width, end - width
    return Argument(token.kind, token.start, token.end, start, end, text[start:end])


def _nested(commands: list[Command]) -> Iterator[Command]:
    """Yield the commands with what is known of the blocks around them."""
    blocks: list[Command] = []
    for command in commands:
        if command.name in _CLOSES and blocks:
            blocks.pop()
        around = blocks[:-1] if command.name in _MIDDLES else blocks
        opened = blocks[0].start if blocks else command.start
        inside = any(block.name in ("function", "macro") for block in around)
        yield Command(
            *(command.name, command.start, command.name_end, command.open, command.end),
            *(command.args, len(around), opened, inside),
        )
        if command.name in _OPENS:
            blocks.append(command)
