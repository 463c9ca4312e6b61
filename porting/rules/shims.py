"""Places where a tree gives a CUDA name a meaning of its own by means of HIP."""

import re

from porting.syntax import IDENT, Lexed, match_bracket, statement_end, statement_start

_HIP = re.compile(r"hip[A-Z]\w*|HIP_\w+|hip(?:blas|fft|rand|sparse|solver|rtc)\w+|roctx\w+|rccl\w+")
_FILLERS = frozenset(("const", "noexcept", "override", "final"))


def defines_cuda_name(lexed: Lexed, number: int) -> bool:
    """Whether the name at token `number` is defined there with a HIP name on the other side.

    Covers `#define cudaX hipX` (and #ifndef, #undef of the same name), `using cudaX = hipX`,
    `typedef hipX cudaX`, `cudaX = hipX` of constants, and functions that call HIP.
    """
    token = lexed.tokens[number]
    if token.directive >= 0:
        return _in_directive(lexed, number)
    after = lexed.tokens[number + 1].text if number + 1 < len(lexed.tokens) else ""
    if after == "=":
        return _mentions_hip(lexed, number + 2, _value_end(lexed, number + 2))
    if after == "(":
        return _is_wrapper(lexed, number)
    if after in (";", ",", "["):
        start = statement_start(lexed.tokens, number)
        return lexed.tokens[start].text == "typedef" and _mentions_hip(lexed, start, number)
    return False


def _in_directive(lexed: Lexed, number: int) -> bool:
    directive = lexed.directives[lexed.tokens[number].directive]
    if number != directive.first:
        return False
    if directive.name == "define":
        return _mentions_hip(lexed, number + 1, directive.last)
    if directive.name in ("ifdef", "ifndef", "undef"):
        name = lexed.tokens[number].text
        return any(
            other.name == "define"
            and other.first < other.last
            and lexed.tokens[other.first].text == name
            and _mentions_hip(lexed, other.first + 1, other.last)
            for other in lexed.directives
        )
    return False


def _mentions_hip(lexed: Lexed, first: int, last: int) -> bool:
    return any(t.kind == IDENT and _HIP.fullmatch(t.text) for t in lexed.tokens[first:last])


def _value_end(lexed: Lexed, first: int) -> int:
    """Return the end of an initializer: a comma or the end of its statement."""
    last = statement_end(lexed.tokens, first)
    for at in range(first, last):
        if lexed.tokens[at].text == ",":
            return at
    return last


def _is_wrapper(lexed: Lexed, number: int) -> bool:
    """Whether a function is defined here whose body calls HIP."""
    before = lexed.tokens[number - 1] if number else None
    if before is None or not (before.kind == IDENT or before.text in ("*", "&", ">")):
        return False
    close = match_bracket(lexed.tokens, number + 1)
    if close is None:
        return False
    at = close + 1
    while at < len(lexed.tokens) and lexed.tokens[at].text in _FILLERS:
        at += 1
    if at >= len(lexed.tokens) or lexed.tokens[at].text != "{":
        return False
    end = match_bracket(lexed.tokens, at)
    return end is not None and _mentions_hip(lexed, at, end)
