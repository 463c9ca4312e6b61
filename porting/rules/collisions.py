"""Different CUDA names that are declared side by side and become one name in HIP."""

from collections.abc import Iterator, Sequence

from porting.diagnostics import Code, Diagnostic, Severity
from porting.mapping import Status
from porting.rules.unit import Unit
from porting.syntax import IDENT, declares, enclosing_bracket

COLLISION: Code = Code(
    "COL001",
    "api-name",
    Severity.ERROR,
    "two CUDA names declared side by side that become one",
    "HIP has one function where CUDA has several (cuMemAlloc and cuMemAlloc_v2, cudaMalloc and"
    " cuMemAlloc).  A structure, an enumeration or a list for macros that names two of them would"
    " declare the same name twice.  Remove one of them, or give the members names of your own.",
)
CODES = (COLLISION,)


def check(unit: Unit) -> Iterator[Diagnostic]:
    """Yield an error at every name whose HIP name is declared before it in the same place."""
    for names in _sharing(unit):
        first: dict[tuple[int, int], str] = {}
        places = sorted(number for name in names for number in unit.where(name))
        for number in places:
            name = unit.tokens[number].text
            place = _place(unit, number)
            if place is None:
                continue
            earlier = first.setdefault(place, name)
            if earlier != name:
                text = f"{earlier} and {name} are declared side by side and become one name in HIP"
                help_text = "remove one of them, or call the members otherwise"
                yield unit.diagnose(COLLISION, unit.tokens[number], text, help=help_text)


def _sharing(unit: Unit) -> Iterator[Sequence[str]]:
    """Yield the groups of CUDA names of the file that have one HIP name."""
    by_target: dict[str, list[str]] = {}
    for text in unit.index:
        name = unit.names.get(text)
        if name is not None and name.target is not None and name.status is Status.MAPPED:
            by_target.setdefault(name.target, []).append(text)
    yield from (names for names in by_target.values() if len(names) > 1)


def _place(unit: Unit, number: int) -> tuple[int, int] | None:
    """Return what a name is declared in: a brace, or the macro that lists it; None: in nothing."""
    token = unit.tokens[number]
    if token.directive >= 0:
        return (-1, token.directive) if _is_listed(unit, number) else None
    opener = enclosing_bracket(unit.tokens, number)
    if opener is None or not _is_member(unit, number):
        return None
    while unit.tokens[opener].text == "(":  # a pointer to a function is in brackets of its own
        outer = enclosing_bracket(unit.tokens, opener)
        if outer is None:
            return None
        opener = outer
    inside_function = unit.functions.around(number) is not None
    return None if inside_function or unit.tokens[opener].text != "{" else (opener, -1)


def _is_member(unit: Unit, number: int) -> bool:
    """Whether the name is declared: as a pointer, an enumerator, or a variable, not a parameter."""
    if not declares(unit.lexed, number):
        return False
    opener = enclosing_bracket(unit.tokens, number)
    if opener is None or unit.tokens[opener].text != "(":
        return unit.tokens[number + 1].text != "("  # functions may be overloaded
    return unit.tokens[number - 1].text == "*" and unit.tokens[number + 1].text == ")"


def _is_listed(unit: Unit, number: int) -> bool:
    """Whether the name is the first argument in `X(name)` in a macro that lists names."""
    directive = unit.lexed.directives[unit.tokens[number].directive]
    if directive.name != "define" or number - 2 <= directive.first:
        return False
    callee, opener = unit.tokens[number - 2], unit.tokens[number - 1]
    if opener.text != "(" or callee.kind != IDENT:
        return False
    parameters = unit.tokens[directive.first + 1 : number - 2]
    return callee.text in {token.text for token in parameters if token.kind == IDENT}
