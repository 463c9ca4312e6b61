"""Whether code counts in 32-lane warps or asks warpSize: it decides how votes are rewritten."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, StrEnum
from functools import cache, cached_property
from typing import Final

from porting.rules.unit import Unit
from porting.syntax import IDENT, NUMBER, Token, call_at, match_bracket

# Names that people give to the constant 32, and names of thread numbers within a block.
_WARP_SIZE_NAME: Final = re.compile(
    r"k?_*(?:cuda|gpu|num|n)?_*(?:warp|wave)_*(?:size|width|threads|lanes)_*"
    r"|(?:num_*)?(?:threads|lanes)_*(?:per|in)_*(?:a_*)?warp_*"
    r"|k?_*warp_*"
)
_LOG_NAME: Final = re.compile(
    r"k?_*log_*2?_*(?:of_*)?warp_*(?:size_*)?|k?_*warp_*(?:size_*)?(?:log_*2?|shift|bits)_*"
)
_THREAD_NAME: Final = re.compile(
    r"tidx?|tx|thread_?(?:id|idx|rank|index)?x?|lane|lane_?idx?|lin(?:ear)?_?tid"
)
_WAVE_NAMES: Final = frozenset(("warpSize", "C10_WARP_SIZE", "at_warp_size"))
_LITERALS: Final = {"&": 31, "%": 32, "/": 32, ">>": 5}
_COMPARISONS: Final = frozenset(("==", "!=", "<", ">", "<=", ">="))
_HALVES: Final = frozenset((">>=", "/=", "*=", "<<="))
LANES: Final = 32
_LOG_LANES: Final = 5


class Width(StrEnum):
    """What a warp is for a piece of code."""

    LOGICAL = "32 lanes"
    WAVE = "the wavefront"


class _Word(Enum):
    """What an identifier may say about the number of lanes."""

    THREADS = 1
    SIZE = 2
    SHUFFLE = 3
    LOG = 4


@cache
def _kind_of_name(name: str) -> _Word | None:
    folded = name.lower()
    if folded.startswith(("t", "l")) and (name == "threadIdx" or _THREAD_NAME.fullmatch(folded)):
        return _Word.THREADS
    if ("warp" in folded or "wave" in folded) and _WARP_SIZE_NAME.fullmatch(folded):
        return _Word.SIZE
    if "warp" in folded and _LOG_NAME.fullmatch(folded):
        return _Word.LOG
    return _Word.SHUFFLE if name.startswith("__shfl") else None


@dataclass(frozen=True, slots=True)
class Literal:
    """A place where 32 lanes are written as a number: its first token and what it says."""

    index: int
    text: str


def integer(token: Token) -> int | None:
    """Return the value of an integer literal token, or None."""
    if token.kind != NUMBER:
        return None
    digits = token.text.replace("'", "").rstrip("uUlLzZ")
    try:
        octal = len(digits) > 1 and digits[0] == "0" and digits.isdigit()
        return int(digits, 8 if octal else 0)
    except ValueError:
        return None


class Widths:
    """The evidence of a file."""

    def __init__(self, unit: Unit) -> None:
        self._unit = unit
        self._tokens = unit.tokens

    @cached_property
    def width(self) -> Width:
        """What a warp is in this file.

        Code is wave-wide when it, or some file of the tree, asks warpSize and nothing in the tree
        counts in 32: only then do all parts agree.  Everywhere else CUDA's 32 lanes are kept, which
        is exactly what the code did before.
        """
        project = self._unit.project
        asked = project.asks_warp_size or bool(self.wave_places)
        counts = asked and (project.counts_in_32 or bool(self.literals))
        return Width.WAVE if asked and not counts else Width.LOGICAL

    @property
    def logical(self) -> bool:
        """Whether the code keeps 32-lane warps."""
        return self.width is Width.LOGICAL

    @cached_property
    def mixed(self) -> bool:
        """Whether the file asks warpSize while it, or another of the tree, counts in 32."""
        counts = self._unit.project.counts_in_32 or bool(self.literals)
        return bool(self.wave_places) and counts

    @cached_property
    def wave_places(self) -> list[int]:
        """Token indices where device code asks for the wavefront's size.

        A file that declares a warpSize of its own never means CUDA's.
        """
        return [
            place
            for name in sorted(_WAVE_NAMES)
            if not any(map(self.declares, self._unit.where(name)))
            for place in self._unit.where(name)
            if self._tokens[place - 1].text not in (".", "->", "::")
        ]

    def declares(self, place: int) -> bool:
        """Whether `T name =` or `T name;` stands at `place`."""
        before = self._tokens[place - 1]
        after = self._tokens[place + 1].text if place + 1 < len(self._tokens) else ";"
        return (
            before.kind == IDENT
            and before.text not in ("return", "case", "else", "define", "ifdef", "ifndef", "undef")
            and after in ("=", ";", ",", ")", "{", "[", ">")
        )

    @cached_property
    def literals(self) -> list[Literal]:
        """Places where the number of lanes is written as a literal, by place."""
        found = {literal.index: literal for literal in self._find_literals()}
        return [found[index] for index in sorted(found)]

    def _find_literals(self) -> Iterator[Literal]:
        index = self._unit.index
        # All names are folded at once, and most go no further.
        folded = "\n".join(index).lower().split("\n")
        for name, letters in zip(index, folded, strict=False):
            if letters[0] not in "tl_" and "warp" not in letters and "wave" not in letters:
                continue
            kind = _kind_of_name(name)
            for place in index[name] if kind is not None else ():
                if kind is _Word.THREADS:
                    yield from self._arithmetic(place, place + (3 if name == "threadIdx" else 1))
                elif kind in (_Word.SIZE, _Word.LOG):
                    if self._defines(place, LANES if kind is _Word.SIZE else _LOG_LANES):
                        yield Literal(place, name)
                else:
                    yield from self._halving_loop(place)
                    yield from self._distance(place)

    def _arithmetic(self, place: int, after: int) -> Iterator[Literal]:
        """Yield `threadIdx.x & 31` and its kin, also around parentheses, and reversed."""
        tokens = self._tokens
        for at in (after, *self._behind_parentheses(after)):
            words = tokens.words[at : at + 5]
            if words == ["&", "(", str(LANES), "-", "1"]:
                yield Literal(place, "& (32 - 1)")
                return
            number = integer(tokens[at + 1]) if at + 1 < len(tokens) else None
            if self._is_lane_count(tokens[at].text, number):
                yield Literal(place, f"{tokens[at].text} {tokens[at + 1].text}")
                return
        if tokens[place - 1].text == "&" and integer(tokens[place - 2]) == LANES - 1:
            yield Literal(place, f"{tokens[place - 2].text} &")

    @staticmethod
    def _is_lane_count(operator: str, number: int | None) -> bool:
        if operator in _COMPARISONS:
            return number in (LANES - 1, LANES)
        return number is not None and number == _LITERALS.get(operator.removesuffix("="))

    def _distance(self, place: int) -> Iterator[Literal]:
        """Yield a shuffle's distance of half a warp, or its last lane, written as a number."""
        call = call_at(self._tokens, place)
        wanted = 2 if self._tokens[place].text.endswith("_sync") else 1
        if call is None or len(call.arguments) <= wanted:
            return
        argument = call.arguments[wanted]
        number = integer(self._tokens[argument.first])
        if argument.last - argument.first == 1 and number in (LANES // 2, LANES - 1):
            yield Literal(argument.first, self._tokens[argument.first].text)

    def _behind_parentheses(self, at: int) -> Iterator[int]:
        """Yield the token after each closing parenthesis around the expression at `at`."""
        tokens = self._tokens
        depth = 0
        for index in range(at, min(at + 24, len(tokens) - 1)):
            text = tokens.words[index]
            if text in ("(", "["):
                depth += 1
            elif text in (")", "]"):
                depth -= 1
                if depth < 0:
                    if text == "]":
                        return
                    yield index + 1
                    depth = 0
            elif depth == 0 and text in (";", ",", "{", "}", "?", "=", "<", "=="):
                return

    def _defines(self, place: int, value: int) -> bool:
        """Whether a named constant gets a value: #define, an initializer, an enumerator."""
        tokens = self._tokens
        after = place + 1
        if after < len(tokens) and tokens[after].text in ("=", "{", "("):
            after += 1
        elif tokens[place - 1].text != "define":
            return False
        if after < len(tokens) and tokens[after].text == "(":
            after += 1
        return after < len(tokens) and integer(tokens[after]) == value

    def _halving_loop(self, place: int) -> Iterator[Literal]:
        """Yield the start 16 of a loop around a shuffle that halves its distance."""
        function = self._unit.functions.around(place)
        first = function.first if function else 0
        tokens = self._tokens
        for at in range(place, max(first, place - 120), -1):
            if tokens.words[at] == "for" and tokens.words[at + 1] == "(":
                close = match_bracket(tokens, at + 1)
                if close is None or close > place + 1:
                    return
                header = range(at + 2, close)
                words = tokens.words[at + 2 : close]
                if not _HALVES.isdisjoint(words):
                    for i in header:
                        if integer(tokens[i]) in (LANES // 2, LANES):
                            yield Literal(i, tokens[i].text)
                            return
                return
