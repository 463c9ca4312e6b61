"""Cut a C or C++ header into tokens; comments are gone and directives are single tokens."""

from __future__ import annotations

import re
from dataclasses import dataclass

_TOKEN = re.compile(
    r"""
    (?P<directive>^[ \t]*\#(?:[^\n/]|/(?![/*]))*)
  | (?P<comment>//[^\n]*|/\*.*?\*/)
  | (?P<raw>R"(?P<mark>[^()\\\s]{0,16})\(.*?\)(?P=mark)")
  | (?P<text>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')
  | (?P<word>[A-Za-z_]\w*)
  | (?P<number>\.?\d(?:[\w.']|[eEpP][+-])*)
  | (?P<mark2>::|->|\S)
    """,
    re.VERBOSE | re.MULTILINE | re.DOTALL,
)
_CONTINUED = re.compile(r"\\\r?\n")


@dataclass(frozen=True, slots=True)
class Token:
    """One token: `kind` is word, directive, text, number or mark."""

    kind: str
    text: str


def tokenize(source: str) -> list[Token]:
    """Return the tokens of a header, all branches of its conditionals included."""
    tokens: list[Token] = []
    for match in _TOKEN.finditer(_CONTINUED.sub(" ", source)):
        kind = match.lastgroup or ""
        if kind == "comment":
            continue
        if kind in ("mark", "raw"):
            kind = "text"
        tokens.append(Token("mark" if kind == "mark2" else kind, match.group()))
    return tokens
