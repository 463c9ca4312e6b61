"""Declarations of integer variables and parameters, and the type that makes them 64 bits wide."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from porting.edits import Edit
from porting.syntax import IDENT, Token

_NARROW: Final = {
    "unsigned": "unsigned long long",
    "int": "unsigned long long",
    "uint": "unsigned long long",
    "uint32_t": "uint64_t",
    "int32_t": "uint64_t",
    "u32": "unsigned long long",
    "uint32": "unsigned long long",
    "lane_mask_t": "unsigned long long",
}
_WIDE: Final = frozenset(("long", "uint64_t", "int64_t", "size_t", "u64", "uint64"))
_PARTS: Final = frozenset(("unsigned", "signed", "int", "long"))
_QUALIFIERS: Final = frozenset(("const", "volatile", "__restrict__"))
_AFTER: Final = frozenset(("=", ";", ",", ")", "{", ":", "("))


@dataclass(frozen=True, slots=True)
class Declaration:
    """`TYPE name` at token `name`; the type's own tokens are `[first, last)`.

    `wide`: the type has 64 bits.  `deduced`: it is `auto` and follows the initializer.
    """

    name: int
    first: int
    last: int
    wide: bool
    deduced: bool = False


def declaration_at(tokens: Sequence[Token], place: int) -> Declaration | None:
    """Return the declaration of the integer variable named at token `place`, or None."""
    after = tokens[place + 1].text if place + 1 < len(tokens) else ";"
    if after not in _AFTER or place == 0:
        return None
    last = place
    while last > 0 and tokens[last - 1].text in _QUALIFIERS:
        last -= 1
    first = last - 1
    if first < 0 or tokens[first].kind != IDENT:
        return None
    word = tokens[first].text
    if word == "auto":
        return Declaration(place, first, last, wide=False, deduced=True)
    if word not in _NARROW and word not in _WIDE and word not in _PARTS:
        return None
    while first > 0 and word in _PARTS and tokens[first - 1].text in _PARTS:
        first -= 1
    words = [tokens[at].text for at in range(first, last)]
    if tokens[first - 1].text == "::" and tokens[first - 2].text == "std":
        first -= 2
    return Declaration(place, first, last, wide=any(word in _WIDE for word in words))


def wide_type(words: Sequence[str]) -> str:
    """Return the 64-bit type for an integer type of 32 bits, spelled like it."""
    new = _NARROW.get(words[-1], "unsigned long long")
    return f"std::{new}" if "::" in words else new


def widen(tokens: Sequence[Token], declaration: Declaration) -> Edit:
    """Return the edit that gives a declaration a 64-bit type."""
    words = [tokens[at].text for at in range(declaration.first, declaration.last)]
    start, end = tokens[declaration.first].start, tokens[declaration.last - 1].end
    return Edit(start, end, wide_type(words), tokens[declaration.name].text)
