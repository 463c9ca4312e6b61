"""Where the lane masks of a function come from and where they go, read from its tokens."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from porting.rules.functions import Function
from porting.rules.unit import Unit
from porting.rules.warp.declarations import Declaration, declaration_at
from porting.rules.warp.width import integer
from porting.syntax import IDENT, STRING, call_at, match_bracket, statement_end, statement_start

PRODUCERS: Final = frozenset(
    ("__ballot_sync", "__ballot", "__activemask", "__match_any_sync", "__match_all_sync")
)
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
    (
        *("static_cast", "if", "while", "for", "switch", "return", "__builtin_expect", "bool"),
        *("assert", "sizeof", "decltype", "__all", "__any", "__ballot", "asm", "__asm__"),
        *("volatile",),
    )
)
_LOSE_MASKS: Final = frozenset(
    ("__shfl_sync", "__shfl_up_sync", "__shfl_down_sync", "__shfl_xor_sync", "__syncwarp")
)
# Functions whose first argument is a lane mask.
MASKED: Final = frozenset(
    (
        *PRODUCERS - {"__activemask", "__ballot"},
        *_LOSE_MASKS,
        *("__any_sync", "__all_sync"),
        *("__reduce_add_sync", "__reduce_min_sync", "__reduce_max_sync"),
        *("__reduce_and_sync", "__reduce_or_sync", "__reduce_xor_sync"),
    )
)
_ASSIGNMENTS: Final = frozenset(("=", "&=", "|=", "^="))
_NOT_A_MASK: Final = frozenset(("==", "!=", "<", ">", "<=", ">=", "?", "&&", "||", "!", "bool"))
_CONTROL: Final = frozenset(("if", "while", "for", "switch", "else", "do"))
_STATEMENT_LIMIT: Final = 160


@dataclass(slots=True)
class MaskVariable:
    """A variable of one function that holds lane masks, and its token places."""

    name: str
    declaration: Declaration | None
    uses: list[int] = field(default_factory=list)


@dataclass(slots=True)
class Flow:
    """The mask variables of one function, and whether it or its named lambdas return masks."""

    function: Function
    variables: dict[str, MaskVariable] = field(default_factory=dict)
    returns: bool = False
    lambdas: set[str] = field(default_factory=set)


def read_flow(
    unit: Unit, function: Function, mask_functions: frozenset[str], *, wave: bool
) -> Flow:
    """Find the variables of a function that hold lane masks, directly or derived from others.

    `wave`: include the masks that *_sync calls are given and the shifted bits that meet a mask.
    """
    flow = Flow(function)
    pending = list(_sources(unit, function, mask_functions))
    _follow(unit, flow, pending)
    if wave:
        for name in _given_masks(unit, function):
            _add(unit, flow, name)
        _follow(unit, flow, list(_bits_that_meet_masks(unit, flow)))
    return flow


def _follow(unit: Unit, flow: Flow, pending: list[int]) -> None:
    """Add the variables that the expressions at `pending` flow into, and so on."""
    while pending:
        place = pending.pop()
        target = target_of(unit, flow.function, place)
        if target is None:
            continue
        name = unit.tokens[target].text
        if name == "return":
            lambda_name = _lambda_around(unit, flow.function, target)
            if lambda_name is None:
                flow.returns = True
            else:
                flow.lambdas.add(lambda_name)
        elif name not in flow.variables:
            variable = _add(unit, flow, name)
            pending += [
                use for use in variable.uses if enclosing_call(unit, flow.function, use) is None
            ]


def _add(unit: Unit, flow: Flow, name: str) -> MaskVariable:
    function = flow.function
    uses = [use for use in unit.where(name) if function.first <= use <= function.close]
    variable = MaskVariable(name, _declaration(unit, function, name), uses)
    flow.variables[name] = variable
    return variable


def _given_masks(unit: Unit, function: Function) -> Iterator[str]:
    """Yield the local variables and parameters that *_sync calls get as their mask."""
    for builtin in MASKED - _LOSE_MASKS:
        for place in unit.where(builtin):
            if function.parameters < place < function.close:
                call = call_at(unit.tokens, place)
                if call is None or not call.arguments:
                    continue
                mask = call.arguments[0]
                name = unit.tokens[mask.first]
                if mask.last - mask.first == 1 and name.kind == IDENT:
                    declaration = _declaration(unit, function, name.text)
                    if declaration is not None and not declaration.deduced:
                        yield name.text


def _bits_that_meet_masks(unit: Unit, flow: Flow) -> Iterator[int]:
    """Yield the `<<` of initializers like `(1u << lane) - 1` whose variable meets a mask."""
    tokens, function = unit.tokens, flow.function
    meeting = {
        tokens[at].text
        for variable in flow.variables.values()
        for use in variable.uses
        for at in (use - 2, use + 2)
        if tokens[at].kind == IDENT and tokens[min(at, use) + 1].text in ("&", "|", "^")
    }
    for at in range(function.parameters, function.close):
        if tokens[at].text == "<<" and integer(tokens[at - 1]) in (1, 2):
            target = target_of(unit, function, at)
            if target is not None and tokens[target].text in meeting:
                yield at


def _sources(unit: Unit, function: Function, mask_functions: frozenset[str]) -> Iterator[int]:
    """Yield the places in a function where a mask comes into being."""
    for name in PRODUCERS | mask_functions:
        for place in unit.where(name):
            if function.parameters < place < function.close:
                yield place
    for name in ("asm", "__asm__"):
        for place in unit.where(name):
            if function.parameters < place < function.close:
                yield from _asm_outputs(unit, place)


def _asm_outputs(unit: Unit, place: int) -> Iterator[int]:
    """Yield the output operand of an asm statement that reads a lane mask register."""
    tokens = unit.tokens
    end = min(statement_end(tokens, place), place + 40)
    texts = [at for at in range(place, end) if tokens.kinds[at] == STRING]
    if not texts or "lanemask_" not in tokens[texts[0]].text:
        return
    for at in texts[1:]:
        if "=" in tokens[at].text and tokens[at + 1].text == "(" and tokens[at + 3].text == ")":
            yield at + 2


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
    if end - start > _STATEMENT_LIMIT or is_tested(unit, start, end):
        return None
    if tokens[start].text == "return":
        return start
    for at in range(start, place):
        if tokens[at].text in _ASSIGNMENTS:
            single = at == start + 1 or declaration_at(tokens, at - 1) is not None
            return at - 1 if single and tokens[at - 1].kind == IDENT else None
    return None


def expression_start(unit: Unit, place: int) -> int:
    """Return the first token of the statement or argument around `place`.

    Parentheses that only group are looked through.
    """
    tokens = unit.tokens
    start = statement_start(tokens, place)
    while start >= 2 and tokens[start - 1].text == "(":  # noqa: PLR2004 - a token before the `(`
        before = tokens[start - 2]
        is_call = before.kind == IDENT and before.text != "return"
        if is_call or before.text in (")", "]", ">") or before.kind == STRING:
            break
        start = statement_start(tokens, start - 1)
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


def _lambda_around(unit: Unit, function: Function, place: int) -> str | None:
    """Return the name of the lambda whose body holds `place`, "" if it has none, None if none."""
    tokens = unit.tokens
    depth = 0
    for at in range(place, function.open, -1):
        text = tokens[at].text
        if text == "}":
            depth += 1
        elif text == "{":
            depth -= 1
            if depth < 0:
                introducer = _introducer(unit, at)
                if introducer is not None:
                    named = tokens[introducer - 1].text == "="
                    return tokens[introducer - 2].text if named else ""
                depth = 0
    return None


def _introducer(unit: Unit, opener: int) -> int | None:
    """Return the `[` of the lambda whose body opens at `opener`, or None."""
    tokens = unit.tokens
    at = opener - 1
    while tokens[at].text in ("mutable", "noexcept") or tokens[at].kind == IDENT:
        at -= 1
    depth = 0
    while at > 0 and tokens[at].text == ")":
        while at > 0:
            depth += (tokens[at].text == ")") - (tokens[at].text == "(")
            at -= 1
            if depth == 0:
                break
    if tokens[at].text != "]":
        return None
    while at > 0 and tokens[at].text != "[":
        at -= 1
    return at if tokens[at - 1].text in ("=", "(", ",", "return", "{", "&&", "||") else None


def mask_macros(unit: Unit) -> frozenset[str]:
    """Return the macros of this file whose value is a lane mask."""
    found = set()
    for name in PRODUCERS:
        for place in unit.where(name):
            macro = unit.functions.around(place)
            if macro is None or not macro.is_macro or macro.name + 1 == place:
                continue
            body = range(macro.first + 1, macro.close + 1)
            if enclosing_call(unit, macro, place) is None and not is_tested(
                unit, body.start, body.stop
            ):
                found.add(unit.tokens[macro.name].text)
    return frozenset(found)


def is_tested(unit: Unit, start: int, end: int) -> bool:
    """Whether the statement's value is a comparison, a choice or one bit, not a mask.

    What stands in the arguments of calls does not count.
    """
    tokens = unit.tokens
    at = start
    while at < end:
        token = tokens[at]
        if token.text in _NOT_A_MASK:
            return True
        if token.text == "&" and integer(tokens[at + 1]) == 1:
            return True
        if token.text == "(" and tokens[at - 1].kind == IDENT and tokens[at - 1].text != "return":
            at = match_bracket(tokens, at) or end
        at += 1
    return False


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


def lane_shifts(unit: Unit, place: int) -> Iterator[int]:
    """Yield the number tokens of `1u << ...` in the statement around `place`."""
    tokens = unit.tokens
    start = expression_start(unit, place)
    end = min(statement_end(tokens, start), start + _STATEMENT_LIMIT)
    for at in range(start, end - 1):
        if tokens[at + 1].text == "<<" and integer(tokens[at]) in (1, 2):
            yield at
