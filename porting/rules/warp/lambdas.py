"""The lambda around a place: its value is not the function's."""

from porting.rules.functions import Function
from porting.rules.unit import Unit
from porting.syntax import IDENT


def lambda_around(unit: Unit, function: Function, place: int) -> str | None:
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
