"""Which variables, members and functions of a file hold integer handles."""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from porting.rules.handles.types import HANDLES
from porting.rules.unit import Unit
from porting.syntax import (
    IDENT,
    Tokens,
    declares,
    enclosing_bracket,
    match_angle,
    match_bracket,
    statement_start,
)

_FILE: Final = -1
_AFTER_NAME: Final = frozenset(("=", ";", ",", ")", "(", "{", ":", "["))
_CLASSES: Final = frozenset(("struct", "class", "union"))


@dataclass(frozen=True, slots=True)
class Handle:
    """A declared name: the CUDA type, and how often it must be dereferenced to give a handle.

    `scope` is the opening token of the function it is local to, -1 at file level.
    """

    type: str
    depth: int
    scope: int


@dataclass
class Handles:
    """The names of one file that hold handles."""

    variables: dict[str, list[Handle]] = field(default_factory=dict)
    members: dict[str, Handle] = field(default_factory=dict)
    functions: dict[str, Handle] = field(default_factory=dict)

    def variable(self, unit: Unit, number: int) -> Handle | None:
        """Return what an identifier in an expression holds, None when it is something else."""
        function = unit.functions.around(number)
        scope = function.open if function is not None else _FILE
        found = self.variables.get(unit.tokens[number].text, ())
        for handle in found:
            if handle.scope == scope:
                return handle
        return next((handle for handle in found if handle.scope == _FILE), None)


def find_handles(unit: Unit) -> Handles:
    """Read the declarations of a file; those of other files come from the project."""
    handles = Handles()
    for name, type_ in unit.project.handle_members.items():
        handles.members[name] = Handle(type_, 0, _FILE)
    for name, type_ in unit.project.handle_functions.items():
        handles.functions[name] = Handle(type_, 0, _FILE)
    types = {**{t: t for t in HANDLES}, **_aliases(unit)}
    for alias in types.keys() & unit.index.keys():
        for number in unit.where(alias):
            for place, depth in _declarators(unit.tokens, number):
                _add(unit, handles, place, Handle(types[alias], depth, _scope(unit, place)))
    _add_deduced(unit, handles)
    _drop_ambiguous(unit, handles)
    return handles


def _aliases(unit: Unit) -> dict[str, str]:
    """Return names that the file gives a handle type by using or typedef."""
    found: dict[str, str] = {}
    for type_ in HANDLES.keys() & unit.index.keys():
        for number in unit.where(type_):
            before = [token.text for token in unit.tokens[max(number - 3, 0) : number]]
            after = unit.tokens[number + 1 : number + 3]
            if before[-1:] == ["="] and before[:1] == ["using"]:
                found[before[1]] = type_
            elif before[-1:] == ["typedef"] and len(after) > 1 and after[1].text == ";":
                found[after[0].text] = type_
    return found


def _scope(unit: Unit, number: int) -> int:
    function = unit.functions.around(number)
    return function.open if function is not None else _FILE


def _declarators(tokens: Tokens, number: int) -> Iterator[tuple[int, int]]:
    """Yield the names that a mention of a type declares, and their depth of indirection."""
    at, depth = number + 1, 0
    template = _template_around(tokens, number)
    if template is not None:
        at, depth = template + 1, 1
    opener = enclosing_bracket(tokens, number)
    is_parameter = opener is not None and tokens[opener].text == "("
    while 0 <= at < len(tokens):
        stars = depth
        while tokens[at].text in ("*", "&", "const", "__restrict__", "&&"):
            stars += tokens[at].text == "*"
            at += 1
        if tokens[at].kind != IDENT:
            return
        after = tokens[at + 1].text if at + 1 < len(tokens) else ";"
        if after not in _AFTER_NAME:
            return
        yield at, stars + (after == "[")
        at = -1 if is_parameter else _next_declarator(tokens, at + 1)


def _template_around(tokens: Tokens, number: int) -> int | None:
    """Return the end of a template list that holds the type, as in `vector<CUdeviceptr>`."""
    opener = number - 1
    while opener > 0 and (tokens[opener].kind == IDENT or tokens[opener].text in (",", "::", "*")):
        opener -= 1
    if opener <= 0 or tokens[opener].text != "<" or tokens[opener - 1].text.endswith("_cast"):
        return None
    return match_angle(tokens, opener)


def _next_declarator(tokens: Tokens, at: int) -> int:
    """Return the token behind the comma that ends a declarator, -1 when it is the last one."""
    while at < len(tokens):
        text = tokens[at].text
        if text == ",":
            return at + 1
        if text in ("(", "[", "{"):
            at = match_bracket(tokens, at) or len(tokens)
        elif text in (";", ")", "}", ":"):
            return -1
        at += 1
    return -1


def _add(unit: Unit, handles: Handles, number: int, handle: Handle) -> None:
    tokens = unit.tokens
    name = tokens[number].text
    after = tokens[number + 1].text if number + 1 < len(tokens) else ";"
    if after == "(" and _is_function(tokens, number):
        handles.functions[name] = handle
    elif handle.scope == _FILE and _in_class(tokens, number):
        handles.members[name] = handle
    else:
        opener = enclosing_bracket(tokens, number)
        is_prototype = opener is not None and tokens[opener].text == "(" and handle.scope == _FILE
        if not is_prototype:
            handles.variables.setdefault(name, []).append(handle)


def _is_function(tokens: Tokens, number: int) -> bool:
    """Whether `T name(...)` declares a function: no arguments, parameters, or a body behind it."""
    close = match_bracket(tokens, number + 1)
    if close is None:
        return False
    after = tokens[close + 1].text if close + 1 < len(tokens) else ";"
    inner = tokens[number + 2 : close]
    has_types = any(a.kind == IDENT and b.kind == IDENT for a, b in itertools.pairwise(inner))
    return not inner or has_types or after in ("{", "const", "noexcept", "override")


def _in_class(tokens: Tokens, number: int) -> bool:
    opener = enclosing_bracket(tokens, number)
    if opener is None or tokens[opener].text != "{":
        return False
    start = statement_start(tokens, opener)
    return not _CLASSES.isdisjoint(tokens.words[start:opener])


def _add_deduced(unit: Unit, handles: Handles) -> None:
    """Add `auto x = h;` and `auto x = h + n;` for a handle h."""
    for number in unit.where("auto"):
        words = unit.tokens[number + 1 : number + 5]
        if len(words) < 4 or words[0].kind != IDENT or words[1].text != "=":  # noqa: PLR2004
            continue
        source = handles.variable(unit, number + 3)
        is_whole = words[3].text in (";", "+", "-", ",")
        if source is not None and source.depth == 0 and is_whole:
            handle = Handle(source.type, 0, _scope(unit, number))
            handles.variables.setdefault(words[0].text, []).append(handle)


def _drop_ambiguous(unit: Unit, handles: Handles) -> None:
    """Forget members and functions that another declaration in the file gives another type."""
    types = HANDLES.keys() | _aliases(unit).keys() | {"*", "&", ","}
    for name in list(handles.members.keys() | handles.functions.keys()):
        for number in unit.where(name):
            if declares(unit.lexed, number) and unit.tokens[number - 1].text not in types:
                handles.members.pop(name, None)
                handles.functions.pop(name, None)
