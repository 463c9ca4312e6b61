"""An asm statement: its text and its operands."""

import re
from dataclasses import dataclass
from typing import Final

from porting.rules.unit import Unit
from porting.syntax import IDENT, RAW_STRING, STRING, Tokens, match_bracket

_QUALIFIERS: Final = frozenset(
    ("volatile", "__volatile__", "__volatile", "inline", "goto", "__inline__")
)
_ESCAPE: Final = re.compile(r"\\(\r?\n|[0-7]{1,3}|x[0-9A-Fa-f]+|.)")
_ESCAPES: Final = {"n": "\n", "t": "\t", "r": "\r", "v": "\v", "f": "\f", "0": "\0"}
_RAW: Final = re.compile(r'R"([^\s()\\]{0,16})\((.*)\)\1"', re.DOTALL)


@dataclass(frozen=True, slots=True)
class AsmOperand:
    """One operand: its constraint without quotes, its name in [], the tokens of its expression."""

    constraint: str
    symbol: str
    first: int
    last: int
    quoted: int


@dataclass(frozen=True, slots=True)
class AsmStatement:
    """`asm(text : outputs : inputs : clobbers)`; tokens `[keyword, close]`.

    `text` is None when something else than string literals makes it.
    """

    keyword: int
    close: int
    text: str | None
    operands: tuple[AsmOperand, ...]
    outputs: int


def read_statement(unit: Unit, keyword: int) -> AsmStatement | None:
    """Return the asm statement whose keyword is token `keyword`, or None if it is none."""
    tokens = unit.tokens
    at = keyword + 1
    while at < len(tokens) and tokens[at].text in _QUALIFIERS:
        at += 1
    if at >= len(tokens) or tokens[at].text != "(":
        return None
    close = match_bracket(tokens, at)
    if close is None or close == at + 1:
        return None
    sections = _sections(tokens, at + 1, close)
    text = _text(tokens, *sections[0])
    operands: list[AsmOperand] = []
    outputs = 0
    for number, (first, last) in enumerate(sections[1:3]):
        operands += _operands(tokens, first, last)
        outputs = len(operands) if number == 0 else outputs
    return AsmStatement(keyword, close, text, tuple(operands), outputs)


def _sections(tokens: Tokens, first: int, last: int) -> list[tuple[int, int]]:
    """Split at the top-level colons; `::` is two."""
    sections: list[tuple[int, int]] = []
    start = at = first
    while at < last:
        text = tokens[at].text
        if text in ("(", "[", "{"):
            at = match_bracket(tokens, at) or last
        elif text in (":", "::"):
            sections.append((start, at))
            if text == "::":
                sections.append((at + 1, at + 1))
            start = at + 1
        at += 1
    sections.append((start, last))
    return sections


def _text(tokens: Tokens, first: int, last: int) -> str | None:
    parts: list[str] = []
    for token in tokens[first:last]:
        if token.kind == STRING:
            parts.append(unescape(token.text))
        elif token.kind == RAW_STRING:
            match = _RAW.fullmatch(token.text)
            parts.append(match[2] if match else "")
        else:
            return None
    return "".join(parts)


def unescape(literal: str) -> str:
    """Return the characters of a string literal token."""
    body = literal[literal.index('"') + 1 : literal.rindex('"')]
    return _ESCAPE.sub(_unescaped, body)


def _unescaped(match: re.Match[str]) -> str:
    code = match[1]
    if code in _ESCAPES:
        return _ESCAPES[code]
    if code[0] == "x":
        return chr(int(code[1:], 16) & 0xFF)
    if code[0].isdigit():
        return chr(int(code, 8) & 0xFF)
    return "" if code.endswith("\n") else code


def _operands(tokens: Tokens, first: int, last: int) -> list[AsmOperand]:
    """Read `[name] "constraint"(expression), ...`; what has another shape is left out."""
    found: list[AsmOperand] = []
    at = first
    while at < last:
        symbol = ""
        if tokens[at].text == "[" and at + 2 < last:
            symbol = tokens[at + 1].text
            at += 3
        if at + 1 >= last or tokens[at].kind != STRING or tokens[at + 1].text != "(":
            return found
        close = match_bracket(tokens, at + 1) or last
        constraint = unescape(tokens[at].text)
        found.append(AsmOperand(constraint, symbol, at + 2, close, at))
        at = close + 1
        if at < last and tokens[at].text == ",":
            at += 1
    return found


def is_simple(tokens: Tokens, operand: AsmOperand) -> bool:
    """Whether the expression is one name or number, or members and subscripts without calls."""
    return all(
        token.kind == IDENT or token.text in (".", "->", "[", "]", "::") or token.text[0].isdigit()
        for token in tokens[operand.first : operand.last]
    )
