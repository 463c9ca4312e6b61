"""What Rust source is made of: a lossless stream of tokens, comments and white space."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
    """What a piece of Rust text is."""

    SPACE = "space"
    COMMENT = "comment"  # doc comments too: to the code they are attributes
    IDENT = "ident"  # keywords too; a raw identifier keeps its r# in `text`
    LIFETIME = "lifetime"
    NUMBER = "number"
    CHAR = "char"  # byte literals like b'x' too
    STRING = "string"  # byte and C strings too
    RAW_STRING = "raw string"
    PUNCT = "punct"
    UNFINISHED = "unfinished"  # a comment or literal that the end of the file cuts off


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of the text; `start`, `line` and `column` (both from 1) say where it begins."""

    kind: Kind
    text: str
    start: int
    line: int
    column: int

    @property
    def end(self) -> int:
        """The offset after it."""
        return self.start + len(self.text)

    @property
    def name(self) -> str:
        """An identifier as it is meant: without the r# of a raw one."""
        return self.text.removeprefix("r#") if self.kind is Kind.IDENT else ""


_WORD = r"[A-Za-z_\x80-\U0010ffff][\w\x80-\U0010ffff]*"
# A character literal: an escape, or one character, which is several where UTF-8 is read as Latin-1.
_ONE = r"(?:[^'\\\n\r\t\x80-\xff]|[\xc0-\xff][\x80-\xbf]{1,3}|[\x80-\U0010ffff])"
_CHARACTER = rf"'(?:\\(?:x[0-9a-fA-F]{{2}}|u\{{[^}}']*\}}|[^xu])|{_ONE})'"
_NUMBER = (
    r"0[xob][\w]+"
    r"|\d[\d_]*(?:\.\d[\d_]*|\.(?![._A-Za-z\x80-\U0010ffff]))?(?:[eE][+-]?_*\d[\d_]*)?\w*"
)
_PIECE = re.compile(
    rf"(?P<space>\s+)"
    rf"|(?P<line>//[^\n]*)"
    rf"|(?P<block>/\*)"
    rf"|(?P<raw>(?:b|c)?r(?P<fence>#*)\")"
    rf"|(?P<string>(?:b|c)?\")"
    rf"|(?P<char>b?{_CHARACTER})"
    rf"|(?P<lifetime>'(?:r\#)?{_WORD})"
    rf"|(?P<ident>(?:r\#)?{_WORD})"
    rf"|(?P<number>{_NUMBER})"
    rf"|(?P<punct>::|->|=>|\.\.=|\.\.\.|\.\.|.)",
    re.DOTALL,
)
_STRING_END = re.compile(r'(?:[^"\\]|\\.)*"', re.DOTALL)
_COMMENT_MARK = re.compile(r"/\*|\*/")
_SIMPLE = {
    "space": Kind.SPACE,
    "line": Kind.COMMENT,
    "char": Kind.CHAR,
    "lifetime": Kind.LIFETIME,
    "ident": Kind.IDENT,
    "number": Kind.NUMBER,
    "punct": Kind.PUNCT,
}


def pieces(text: str) -> Iterator[Token]:
    """Yield all of the text, piece by piece: joined together, they are the text again."""
    at, line, line_start = 0, 1, 0
    while at < len(text):
        kind, end = _next(text, at)
        piece = text[at:end]
        yield Token(kind, piece, at, line, at - line_start + 1)
        lines = piece.count("\n")
        if lines:
            line += lines
            line_start = at + piece.rindex("\n") + 1
        at = end


def tokens(text: str) -> list[Token]:
    """Return the code alone: no white space, no comment."""
    return [piece for piece in pieces(text) if piece.kind not in (Kind.SPACE, Kind.COMMENT)]


def _next(text: str, at: int) -> tuple[Kind, int]:
    """Return the kind of the piece that begins at `at`, and where it ends."""
    if at == 0 and text.startswith("#!") and not re.match(r"#!\s*\[", text):
        return Kind.COMMENT, len(text.partition("\n")[0])
    match = _PIECE.match(text, at)
    if match is None:  # the last alternative takes any character
        raise AssertionError(text[at : at + 20])
    group = match.lastgroup or ""
    if group == "block":
        return _block_comment(text, match.end())
    if group == "raw" or match["raw"]:
        return _raw_string(text, match.end(), match["fence"])
    if group == "string":
        end = _STRING_END.match(text, match.end())
        return (Kind.STRING, end.end()) if end else (Kind.UNFINISHED, len(text))
    return _SIMPLE[group], match.end()


def _block_comment(text: str, at: int) -> tuple[Kind, int]:
    """Find the end of a block comment: they nest."""
    depth = 1
    for mark in _COMMENT_MARK.finditer(text, at):
        depth += 1 if mark[0] == "/*" else -1
        if depth == 0:
            return Kind.COMMENT, mark.end()
    return Kind.UNFINISHED, len(text)


def _raw_string(text: str, at: int, fence: str) -> tuple[Kind, int]:
    """Find the end of a raw string: a quote and as many # as it began with."""
    end = text.find(f'"{fence}', at)
    if end < 0:
        return Kind.UNFINISHED, len(text)
    return Kind.RAW_STRING, end + 1 + len(fence)


_STRING_BODY = re.compile(r'(?:b|c)?r?(?P<fence>#*)"(?P<body>.*)"(?P=fence)', re.DOTALL)
_ESCAPE = re.compile(r"\\(x[0-9a-fA-F]{2}|u\{[0-9a-fA-F_]+\}|\r?\n\s*|.)", re.DOTALL)
_ESCAPES = {"n": "\n", "r": "\r", "t": "\t", "0": "\0"}


def string_value(token: Token) -> str:
    """Return what a string literal means."""
    match = _STRING_BODY.fullmatch(token.text)
    if match is None:
        return ""
    return match["body"] if token.kind is Kind.RAW_STRING else _ESCAPE.sub(_unescape, match["body"])


def _unescape(match: re.Match[str]) -> str:
    mark = match[1]
    if mark[0] in "\r\n":
        return ""
    if mark[0] in "xu" and len(mark) > 1:
        code = int(mark[1:].strip("{}").replace("_", ""), 16)
        return chr(code) if code < 0x110000 else match[0]  # noqa: PLR2004 - the last of Unicode
    return _ESCAPES.get(mark, mark)


_INTEGER = re.compile(
    r"(?P<digits>0x[0-9a-fA-F]+?|0o[0-7]+|0b[01]+|\d+)(?:[iu](?:8|16|32|64|128|size))?"
)
_BASES = {"0x": 16, "0o": 8, "0b": 2}


def number_value(token: Token) -> int | None:
    """Return an integer literal's value, None for what is no integer literal."""
    match = _INTEGER.fullmatch(token.text.replace("_", ""))
    if match is None or token.kind is not Kind.NUMBER:
        return None
    digits = match["digits"]
    base = _BASES.get(digits[:2], 10)
    return int(digits if base == 10 else digits[2:], base)  # noqa: PLR2004 - decimal
