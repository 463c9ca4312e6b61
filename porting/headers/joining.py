"""CUDA names that are expanded on their way to a macro that joins them with something."""

from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet

from porting.diagnostics import Diagnostic
from porting.headers.codes import JOINED
from porting.rules import Unit
from porting.syntax import Directive, match_bracket


def passed_on(unit: Unit, provided: AbstractSet[str]) -> Iterator[Diagnostic]:
    """Yield the macros that hand a CUDA name to a joining macro, where that makes a difference.

    `provided`: the names that the compat header makes macros.  An argument of a macro that passes
    it on is expanded first, so HIP's name is joined.  Only what is spelled elsewhere notices: the
    joined name when the file also writes it out.
    """
    for outer, joining in _outer_macros(unit).items():
        number = unit.where(outer)[0]
        for name in sorted(provided & _arguments(unit, outer)):
            joined = [word for word in unit.index if word != name and name in word]
            if joined:
                text = f"{outer} passes {name} on to {joining}, which then joins HIP's name"
                help_text = f"join it in {outer} itself, as {joined[0]} is also written out"
                token = unit.tokens[number]
                yield unit.diagnose(JOINED, token, text, help=help_text, symbol=name)


def _outer_macros(unit: Unit) -> Mapping[str, str]:
    """Return the macros that pass a parameter to one that joins it -> that one."""
    bodies = dict(filter(None, (_read(unit, d) for d in unit.lexed.directives)))
    joining = {name for name, (_, body) in bodies.items() if "##" in body}
    found: dict[str, str] = {}
    for name, (parameters, body) in bodies.items():
        for at, word in enumerate(body[:-2]):
            if (
                word in joining
                and word != name
                and body[at + 1] == "("
                and body[at + 2] in parameters
            ):
                found[name] = word
    return found


def _read(unit: Unit, directive: Directive) -> tuple[str, tuple[frozenset[str], list[str]]] | None:
    """Return a macro's name, its parameters and the words of its body; None without parameters."""
    tokens = unit.tokens
    first = directive.first
    if directive.name != "define" or first + 1 >= directive.last:
        return None
    if tokens[first + 1].text != "(" or tokens[first + 1].start != tokens[first].end:
        return None
    close = match_bracket(tokens, first + 1)
    if close is None:
        return None
    parameters = frozenset(tokens[n].text for n in range(first + 2, close))
    body = [tokens[n].text for n in range(close + 1, directive.last)]
    return tokens[first].text, (parameters, body)


def _arguments(unit: Unit, macro: str) -> frozenset[str]:
    """Return the single-word arguments of a macro's calls in one file."""
    return frozenset(
        unit.tokens[argument.first].text
        for call in unit.calls(macro)
        for argument in call.arguments
        if argument.last - argument.first == 1
    )
