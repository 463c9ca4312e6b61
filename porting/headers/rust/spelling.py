"""Runs of Rust tokens: where brackets close, where commas divide, how a type is written."""

from collections.abc import Iterator, Sequence

from porting.headers.rust.lexer import Kind, Token, tokens

OPEN = {"(": ")", "[": "]", "{": "}"}
_TIGHT_AFTER = frozenset("([<&!#")
_TIGHT_BEFORE = frozenset(")]>,;:<(?.")


def spell(parts: Sequence[Token]) -> str:
    """Write tokens on one line, as rustfmt spaces a type."""
    text = ""
    for at, token in enumerate(parts):
        word = token.text
        after = parts[at - 1] if at else None
        if word == "::" and after is not None and after.text in ("const", "mut"):
            space = " "
        elif (
            after is None
            or word in _TIGHT_BEFORE
            or "::" in (word, after.text)
            or after.text in _TIGHT_AFTER
            or (after.text == "*" and word in ("const", "mut"))
            or word == ">"
            or (word == "(" and after.name in ("fn", "Option"))
        ):
            space = ""
        else:
            space = " "
        text += space + word
    return text


def bracketed(code: Sequence[Token], at: int) -> int:
    """Return the index of the bracket that closes the one at `at`, or the last index."""
    depth = 0
    for index in range(at, len(code)):
        token = code[index]
        if token.kind is Kind.PUNCT:
            depth += (token.text in OPEN) - (token.text in OPEN.values())
            if depth == 0:
                return index
    return len(code) - 1


def split(code: Sequence[Token], mark: str = ",") -> Iterator[tuple[Token, ...]]:
    """Yield what stands between marks outside all brackets."""
    part: list[Token] = []
    depth = 0
    for token in code:
        word = token.text if token.kind is Kind.PUNCT else ""
        if word == mark and depth == 0:
            yield tuple(part)
            part = []
            continue
        if word:
            depth += (word in "([{<") - (word in ")]}>")
        part.append(token)
    if part:
        yield tuple(part)


def split_text(text: str) -> list[str]:
    """Split the text of a parameter list at its commas."""
    return [spell(part) for part in split(tokens(text))]
