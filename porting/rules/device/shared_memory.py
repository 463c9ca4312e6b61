"""Dynamic shared memory beyond what a work-group can have."""

from collections.abc import Iterator
from typing import Final

from porting.diagnostics import Diagnostic
from porting.rules.device.codes import SHARED_LIMIT
from porting.rules.unit import Unit
from porting.rules.warp.arguments import constant_value, is_constant
from porting.rules.warp.width import integer
from porting.syntax import IDENT, match_bracket, split_arguments, statement_start

_LDS: Final = 65536
_LDS_BY_ARCH: Final = {"gfx950": 160 * 1024}
_ATTRIBUTES: Final = (
    "cudaFuncAttributeMaxDynamicSharedMemorySize",
    "CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES",
)
_OPERATORS: Final = ("*", "<<", "+")
_LONGEST_LAUNCH: Final = 120


def large_requests(unit: Unit) -> Iterator[Diagnostic]:
    """Yield attributes and launches that ask for more than the smallest of the architectures."""
    limit = min(_LDS_BY_ARCH.get(arch, _LDS) for arch in unit.target.archs)
    for place, size in (*_attributes(unit), *_launches(unit)):
        if size > limit:
            yield unit.diagnose(
                SHARED_LIMIT,
                unit.tokens[place],
                f"{size} bytes of shared memory are asked for, and a work-group has {limit}",
                help="use smaller tiles, or fewer stages",
            )


def _attributes(unit: Unit) -> Iterator[tuple[int, int]]:
    """Yield (place, bytes) of the attribute that allows a kernel more dynamic shared memory."""
    for name in _ATTRIBUTES:
        for place in unit.where(name):
            start = statement_start(unit.tokens, place)
            close = match_bracket(unit.tokens, start - 1) if start else None
            if close is not None and unit.tokens[place + 1].text == ",":
                size = _value(unit, place + 2, close)
                if size is not None:
                    yield place, size


def _launches(unit: Unit) -> Iterator[tuple[int, int]]:
    """Yield (place, bytes) of the third argument of `kernel<<<grid, block, bytes>>>`."""
    tokens = unit.tokens
    for opener in unit.launches:
        for close in range(opener + 1, min(len(tokens), opener + _LONGEST_LAUNCH)):
            if tokens.words[close] == ">>>":
                arguments = split_arguments(tokens, opener + 1, close)
                if len(arguments) > 2:  # noqa: PLR2004 - grid, block, bytes
                    size = _value(unit, arguments[2].first, arguments[2].last)
                    if size is not None:
                        yield arguments[2].first, size
                break


def _value(unit: Unit, first: int, last: int) -> int | None:
    """Return the value of sums, products and shifts of integers and constants, or None."""
    result: int | None = None
    operator = ""
    for at in range(first, last):
        token = unit.tokens[at]
        if (at - first) % 2:
            if token.text not in _OPERATORS:
                return None
            operator = token.text
            continue
        operand = _operand(unit, at)
        if operand is None or (operator == "<<" and operand > _LDS):
            return None
        if result is None:
            result = operand
        elif operator == "+":
            rest = _value(unit, at, last)  # `*` and `<<` bind closer than what stands before
            return None if rest is None else result + rest
        else:
            result = result * operand if operator == "*" else result << operand
    return result


def _operand(unit: Unit, at: int) -> int | None:
    token = unit.tokens[at]
    if token.kind != IDENT:
        return integer(token)
    for place in unit.where(token.text):
        value = constant_value(unit, place)
        if value is not None and is_constant(unit.tokens, place) and _is_whole(unit, place):
            return value
    return None


def _is_whole(unit: Unit, place: int) -> bool:
    """Whether the constant's definition is the one number, not an expression that starts so."""
    tokens = unit.tokens
    at = place + (1 if tokens[place - 1].text == "define" else 2)
    after = at + 1
    if tokens[place - 1].text == "define":
        return after >= len(tokens) or tokens[after].directive != tokens[place].directive
    return tokens[after].text in (";", ",", "}")
