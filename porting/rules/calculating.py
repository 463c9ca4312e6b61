"""Macros of a tree that calculate with a parameter, for which a pointer will not do.

Works on text, not on tokens, because it reads every file of a tree before any is ported.
"""

import re
from collections.abc import Sequence
from typing import Final

_HANDLES: Final = ("CUdeviceptr", "CUmemGenericAllocationHandle", "TextureObject", "CUtexObject")
# It starts with a text that the engine can search for; a comment that speaks so does no harm.
_DEFINE: Final = re.compile(r"define[ \t]+(\w+)\(([^)\n]*)\)((?:[^\n]*\\\r?\n)*[^\n]*)")
_TOKEN: Final = re.compile(r"\"(?:[^\"\\]|\\.)*\"|//.*|/\*.*?\*/|\w+|<<|>>|&&|\|\||##|[^\s\\]")
_OPERATOR: Final = re.compile(r"[-+*/%&|^~<>]")
_BEHIND: Final = frozenset(("+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"))
_IN_FRONT: Final = frozenset(("+", "-", "/", "%", "|", "^", "~", "<<", ">>"))


def calculating_macros(texts: Sequence[str]) -> dict[str, frozenset[int]]:
    """Return macro -> the parameters that it adds, masks or shifts without casting them first.

    Empty for a tree without integer handles: nobody else asks.
    """
    if not any(handle in text for text in texts for handle in _HANDLES):
        return {}
    found: dict[str, frozenset[int]] = {}
    for text in texts:
        if "define" not in text:
            continue
        for match in _DEFINE.finditer(text):
            if not _OPERATOR.search(match[3]):
                continue
            parameters = [name.strip() for name in match[2].split(",")]
            body = [word for word in _TOKEN.findall(match[3]) if word[:2] not in ("//", "/*")]
            numbers = {n for n, name in enumerate(parameters) if _calculates(body, name)}
            if numbers:
                found[match[1]] = found.get(match[1], frozenset()) | numbers
    return found


def _calculates(body: Sequence[str], name: str) -> bool:
    return any(word == name and _is_operand(body, at) for at, word in enumerate(body))


def _is_operand(body: Sequence[str], at: int) -> bool:
    """Whether a word of a macro's body is an operand as it is, alone in its brackets or without."""
    first = last = at
    while first > 0 and last + 1 < len(body) and (body[first - 1], body[last + 1]) == ("(", ")"):
        first, last = first - 1, last + 1
    before = body[first - 1] if first else ""
    after = body[last + 1] if last + 1 < len(body) else ""
    if before in (")", ">", "##") or (before[-1:].isidentifier() and before != "return"):
        return False  # behind a cast, or an argument
    return before in _IN_FRONT or after in _BEHIND
