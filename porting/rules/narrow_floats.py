"""Which 16-bit floating-point type an argument has, as far as its declaration tells."""

from collections.abc import Iterator
from enum import Enum
from typing import Final

from porting.rules.unit import Unit
from porting.rules.variables import is_a
from porting.syntax import IDENT, Argument, match_bracket


class Narrow(Enum):
    """The 16-bit types and their pairs: HIP's name, and the spellings that CUDA code uses."""

    BFLOAT2 = ("__hip_bfloat162", "__nv_bfloat162", "nv_bfloat162")
    BFLOAT = ("__hip_bfloat16", "__nv_bfloat16", "nv_bfloat16")
    HALF2 = ("__half2", "half2")
    HALF = ("__half", "half")


_SPELLINGS: Final = frozenset(spelling for narrow in Narrow for spelling in narrow.value)
_ELEMENT: Final = {Narrow.BFLOAT2: Narrow.BFLOAT, Narrow.HALF2: Narrow.HALF}
_TO_BFLOAT: Final = frozenset(
    ("__float2bfloat16", "__float2bfloat16_rn", "__double2bfloat16", "__ushort_as_bfloat16")
)


def narrow_type(unit: Unit, argument: Argument) -> Narrow | None:
    """Return the type of a name, an element of an array, their address or target, or a conversion.

    Pointers and what they point to are not told apart: the operators around them say which is
    meant.  None when the type is another one, or the declaration is not in this file.
    """
    tokens = unit.tokens
    first, last = argument.first, argument.last
    while first < last and tokens[first].text in ("&", "*", "("):
        first += 1
    if first >= last or tokens[first].kind != IDENT:
        return None
    if tokens[first].text in _TO_BFLOAT and match_bracket(tokens, first + 1) == last - 1:
        return Narrow.BFLOAT
    words = tokens.words[first + 1 : last]
    if not _has_narrow(unit) or any(word in ("(", "?", ",", "<", "->", "::") for word in words):
        return None
    member = words[words.index(".") + 1] if "." in words[:-1] else ""
    for narrow in Narrow:
        if is_a(unit, first, spellings(unit, narrow)):
            if not member:
                return narrow
            return _ELEMENT.get(narrow) if member in ("x", "y") else None
    return None


def _has_narrow(unit: Unit) -> bool:
    """Whether the file can have such numbers at all."""
    return bool(unit.project.bfloat_aliases) or not unit.index.keys().isdisjoint(_SPELLINGS)


def spellings(unit: Unit, narrow: Narrow) -> tuple[str, ...]:
    """Return the names of a type, with those that `using` and `typedef` give it in the tree."""
    elsewhere = (n for n, kind in unit.project.bfloat_aliases.items() if kind in narrow.value)
    present = (name for name in narrow.value if name in unit.index)
    here = (alias for name in present for alias in _aliases(unit, name))
    return (*narrow.value, *here, *elsewhere)


def _aliases(unit: Unit, name: str) -> Iterator[str]:
    tokens = unit.tokens
    for place in unit.where(name):
        if place + 2 >= len(tokens):
            continue
        before = tokens[place - 1].text
        if before == "typedef" and tokens[place + 2].text == ";":
            yield tokens[place + 1].text
        elif before == "=" and tokens[place - 3].text == "using":
            yield tokens[place - 2].text
