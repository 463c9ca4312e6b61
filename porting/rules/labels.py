"""Case labels that are different codes in CUDA and the same one in HIP."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from porting.diagnostics import Code, Diagnostic, Severity
from porting.edits import Edit
from porting.rules.unit import Unit
from porting.syntax import Token, Tokens, call_at, match_bracket

SAME_CODE: Final = Code(
    "LBL001",
    "duplicate-case",
    Severity.WARNING,
    "two case labels that are one value in HIP",
    "HIP has fewer codes than CUDA, so two CUDA names can become one, and a switch with both would"
    " not compile.  The tool removes the later label, and its statements when nothing else reaches"
    " them: in HIP the earlier label takes that value.  Check that the earlier branch is right for"
    " both.",
)
KEPT: Final = Code(
    "LBL002",
    "duplicate-case",
    Severity.ERROR,
    "two case labels that are one value in HIP, and statements that run into the next",
    "HIP has fewer codes than CUDA, so two CUDA names can become one, and a switch with both does"
    " not compile.  The statements of the later label go on into those of the next one, so the"
    " label cannot be removed without knowing what is meant.",
)
CODES: Final = (SAME_CODE, KEPT)

# Names of one value in hip_runtime_api.h (6.2, 7.1).
_ALIASES: Final = {
    "hipErrorMemoryAllocation": "hipErrorOutOfMemory",
    "hipErrorInitializationError": "hipErrorNotInitialized",
    "hipErrorMapBufferObjectFailed": "hipErrorMapFailed",
    "hipErrorInvalidResourceHandle": "hipErrorInvalidHandle",
}
_JUMPS: Final = frozenset(("return", "break", "continue", "goto", "throw"))


@dataclass(frozen=True, slots=True)
class Label:
    """A label of a switch: tokens `[first, last]` with the colon, and its value's name."""

    first: int
    last: int
    name: Token


def check(unit: Unit) -> Iterator[Diagnostic]:
    """Yield a finding for every label whose value an earlier one of the switch has in HIP."""
    macros = _label_macros(unit) if unit.where("case") else {}
    for number in unit.where("switch"):
        opener = _body(unit.tokens, number)
        close = match_bracket(unit.tokens, opener) if opener is not None else None
        if opener is None or close is None:
            continue
        seen: dict[str, Token] = {}
        labels = list(_labels(unit.tokens, opener, close, macros))
        for place, label in enumerate(labels):
            value = _value(unit, label.name.text)
            if value in seen and seen[value].text != label.name.text:
                end = labels[place + 1].first if place + 1 < len(labels) else close
                yield _finding(unit, label, end, seen[value])
            seen.setdefault(value, label.name)


def _body(tokens: Tokens, switch: int) -> int | None:
    if switch + 1 >= len(tokens) or tokens[switch + 1].text != "(":
        return None
    close = match_bracket(tokens, switch + 1)
    if close is None or close + 1 >= len(tokens) or tokens[close + 1].text != "{":
        return None
    return close + 1


def _label_macros(unit: Unit) -> dict[str, int]:
    """Return the macros of the file that make a label of an argument, and which one it is."""
    found: dict[str, int] = {}
    for number in unit.where("case"):
        at = unit.tokens[number].directive
        if at < 0 or unit.lexed.directives[at].name != "define":
            continue
        first = unit.lexed.directives[at].first
        call = call_at(unit.tokens, first)
        if call is None or number != call.close + 1:
            continue
        for place, argument in enumerate(call.arguments):
            if unit.tokens[argument.first].text == unit.tokens[number + 1].text:
                found[unit.tokens[first].text] = place
    return found


def _labels(tokens: Tokens, opener: int, close: int, macros: dict[str, int]) -> Iterator[Label]:
    """Yield the labels of a switch, without those of switches inside it."""
    at = opener + 1
    while at < close:
        token = tokens[at]
        if token.text == "switch":
            inner = _body(tokens, at)
            at = (match_bracket(tokens, inner) or at) if inner is not None else at
        elif token.text == "case":
            last = at + 1
            while last < close and tokens[last].text != ":":
                last += 1
            yield Label(at, last, tokens[last - 1])
            at = last
        elif token.text == "default":
            yield Label(at, at + 1, token)
        elif token.text in macros:
            call = call_at(tokens, at)
            if call is not None and macros[token.text] < len(call.arguments):
                argument = call.arguments[macros[token.text]]
                yield Label(at, call.close, tokens[argument.last - 1])
                at = call.close
        at += 1


def _value(unit: Unit, text: str) -> str:
    name = unit.names.get(text)
    target = name.target if name is not None and name.target is not None else text
    return _ALIASES.get(target, target)


def _finding(unit: Unit, label: Label, end: int, earlier: Token) -> Diagnostic:
    tokens = unit.tokens
    both = f"{earlier.text} and {label.name.text}"
    last = _removable(tokens, label, end)
    if last is None:
        text = f"{both} are one value in HIP, and this label's statements run into the next"
        help_text = f"merge the branches of {both} by hand"
        return unit.diagnose(KEPT, label.name, text, help=help_text)
    text = f"{both} are one value in HIP; this label is removed"
    help_text = f"check that the branch of {earlier.text} is right for both"
    edit = _removal(unit, tokens[label.first].start, tokens[last].end)
    return unit.diagnose(SAME_CODE, label.name, text, help=help_text, edits=[edit])


def _removable(tokens: Tokens, label: Label, end: int) -> int | None:
    """Return the last token that goes with a label, None when it cannot go."""
    is_macro = tokens[label.last].text == ")"
    if is_macro:
        return label.last + (tokens[label.last + 1].text == ";")
    shares = end == label.last + 1 and tokens[end].text != "}"
    follows = tokens[label.first - 1].text == ":"
    if shares or follows:
        return label.last  # another label leads to the same statements
    statement = end - 1
    while statement > label.last and tokens[statement].text not in (";", "}"):
        statement -= 1
    if tokens[statement].text == "}":
        statement -= 1
    start = statement - 1
    while start > label.last and tokens[start].text not in (";", "{", "}", ":"):
        start -= 1
    return end - 1 if tokens[start + 1].text in _JUMPS else None


def _removal(unit: Unit, start: int, end: int) -> Edit:
    """Return the edit that removes a range, with the line when nothing else stands there."""
    text = unit.source.text
    line_start = unit.source.line_starts[unit.source.line_of(start) - 1]
    line_end = text.find("\n", end)
    line_end = len(text) if line_end < 0 else line_end + 1
    if not text[line_start:start].strip() and not text[end:line_end].strip():
        return Edit(line_start, line_end, "")
    while end < len(text) and text[end] in " \t":
        end += 1
    return Edit(start, end, "")
