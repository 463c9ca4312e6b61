"""What a lane mask argument is: every lane, 64 bits already, or something else."""

import re
from collections.abc import Sequence
from enum import StrEnum
from typing import Final

from porting.edits import Edit
from porting.rules.unit import Unit
from porting.rules.warp.declarations import declaration_at
from porting.rules.warp.width import integer
from porting.syntax import IDENT, NUMBER, Argument, Call, Token

FULL_32: Final = 0xFFFFFFFF
_FULL_NAMES: Final = frozenset(("UINT_MAX", "UINT32_MAX", "kFullWarpMask"))
_FULL_NAME: Final = re.compile(
    r"(?=.*(?:mask|lane|warp))(?=.*(?:full|all|every|whole))\w+|k?warp_?mask", re.IGNORECASE
)
_WIDE_NAMES: Final = frozenset(("ULLONG_MAX", "ULONG_MAX", "UINT64_MAX", "__ballot"))
_VARIADIC: Final = frozenset(("...", "__VA_ARGS__", "__VA_OPT__"))
_TYPES: Final = frozenset(
    (
        *("unsigned", "signed", "int", "long", "uint", "uint32_t", "uint64_t", "int64_t"),
        *("size_t", "u32", "u64", "uint64", "lane_mask_t"),
    )
)
_EFFECTS: Final = frozenset(("++", "--", "=", "+=", "-=", "*=", "&=", "|=", "^=", "<<=", ">>="))


class Mask(StrEnum):
    """The kinds of mask arguments."""

    FULL = "every lane"
    WIDE = "64 bits"
    OTHER = "a 32-bit mask"


def is_variadic(tokens: Sequence[Token], call: Call) -> bool:
    """Whether the arguments come from __VA_ARGS__ or a pack, so that they cannot be counted."""
    return any(tokens[at].text in _VARIADIC for at in range(call.open, call.close))


def has_effects(tokens: Sequence[Token], argument: Argument) -> bool:
    """Whether dropping the argument would drop an assignment."""
    return any(tokens[at].text in _EFFECTS for at in range(argument.first, argument.last))


def kind_of_mask(unit: Unit, argument: Argument) -> Mask:
    """Return what the mask argument of a *_sync call is."""
    tokens = unit.tokens[argument.first : argument.last]
    words = [token.text for token in tokens if token.text not in ("(", ")", "{", "}")]
    if words == ["__activemask"]:
        return Mask.FULL  # votes count active lanes only
    words = _without_casts(words)
    if len(words) == 1 and _value(words[0]) == FULL_32:
        return Mask.FULL  # also with a suffix that gives it 64 bits: it names one CUDA warp
    if any(is_wide_literal(t) or t.text in _WIDE_NAMES for t in tokens):
        return Mask.WIDE
    return _kind_of_words(unit, words, argument)


def _without_casts(words: list[str]) -> list[str]:
    if words and words[0] in ("static_cast", "unsigned", "uint32_t", "std") and ">" in words:
        words = words[words.index(">") + 1 :]
    while len(words) > 1:
        skipped = 2 if words[:2] == ["std", "::"] and words[2:3] and words[2] in _TYPES else 0
        if words[skipped] not in _TYPES:
            break
        words = words[skipped + 1 :]
    return words


def is_local(unit: Unit, argument: Argument) -> bool:
    """Whether the mask is made of a variable or parameter of its function, which is widened."""
    function = unit.functions.around(argument.first)
    if function is None:
        return False
    for token in unit.tokens[argument.first : argument.last]:
        if token.kind == IDENT:
            for place in unit.where(token.text):
                if function.first <= place <= function.close and (
                    declaration_at(unit.tokens, place) is not None
                ):
                    return True
    return False


def _kind_of_words(unit: Unit, words: Sequence[str], argument: Argument) -> Mask:
    if len(words) == 2:  # noqa: PLR2004 - an operator and its operand
        number = _value(words[1])
        full = (words[0] == "~" and number == 0) or (words[0] == "-" and number == 1)
        return Mask.FULL if full else Mask.OTHER
    name = words[-1] if words else ""
    if len(words) != 1 and not all(words[at] == "::" for at in range(len(words) - 2, -1, -2)):
        return Mask.OTHER
    if _value(name) == FULL_32 or name in _FULL_NAMES:
        return Mask.FULL
    return _kind_of_name(unit, name, argument)


def _kind_of_name(unit: Unit, name: str, argument: Argument) -> Mask:
    """Look a constant or variable up in this file; else go by its name."""
    function = unit.functions.around(argument.first)
    for place in unit.where(name):
        defined = constant_value(unit, place)
        if defined is not None and is_constant(unit.tokens, place):
            return Mask.FULL if defined == FULL_32 else Mask.OTHER
        near = function is unit.functions.around(place) or is_constant(unit.tokens, place)
        if near and _is_wide_full(unit, place):
            return Mask.FULL
        declared = declaration_at(unit.tokens, place)
        if declared is None:
            continue
        if function is None or not function.is_macro:
            local = function is not None and function.first <= place <= function.close
            if declared.wide and (local or unit.functions.around(place) is None):
                return Mask.WIDE
            if local:
                return Mask.OTHER
    if _FULL_NAME.fullmatch(name) and name not in _macro_parameters(unit, argument):
        return Mask.FULL
    return Mask.OTHER


def is_full_name(name: str) -> bool:
    """Whether a constant of this name has 32 ones: by the name alone."""
    return name in _FULL_NAMES or _FULL_NAME.fullmatch(name) is not None


def _macro_parameters(unit: Unit, argument: Argument) -> frozenset[str]:
    """Return the parameters of the macro around the argument: their names say nothing."""
    function = unit.functions.around(argument.first)
    if function is None or not function.is_macro:
        return frozenset()
    names: set[str] = set()
    for at in range(function.first + 1, function.close):
        if unit.tokens[at].text == ")":
            break
        names.add(unit.tokens[at].text)
    return frozenset(names)


def is_constant(tokens: Sequence[Token], place: int) -> bool:
    """Whether the name defined at token `place` keeps its value: a macro, const or enumerator."""
    before = tokens[place - 1].text
    if before in ("define", "{", ","):
        return True
    words = (tokens[at].text for at in range(max(0, place - 6), place))
    return any(word in ("const", "constexpr") for word in words)


def constant_value(unit: Unit, place: int) -> int | None:
    """Return the 32-bit value that `#define N v`, `N = v` or `N{v}` gives to the name N."""
    at = _initializer(unit, place)
    if at is None or not _is_whole(unit.tokens, at):
        return None
    return literal_value(unit.tokens, at)


def _is_whole(tokens: Sequence[Token], first: int) -> bool:
    """Whether the number at `first`, with a sign and in parentheses, is the whole value."""
    at, depth = first, 0
    while at < len(tokens) and tokens[at].text in ("(", "~", "-"):
        depth += tokens[at].text == "("
        at += 1
    at += 1
    while at < len(tokens) and depth and tokens[at].text == ")":
        depth, at = depth - 1, at + 1
    if at >= len(tokens) or tokens[at].directive != tokens[first].directive:
        return True
    return tokens[at].text in ("", ";", ",", ")", "}")


def _initializer(unit: Unit, place: int) -> int | None:
    """Return the token where the value starts that a definition of the name at `place` gives it."""
    tokens = unit.tokens
    at = place + 1
    if tokens[place - 1].text != "define":
        if at >= len(tokens) or tokens[at].text not in ("=", "{", "("):
            return None
        if tokens[place - 1].kind != IDENT and tokens[place - 1].text not in ("{", ","):
            return None
        at += 1
    return at


def _is_wide_full(unit: Unit, place: int) -> bool:
    """Whether the name at `place` is defined as 32 ones in 64 bits, and keeps that value."""
    tokens, at = unit.tokens, _initializer(unit, place)
    while at is not None and at < len(tokens) and tokens[at].text in (*_TYPES, "(", ")", "{"):
        at += 1
    if at is None or at >= len(tokens) or integer(tokens[at]) != FULL_32:
        return False
    following = tokens[at + 1] if at + 1 < len(tokens) else tokens[at]
    if following.directive == tokens[at].directive and following.text not in (";", ",", ")", "}"):
        return False
    return is_constant(tokens, place) or _is_never_written(unit, place)


def _is_never_written(unit: Unit, place: int) -> bool:
    """Whether the 64-bit variable declared at `place` in a function only has its first value."""
    tokens, function = unit.tokens, unit.functions.around(place)
    declaration = declaration_at(tokens, place)
    if function is None or declaration is None or not declaration.wide:
        return False
    return not any(
        tokens[use + 1].text in _EFFECTS or tokens[use - 1].text in ("&", "++", "--")
        for use in unit.where(tokens[place].text)
        if function.open < use < function.close and use != place
    )


def literal_value(tokens: Sequence[Token], at: int) -> int | None:
    """Return the 32-bit value of the number at token `at`, parentheses and ~ or - in front."""
    while at < len(tokens) and tokens[at].text == "(":
        at += 1
    if at >= len(tokens) or is_wide_literal(tokens[at]):
        return None
    value = integer(tokens[at])
    if value is not None:
        return value
    if at + 1 < len(tokens) and tokens[at].text in ("~", "-"):
        operand = integer(tokens[at + 1])
        if operand is not None and not is_wide_literal(tokens[at + 1]):
            return (~operand if tokens[at].text == "~" else -operand) & FULL_32
    return None


def _value(word: str) -> int | None:
    return integer(Token(NUMBER, word, 0, 0, -1)) if word[:1].isdigit() else None


def is_wide_literal(token: Token) -> bool:
    """Whether an integer literal is 64 bits wide, by its suffix or value."""
    if token.kind != NUMBER:
        return False
    value = integer(token)
    suffix = token.text[len(token.text.rstrip("uUlL")) :].lower()
    return "l" in suffix or (value is not None and value > FULL_32)


def drop_first(unit: Unit, call: Call) -> Edit:
    """Return the edit that removes the first argument and its comma."""
    tokens = unit.tokens
    first, second = call.arguments[0], call.arguments[1]
    return Edit(tokens[first.first].start, tokens[second.first].start, "", tokens[call.name].text)
