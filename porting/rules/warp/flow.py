"""Where the lane masks of a function come from and where they go, read from its tokens."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from porting.rules.functions import Function
from porting.rules.unit import Unit
from porting.rules.warp.declarations import Declaration, declaration_at
from porting.rules.warp.width import integer
from porting.syntax import IDENT, STRING, statement_end, statement_start

PRODUCERS: Final = frozenset("__ballot_sync __activemask __match_any_sync __match_all_sync".split())
COUNTERS: Final = {
    "__popc": "__popcll",
    "__ffs": "__ffsll",
    "__clz": "__clzll",
    "__brev": "__brevll",
    "__fns": "__fns64",
    "__builtin_popcount": "__builtin_popcountll",
    "__builtin_ffs": "__builtin_ffsll",
    "__builtin_ctz": "__builtin_ctzll",
    "__builtin_clz": "__builtin_clzll",
}
# Calls and keywords that a mask may be inside of without going anywhere.
_TRANSPARENT: Final = frozenset(
    "static_cast if while for switch return __builtin_expect bool assert sizeof decltype"
    " __all __any __ballot asm __asm__ volatile".split()
)
_SYNC_SUFFIX: Final = "_sync"
_ASSIGNMENTS: Final = frozenset(("=", "&=", "|=", "^="))
_STATEMENT_LIMIT: Final = 160


@dataclass(slots=True)
class MaskVariable:
    """A variable of one function that holds lane masks, and its token places."""

    name: str
    declaration: Declaration | None
    uses: list[int] = field(default_factory=list)


@dataclass(slots=True)
class Flow:
    """The mask variables of one function, and where it returns masks."""

    function: Function
    variables: dict[str, MaskVariable] = field(default_factory=dict)
    returns: bool = False


def read_flow(unit: Unit, function: Function, mask_functions: frozenset[str]) -> Flow:
    """Find the variables of a function that hold lane masks, directly or derived from others."""
    flow = Flow(function)
    pending = list(_sources(unit, function, mask_functions))
    while pending:
        place = pending.pop()
        target = _target(unit, function, place)
        if target is None:
            continue
        name = unit.tokens[target].text
        if name in flow.variables or name == "return":
            flow.returns |= name == "return"
            continue
        variable = MaskVariable(name, _declaration(unit, function, name))
        variable.uses = [u for u in unit.where(name) if function.first <= u <= function.close]
        flow.variables[name] = variable
        pending += [use for use in variable.uses if enclosing_call(unit, function, use) is None]
    return flow


def _sources(unit: Unit, function: Function, mask_functions: frozenset[str]) -> Iterator[int]:
    """Yield the places in a function where a mask comes into being."""
    for name in PRODUCERS | mask_functions:
        for place in unit.where(name):
            if function.open < place < function.close:
                yield place
    for name in ("asm", "__asm__"):
        for place in unit.where(name):
            if function.open < place < function.close:
                yield from _asm_outputs(unit, place)


def _asm_outputs(unit: Unit, place: int) -> Iterator[int]:
    """Yield the output operand of an asm statement that reads a lane mask register."""
    tokens = unit.tokens
    end = min(statement_end(tokens, place), place + 40)
    texts = [at for at in range(place, end) if tokens[at].kind == STRING]
    if not texts or "lanemask_" not in tokens[texts[0]].text:
        return
    for at in texts[1:]:
        if "=" in tokens[at].text and tokens[at + 1].text == "(" and tokens[at + 3].text == ")":
            yield at + 2


def _target(unit: Unit, function: Function, place: int) -> int | None:
    """Return the token of the variable that the expression at `place` is assigned to.

    The token of `return` when it is returned, the place itself for the output of an asm statement,
    None when the expression goes elsewhere.
    """
    tokens = unit.tokens
    if tokens[place - 1].text == "(" and tokens[place - 2].kind == STRING:
        return place
    start = statement_start(tokens, place)
    if start > function.open + 1 and tokens[start - 1].text in ("(", "{"):
        owner = start - 2
        if tokens[owner].kind == IDENT and declaration_at(tokens, owner) is not None:
            return owner
    end = statement_end(tokens, start)
    if end - start > _STATEMENT_LIMIT or _compares(unit, start, end):
        return None
    if tokens[start].text == "return":
        return start
    for at in range(start, place):
        if tokens[at].text in _ASSIGNMENTS:
            single = at == start + 1 or declaration_at(tokens, at - 1) is not None
            return at - 1 if single and tokens[at - 1].kind == IDENT else None
    return None


def _compares(unit: Unit, start: int, end: int) -> bool:
    """Whether the statement's value is a comparison, a choice or a shifted bit, not a mask."""
    words = {unit.tokens[at].text for at in range(start, end)}
    return bool(words & {"==", "!=", "<", ">", "<=", ">=", "?", "&&", "||", "!", ">>", "bool"})


def _declaration(unit: Unit, function: Function, name: str) -> Declaration | None:
    for place in unit.where(name):
        if function.first <= place <= function.close:
            declaration = declaration_at(unit.tokens, place)
            if declaration is not None:
                return declaration
    return None


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
    return at


def is_mask_argument(unit: Unit, call_name: int, place: int) -> bool:
    """Whether `place` is in the first argument of a *_sync function."""
    if not unit.tokens[call_name].text.endswith(_SYNC_SUFFIX):
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


def lane_shifts(unit: Unit, place: int) -> Iterator[int]:
    """Yield the number tokens of `1u << ...` in the statement around `place`."""
    tokens = unit.tokens
    start = statement_start(tokens, place)
    end = min(statement_end(tokens, place), start + _STATEMENT_LIMIT)
    for at in range(start, end - 1):
        if tokens[at + 1].text == "<<" and integer(tokens[at]) in (1, 2):
            yield at
