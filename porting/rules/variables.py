"""What the text tells about a variable: its type, its first value, whether a result is used."""

import re
from collections.abc import Iterator, Sequence

from porting.rules.unit import Unit
from porting.syntax import IDENT, Call

_MAX_DECLARATORS = 64
_NOT_A_TYPE = frozenset(("return", "else", "case", "delete", "new", "throw", "typename"))
_DECLARED = frozenset((";", "=", ",", ")", "{", "[", ":"))
_DECORATION = frozenset(("*", "&", "const", "__restrict__"))
_DELIMITER = re.compile(rb"[{}()\[\];,]")
_JOINTS = frozenset((".", "->", "::"))
_AFTER_NAME = _JOINTS | {"(", "["}


def integer(text: str) -> int | None:
    """Return the value of an integer literal, None when it is none."""
    digits = text.replace("'", "").rstrip("uUlLzZ")
    try:
        return int(digits, 8 if digits.startswith("0") and digits.isdigit() else 0)
    except ValueError:
        return None


def is_a(unit: Unit, number: int, kinds: Sequence[str]) -> bool:
    """Whether the variable or member at a token is declared with one of these types.

    A declaration of its own function counts first; one with another type there hides the members
    and variables that the file declares outside of functions.
    """
    name = unit.tokens.words[number]
    here = unit.functions.around(number)
    outside = False
    present = [kind for kind in kinds if kind in unit.index]
    for declaration in (d for kind in present for d in declarations(unit, kind, name)):
        function = unit.functions.around(declaration)
        if function is here and declaration <= number:
            return True
        outside |= function is None
    return outside and not _is_hidden(unit, number, name)


def declarations(unit: Unit, kind: str, name: str = "") -> Iterator[int]:
    """Yield the tokens of variables, members and parameters declared with a type here."""
    for number in unit.where(kind):
        at = _past_decoration(unit, number + 1)
        for _ in range(_MAX_DECLARATORS):
            if at >= len(unit.tokens) or unit.tokens.kinds[at] != IDENT:
                break
            if name in ("", unit.tokens.words[at]):
                yield at
            at = _next_declarator(unit, at + 1)


def _is_hidden(unit: Unit, number: int, name: str) -> bool:
    """Whether the function around a token declares the name itself, with whatever type."""
    here = unit.functions.around(number)
    if here is None or (number and unit.tokens[number - 1].text in (".", "->")):
        return False
    tokens = unit.tokens
    for at in unit.where(name):
        if here.first < at < number and at + 1 < len(tokens):
            before, after = tokens[at - 1], tokens[at + 1].text
            if before.kind == IDENT and before.text not in _NOT_A_TYPE and after in _DECLARED:
                return True
            if before.text in ("*", "&") and tokens[at - 2].kind == IDENT and after in ",)":
                return True
    return False


def _past_decoration(unit: Unit, at: int) -> int:
    words = unit.tokens.words
    while at < len(words) and words[at] in _DECORATION:
        at += 1
    return at


def _next_declarator(unit: Unit, at: int) -> int:
    """Return the index of the next declarator of the same declaration, or past the end."""
    depth = 0
    for match in _DELIMITER.finditer(unit.tokens.firsts, at):
        if match[0] in b"{([":
            depth += 1
        elif match[0] in b"})]":
            depth -= 1
        elif depth == 0 and match[0] == b",":
            return _past_decoration(unit, match.end())
        if depth < 0 or (depth == 0 and match[0] == b";"):
            break
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


def owner_of(unit: Unit, number: int) -> int | None:
    """Return the token that names the object or function whose member is at a token."""
    if number < 2 or unit.tokens[number - 1].text not in (".", "->"):  # noqa: PLR2004
        return None
    at = number - 2
    while at > 0 and unit.tokens[at].text in (")", "]"):
        at = _opener(unit, at) - 1
    return at if at >= 0 and unit.tokens[at].kind == IDENT else None


def _opener(unit: Unit, closer: int) -> int:
    """Return the index of the bracket that `tokens[closer]` closes; 0 when there is none."""
    depth = 0
    for at in range(closer, -1, -1):
        depth += (unit.tokens[at].text in (")", "]")) - (unit.tokens[at].text in ("(", "["))
        if depth == 0:
            return at
    return 0
