"""Which brackets of a token stream belong together."""

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
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
_BRACKET: Final = re.compile(rb"[\1\2]")
_PATIENCE: Final = 500  # brackets passed one by one before all are matched


@dataclass(frozen=True, slots=True)
class _Nesting:
    """The brackets of one side: the place of each, and the innermost open one behind it."""

    places: list[int] = field(default_factory=list)
    behind: list[int] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Matched:
    """Opening bracket -> closing bracket, and the brackets outside and inside of directives."""

    closers: dict[int, int] = field(default_factory=dict)
    outside: _Nesting = field(default_factory=_Nesting)
    inside: _Nesting = field(default_factory=_Nesting)


class Brackets:
    """The brackets of a token stream.

    A directive's brackets and those outside it never match each other; kinds are not compared.
    Most files are only asked for the ends of a few argument lists: those are looked for from their
    beginning on, and all brackets are matched when that gets long.
    """

    def __init__(self, firsts: bytes, directives: Sequence[int]) -> None:
        """Take the tokens' first characters, and their directives or -1."""
        self._classes = firsts.translate(_CLASSES)
        self._directives = directives
        self._patience = _PATIENCE

    def closer(self, opener: int) -> int | None:
        """Return the bracket that closes the one at a place, None when there is none."""
        if self._patience <= 0:
            return self._all.closers.get(opener)
        if self._classes[opener : opener + 1] != b"\1":
            return None
        directive = self._directives[opener]
        depth = 0
        for match in _BRACKET.finditer(self._classes, opener):
            place = match.start()
            if self._directives[place] == directive:
                depth += 1 if match[0] == b"\1" else -1
                if depth == 0:
                    return place
            self._patience -= 1
            if self._patience <= 0:
                return self._all.closers.get(opener)
        return None

    def around(self, index: int) -> int:
        """Return the innermost bracket that is open in front of a token, -1 when none is.

        In front of a closing bracket, that is the one around the pair.
        """
        directive = self._directives[index]
        nesting = self._all.outside if directive < 0 else self._all.inside
        at = bisect_left(nesting.places, index)
        is_closer = self._classes[index] > _OPENS
        if not (is_closer and at < len(nesting.places) and nesting.places[at] == index):
            at -= 1
        if at < 0 or self._directives[nesting.places[at]] != directive:
            return _NONE
        return nesting.behind[at]

    @cached_property
    def _all(self) -> _Matched:
        self._patience = 0
        return _match(self._classes, self._directives)


def _match(classes: bytes, directives: Sequence[int]) -> _Matched:
    """Match all brackets in one pass."""
    matched = _Matched()
    code = stack = [_NONE]
    nesting, directive = matched.outside, _NONE
    for place in compress(count(), classes):
        if directives[place] != directive:
            directive = directives[place]
            stack, nesting = (code, matched.outside) if directive < 0 else ([_NONE], matched.inside)
        if classes[place] == _OPENS:
            stack.append(place)
        elif len(stack) > 1:
            matched.closers[stack.pop()] = place
        nesting.places.append(place)
        nesting.behind.append(stack[-1])
    return matched
