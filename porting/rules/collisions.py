"""Different CUDA names that become one name in HIP: side by side, or defined as each other."""

from collections.abc import Iterator, Sequence

from porting.diagnostics import Code, Diagnostic, Severity
from porting.edits import Edit
from porting.mapping import Status
from porting.rules.unit import Unit
from porting.syntax import IDENT, Directive, declares, enclosing_bracket

COLLISION: Code = Code(
    "COL001",
    "api-name",
    Severity.ERROR,
    "two CUDA names declared side by side that become one",
    "HIP has one function where CUDA has several (cuMemAlloc and cuMemAlloc_v2, cudaMalloc and"
    " cuMemAlloc).  A structure, an enumeration or a list for macros that names two of them would"
    " declare the same name twice.  Remove one of them, or give the members names of your own.",
)
REMAP: Code = Code(
    "COL002",
    "api-name",
    Severity.NOTE,
    "a macro that gives a CUDA name another version's meaning",
    "The tree does for itself what cuda.h does: `#define cuMemAlloc cuMemAlloc_v2`.  HIP has one"
    " function for all versions, so the macro would define a name as itself.  It is removed.",
)
CODES = (COLLISION, REMAP)


def check(unit: Unit) -> Iterator[Diagnostic]:
    """Yield what becomes of different CUDA names of a file that have one HIP name."""
    for names in _sharing(unit):
        yield from _remaps(unit, frozenset(names))
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


def _remaps(unit: Unit, names: frozenset[str]) -> Iterator[Diagnostic]:
    """Yield the removal of macros that define one of the names as another."""
    for name in sorted(names):
        for number in unit.where(name):
            token = unit.tokens[number]
            directive = unit.lexed.directives[token.directive] if token.directive >= 0 else None
            if directive is None or directive.name != "define" or number != directive.first:
                continue
            body = unit.tokens[directive.first + 1 : directive.last]
            if len(body) == 1 and body[0].text in names:
                text = f"{name} and {body[0].text} are one function in HIP; the macro is removed"
                edit = _line(unit, directive)
                yield unit.diagnose(REMAP, token, text, edits=[edit])


def _line(unit: Unit, directive: Directive) -> Edit:
    """Return the edit that removes a directive with its line, but not a comment behind it."""
    text = unit.source.text
    last = unit.tokens[directive.last - 1].end
    rest = text[last : directive.end]
    if rest.strip():
        return Edit(directive.start, last + len(rest) - len(rest.lstrip()), "")
    line = unit.source.line_of(directive.start)
    return Edit(unit.source.line_starts[line - 1], min(directive.end + 1, len(text)), "")


def _sharing(unit: Unit) -> Iterator[Sequence[str]]:
    """Yield the groups of CUDA names of the file that have one HIP name."""
    by_target: dict[str, list[str]] = {}
    for text, name in unit.known.items():
        if name.target is not None and name.status is Status.MAPPED:
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
