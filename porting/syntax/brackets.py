"""Which brackets of a token stream belong together."""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import compress, count
from typing import Final

OPENERS: Final = frozenset(("(", "[", "{"))
CLOSERS: Final = frozenset((")", "]", "}"))
_NONE: Final = -1


def _classes() -> bytes:
    """Return a table that maps an opening bracket to 1, a closing one to 2, all else to 0."""
    table = bytearray(256)
    for value, brackets in ((1, OPENERS), (2, CLOSERS)):
        for bracket in brackets:
            table[ord(bracket)] = value
    return bytes(table)


_CLASSES: Final = _classes()
_OPENS: Final = 1


@dataclass(frozen=True, slots=True)
class _Nesting:
    """The brackets of one side: the place of each, and the innermost open one behind it."""

    places: list[int] = field(default_factory=list)
    behind: list[int] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Brackets:
    """The brackets of a token stream.

    A directive's brackets and those outside it never match each other; kinds are not compared.
    `closers`: opening bracket -> closing bracket, for those that are closed.
    """

    closers: dict[int, int]
    _classes: bytes
    _directives: Sequence[int]
    _outside: _Nesting
    _inside: _Nesting

    @classmethod
    def read(cls, firsts: bytes, directives: Sequence[int]) -> "Brackets":
        """Match brackets; given are the tokens' first characters, and their directives or -1."""
        closers: dict[int, int] = {}
        outside, inside = _Nesting(), _Nesting()
        code = stack = [_NONE]
        nesting, directive = outside, _NONE
        classes = firsts.translate(_CLASSES)
        for place in compress(count(), classes):
            if directives[place] != directive:
                directive = directives[place]
                stack, nesting = (code, outside) if directive < 0 else ([_NONE], inside)
            if classes[place] == _OPENS:
                stack.append(place)
            elif len(stack) > 1:
                closers[stack.pop()] = place
            nesting.places.append(place)
            nesting.behind.append(stack[-1])
        return cls(closers, classes, directives, outside, inside)

    def around(self, index: int) -> int:
        """Return the innermost bracket that is open in front of a token, -1 when none is.

        In front of a closing bracket, that is the one around the pair.
        """
        directive = self._directives[index]
        nesting = self._outside if directive < 0 else self._inside
        at = bisect_left(nesting.places, index)
        is_closer = self._classes[index] > _OPENS
        if not (is_closer and at < len(nesting.places) and nesting.places[at] == index):
            at -= 1
        if at < 0 or self._directives[nesting.places[at]] != directive:
            return _NONE
        return nesting.behind[at]
