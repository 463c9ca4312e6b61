"""What the text tells about a variable: its type, its first value, whether a result is used."""

from collections.abc import Iterator

from porting.rules.unit import Unit
from porting.syntax import IDENT, Call

_MAX_DECLARATORS = 64
_JOINTS = frozenset((".", "->", "::"))
_AFTER_NAME = _JOINTS | {"(", "["}


def integer(text: str) -> int | None:
    """Return the value of an integer literal, None when it is none."""
    digits = text.replace("'", "").rstrip("uUlLzZ")
    try:
        return int(digits, 8 if digits.startswith("0") and digits.isdigit() else 0)
    except ValueError:
        return None


def declared_as(unit: Unit, kind: str) -> Iterator[str]:
    """Yield the variables, members, parameters and functions declared with a type here."""
    for number in unit.where(kind):
        at = _past_decoration(unit, number + 1)
        for _ in range(_MAX_DECLARATORS):
            if at >= len(unit.tokens) or unit.tokens[at].kind != IDENT:
                break
            yield unit.tokens[at].text
            at = _next_declarator(unit, at + 1)


def _past_decoration(unit: Unit, at: int) -> int:
    while at < len(unit.tokens) and unit.tokens[at].text in ("*", "&", "const", "__restrict__"):
        at += 1
    return at


def _next_declarator(unit: Unit, at: int) -> int:
    """Return the index of the next declarator of the same declaration, or past the end."""
    depth = 0
    while at < len(unit.tokens):
        text = unit.tokens[at].text
        if text in ("{", "(", "["):
            depth += 1
        elif text in ("}", ")", "]"):
            depth -= 1
        if depth < 0 or (depth == 0 and text == ";"):
            break
        if depth == 0 and text == ",":
            return _past_decoration(unit, at + 1)
        at += 1
    return len(unit.tokens)


def initial_value(unit: Unit, before: int, name: str) -> str:
    """Return the value a local variable was last given before a token; empty when not known."""
    function = unit.functions.around(before)
    first = function.first if function is not None else 0
    tokens = unit.tokens
    for number in reversed([n for n in unit.where(name) if first <= n < before]):
        if number + 1 >= before or tokens[number + 1].text not in ("=", "{"):
            continue
        end = number + 2
        while end < before and tokens[end].text not in (";", ",", "}"):
            end += 1
        return "".join(t.text for t in tokens[number + 2 : end])
    return ""


def is_result_unused(unit: Unit, call: Call) -> bool:
    """Whether a call is a statement of its own, or its result is cast to void."""
    before = [t.text for t in unit.tokens[max(call.name - 3, 0) : call.name] if t.text != "::"]
    if before[-3:] == ["(", "void", ")"]:
        return True
    return not before or before[-1] in (";", "{", "}", ")", "else") or _starts_line(unit, call)


def _starts_line(unit: Unit, call: Call) -> bool:
    return (
        call.name > 0 and unit.tokens[call.name - 1].directive != unit.tokens[call.name].directive
    )


def start_of_chain(unit: Unit, number: int) -> int:
    """Return the first token of the chain that ends in a member (`a::b(c)[d]->e`)."""
    tokens = unit.tokens
    at = number
    while at > 0:
        before = tokens[at - 1]
        if before.text in (")", "]"):
            opener = _opener(unit, at - 1)
            if opener == 0 or tokens[opener - 1].kind != IDENT:
                return opener
            at = opener
        elif before.text in (".", "->", "::") or (
            before.kind == IDENT and tokens[at].text in (".", "->", "::", "(", "[")
        ):
            at -= 1
        else:
            break
    return at


def owner_of(unit: Unit, number: int) -> str:
    """Return the name of the object or function whose member is at a token."""
    if number < 2 or unit.tokens[number - 1].text not in (".", "->"):  # noqa: PLR2004
        return ""
    at = number - 2
    while at > 0 and unit.tokens[at].text in (")", "]"):
        at = _opener(unit, at) - 1
    return unit.tokens[at].text if at >= 0 and unit.tokens[at].kind == IDENT else ""


def _opener(unit: Unit, closer: int) -> int:
    """Return the index of the bracket that `tokens[closer]` closes; 0 when there is none."""
    depth = 0
    for at in range(closer, -1, -1):
        depth += (unit.tokens[at].text in (")", "]")) - (unit.tokens[at].text in ("(", "["))
        if depth == 0:
            return at
    return 0
