"""Where a place in a function stands: what it is assigned to, passed to, or tested by."""

from typing import Final

from porting.rules.functions import Function
from porting.rules.unit import Unit
from porting.rules.warp.declarations import Declaration, declaration_at
from porting.rules.warp.operands import group_start
from porting.rules.warp.vocabulary import MASKED
from porting.rules.warp.width import integer
from porting.syntax import (
    IDENT,
    STRING,
    enclosing_bracket,
    match_bracket,
    statement_end,
    statement_start,
)

# Calls and keywords that a mask may be inside of without going anywhere.
_TRANSPARENT: Final = frozenset(
    (
        *("static_cast", "if", "while", "for", "switch", "return", "__builtin_expect", "bool"),
        *("assert", "sizeof", "decltype", "__all", "__any", "__ballot", "asm", "__asm__"),
        *("volatile",),
    )
)
ASSIGNMENTS: Final = frozenset(("=", "&=", "|=", "^="))
_NOT_A_MASK: Final = frozenset(("==", "!=", "<", ">", "<=", ">=", "?", "&&", "||", "!", "bool"))
_CONTROL: Final = frozenset(("if", "while", "for", "switch", "else", "do"))
_STATEMENT_LIMIT: Final = 160


def target_of(unit: Unit, function: Function, place: int) -> int | None:
    """Return the token of the variable that the expression at `place` is assigned to.

    The token of `return` when it is returned, the place itself for the output of an asm statement,
    None when the expression goes elsewhere.
    """
    tokens = unit.tokens
    if tokens[place - 1].text == "(" and tokens[place - 2].kind == STRING:
        return place
    start = _behind_control(unit, expression_start(unit, place), place)
    if start > function.open + 1 and tokens[start - 1].text in ("(", "{"):
        owner = start - 2
        if tokens[owner].kind == IDENT and declaration_at(tokens, owner) is not None:
            return owner
    end = statement_end(tokens, start)
    if end - start > _STATEMENT_LIMIT or is_tested(unit, start, end, place):
        return None
    if tokens[start].text == "return":
        return start
    for at in range(start, place):
        if tokens[at].text in ASSIGNMENTS:
            single = at == start + 1 or declaration_at(tokens, at - 1) is not None
            return at - 1 if single and tokens[at - 1].kind == IDENT else None
    return None


def assigned_name(unit: Unit, place: int) -> str:
    """Return the last name of the member or element that the expression at `place` is put into.

    Empty when it goes elsewhere.
    """
    tokens = unit.tokens
    start = expression_start(unit, place)
    for at in range(start, place):
        if tokens[at].text in ASSIGNMENTS:
            end = at
            while end > start and tokens[end - 1].text == "]":
                end = enclosing_bracket(tokens, end - 2) or start
            return tokens[end - 1].text if tokens[end - 1].kind == IDENT else ""
    is_initialized = tokens[start - 1].text in ("(", "{") and tokens[start - 2].kind == IDENT
    return tokens[start - 2].text if is_initialized else ""


def expression_start(unit: Unit, place: int) -> int:
    """Return the first token of the statement or argument around `place`.

    Parentheses that only group or cast are looked through.
    """
    tokens = unit.tokens
    start = statement_start(tokens, place)
    while start >= 2 and tokens[start - 1].text == "(":  # noqa: PLR2004 - a token before the `(`
        before = tokens[start - 2]
        is_call = before.kind == IDENT and before.text != "return"
        outer = start - 1
        if before.text in (")", ">"):
            cast = group_start(tokens, outer)
            if cast is None:
                break
            outer = cast
        elif is_call or before.text == "]" or before.kind == STRING:
            break
        start = statement_start(tokens, outer)
    return start


def _behind_control(unit: Unit, start: int, place: int) -> int:
    """Return the start of the statement behind `if (...)` and its kin, when `place` is there."""
    tokens = unit.tokens
    while tokens[start].text in _CONTROL:
        if tokens[start].text in ("else", "do"):
            start += 1
            continue
        close = match_bracket(tokens, start + 1)
        if close is None or close >= place:
            break
        start = close + 1
    return start


def is_tested(unit: Unit, start: int, end: int, place: int) -> bool:
    """Whether a statement makes a comparison, a choice or one bit of the mask at `place`.

    What stands in the arguments of calls does not count, nor what a choice in front of the place
    depends on.
    """
    tokens = unit.tokens
    tested = False
    at = start
    while at < end:
        token = tokens[at]
        if token.text == "?" and at < place:
            tested = False
        elif token.text == ":" and at > place:
            break
        elif token.text == "static_cast":
            at = next((i for i in range(at, end) if tokens[i].text == ">"), at)
        elif token.text in _NOT_A_MASK or (token.text == "&" and _is_one(unit, at + 1)):
            tested = True
        elif token.text == "(" and tokens[at - 1].kind == IDENT and tokens[at - 1].text != "return":
            at = match_bracket(tokens, at) or end
        at += 1
    return tested


def _is_one(unit: Unit, at: int) -> bool:
    return integer(unit.tokens[at]) == 1 and unit.tokens[at + 1].text != "<<"


def enclosing_call(unit: Unit, function: Function, place: int) -> int | None:
    """Return the name token of the innermost call around `place`, or None.

    Casts, conditions and operators in parentheses are looked through.
    """
    tokens = unit.tokens
    depth = 0
    for at in range(place - 1, max(function.first, place - _STATEMENT_LIMIT), -1):
        text = tokens[at].text
        if text in (")", "]"):
            depth += 1
        elif text in ("(", "["):
            depth -= 1
            if depth < 0:
                owner = _owner(unit, at)
                if owner is not None:
                    return owner
                depth = 0
        elif text in (";", "{", "}") and depth == 0:
            return None
    return None


def _owner(unit: Unit, opener: int) -> int | None:
    """Return the name in front of an opening parenthesis when it is a call that takes values."""
    tokens = unit.tokens
    at = opener - 1
    if tokens[opener].text == "[" or tokens[at].text == ">":
        return None
    if tokens[at].kind != IDENT or tokens[at].text in _TRANSPARENT:
        return None
    if declaration_at(tokens, at) is not None:
        return None  # `unsigned mask(...)` initializes
    return at


def is_mask_argument(unit: Unit, call_name: int, place: int) -> bool:
    """Whether `place` is in the first argument of a *_sync function."""
    if unit.tokens[call_name].text not in MASKED:
        return False
    depth = 0
    for at in range(call_name + 2, place):
        text = unit.tokens[at].text
        depth += (text in ("(", "[", "{")) - (text in (")", "]", "}"))
        if text == "," and depth == 0:
            return False
    return True


def is_sole_declarator(unit: Unit, declaration: Declaration) -> bool:
    """Whether the declaration names one variable only, or is a parameter."""
    tokens = unit.tokens
    depth = 0
    for at in range(declaration.name, min(len(tokens), declaration.name + _STATEMENT_LIMIT)):
        text = tokens[at].text
        if text in (")", "]", "}"):
            depth -= 1
            if depth < 0:
                return True
        elif text in ("(", "[", "{"):
            depth += 1
        elif text == ";" and depth == 0:
            return True
        elif text == "," and depth == 0:
            start = statement_start(tokens, declaration.name)
            return start > 0 and tokens[start - 1].text == "(" and _is_parameter(unit, declaration)
    return False


def _is_parameter(unit: Unit, declaration: Declaration) -> bool:
    function = unit.functions.around(declaration.name)
    return function is not None and declaration.name < function.open
