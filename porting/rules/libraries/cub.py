"""CUB: the namespace, its aliases, its macros, and where hipCUB works on other widths."""

import re
from collections.abc import Iterator
from typing import Final

from porting.diagnostics import Diagnostic
from porting.edits import Edit
from porting.rules.libraries.codes import (
    CUB_INTERNAL,
    CUB_NAMESPACE,
    CUB_WARP,
    CUB_WARP_WIDTH,
)
from porting.rules.libraries.scopes import (
    Use,
    aliases,
    declares,
    includes,
    opened,
    qualifier,
    use_of,
)
from porting.rules.unit import Unit
from porting.syntax import match_angle

# Macros of CUB's headers that hipCUB has under its own prefix.  Source: hipcub/config.hpp.
_MACROS: Final = {
    "CUB_RUNTIME_FUNCTION": "HIPCUB_RUNTIME_FUNCTION",
    "CUB_PTX_WARP_THREADS": "HIPCUB_DEVICE_WARP_THREADS",
    "CubDebug": "HipcubDebug",
    "CubLog": "HipcubLog",
}
_WRAPPERS: Final = (
    "CUB_WRAPPED_NAMESPACE",
    "CUB_NS_PREFIX",
    "CUB_NS_POSTFIX",
    "CUB_NS_QUALIFIER",
    "THRUST_CUB_WRAPPED_NAMESPACE",
)
_NO_MACRO: Final = re.compile(
    r"CubDebugExit|CUB_(?:PTX_\w+|NAMESPACE_\w+|VERSION|M(?:AJOR|INOR)_VERSION|MAX|MIN|STDERR"
    r"|QUOTIENT_\w+|ROUND_\w+|STATIC_ASSERT|LOG_\w+|SMEM_BANKS|PREFER_CONFLICT_\w+|ALIGN"
    r"|DETAIL_\w+|IS_INT128_ENABLED|IGNORE_\w+)"
)
_INTERNAL: Final = re.compile(
    r"(?:Dispatch|Agent)[A-Z]\w*|detail|internal|ChainedPolicy|\w+Policy|PolicyWrapper"
    r"|SmVersion|PtxVersion(?:Uncached)?|MaxSmOccupancy|ScanTileState|DeviceSpmv"
)
# Warp primitives: how many template arguments stand before the width.
_WARP: Final = {"WarpReduce": 1, "WarpScan": 1}
_WARP_LATER: Final = {"WarpExchange": 2, "WarpLoad": 3, "WarpStore": 3, "WarpMergeSort": 2}


def check_cub(unit: Unit) -> Iterator[Edit | Diagnostic]:
    """Yield what becomes of CUB's names."""
    numbers = unit.where("cub")
    owned = bool(numbers) and declares(unit, "cub") and not includes(unit, "cub/")
    if not owned:
        wrapped = _wrapped_in(unit)
        for number in numbers:
            yield from _check_use(unit, number, wrapped)
        if numbers:
            yield from _check_widths(unit)
    yield from _check_macros(unit)


def _check_use(unit: Unit, number: int, wrapped: frozenset[str]) -> Iterator[Edit | Diagnostic]:
    token = unit.tokens[number]
    use = use_of(unit, number)
    outer = qualifier(unit, number)
    if use is Use.OTHER or (outer and outer not in wrapped):
        return
    start = unit.tokens[number - 2].start if outer else token.start
    edit = Edit(start, token.end, "hipcub", "cub")
    if use is Use.OPENED:
        message = (
            "'namespace cub' is reopened; hipCUB's types live in an inline namespace of hipcub"
        )
        advice = "check that the template specialised here is declared in hipcub"
        yield unit.diagnose(CUB_NAMESPACE, token, message, help=advice, edits=[edit])
        return
    yield edit
    if use is Use.QUALIFIER and number + 2 < len(unit.tokens):
        yield from _check_internal(unit, number + 2)


def _check_internal(unit: Unit, number: int) -> Iterator[Diagnostic]:
    """Yield an error when `cub::NAME` is no documented part of CUB."""
    token = unit.tokens[number]
    if _INTERNAL.fullmatch(token.text):
        message = f"'cub::{token.text}' has no counterpart in hipCUB"
        advice = "call the Device-wide function, or use rocPRIM and its configuration types"
        yield unit.diagnose(CUB_INTERNAL, token, message, help=advice, symbol=f"cub::{token.text}")


def _check_widths(unit: Unit) -> Iterator[Diagnostic]:
    """Yield what is to be said about the warp primitives, however they are reached."""
    prefixes = aliases(unit, "cub") | {"cub"}
    for name in (*_WARP, *_WARP_LATER):
        numbers = unit.where(name)
        if not numbers:
            continue
        bare = opened(unit, "cub") or any(
            qualifier(unit, n) == "cub" and unit.tokens[n + 1].text == ";" for n in numbers
        )
        for number in numbers:
            outer = qualifier(unit, number)
            if outer in prefixes or (not outer and bare):
                yield from _check_width(unit, number)


def _check_width(unit: Unit, number: int) -> Iterator[Diagnostic]:
    tokens = unit.tokens
    name = tokens[number].text
    if number + 1 >= len(tokens) or tokens[number + 1].text != "<":
        return
    closer = match_angle(tokens, number + 1)
    if closer is None or tokens[closer - 1].text == "...":
        return
    before = _WARP.get(name, _WARP_LATER.get(name, 0))
    if _count(unit, number + 1, closer) > before:
        return
    if name in _WARP:
        end = tokens[closer].end - 1  # before the last > of a >>
        message = (
            f"'cub::{name}' works on 32 lanes, hipCUB's on a wavefront: the width is written out"
        )
        yield unit.diagnose(CUB_WARP, tokens[number], message, edits=[Edit(end, end, ", 32")])
    elif 64 in unit.target.wave_sizes:  # noqa: PLR2004
        message = f"'cub::{name}' without its width works on 64 lanes on gfx9, and on 32 in CUDA"
        advice = "write the template argument LOGICAL_WARP_THREADS as 32"
        yield unit.diagnose(CUB_WARP_WIDTH, tokens[number], message, help=advice)


def _count(unit: Unit, opener: int, closer: int) -> int:
    """Return the number of arguments in the template list between two tokens."""
    angles = brackets = commas = 0
    for index in range(opener, closer):
        text = unit.tokens[index].text
        if text in ("(", "[", "{"):
            brackets += 1
        elif text in (")", "]", "}"):
            brackets -= 1
        elif brackets == 0 and text == "<":
            angles += 1
        elif brackets == 0 and text in (">", ">>"):
            angles -= len(text)
        elif brackets == 0 and angles == 1 and text == ",":
            commas += 1
    return commas + 1


def _wrapped_in(unit: Unit) -> frozenset[str]:
    """Return the namespaces that this file puts CUB into."""
    found: set[str] = set()
    for directive in unit.lexed.directives:
        if directive.name != "define" or directive.first >= directive.last:
            continue
        if unit.tokens[directive.first].text in _WRAPPERS:
            words = [t.text for t in unit.tokens[directive.first + 1 : directive.last]]
            found.update(word for word in words if word.isidentifier() and word != "namespace")
    return frozenset(found)


def _check_macros(unit: Unit) -> Iterator[Edit | Diagnostic]:
    for name in sorted(_MACROS.keys() & unit.index.keys()):
        if name not in unit.project.declared:
            for number in unit.where(name):
                token = unit.tokens[number]
                yield Edit(token.start, token.end, _MACROS[name], name)
    for name in _WRAPPERS:
        for number in unit.where(name):
            message = f"'{name}' moves CUB into a namespace of its own, which hipCUB cannot do"
            advice = "drop the macro and name the types hipcub::"
            yield unit.diagnose(CUB_NAMESPACE, unit.tokens[number], message, help=advice)
    for name in unit.starting_with("CUB_", "Cub"):
        if name in _MACROS or name in unit.project.declared:
            continue
        if _NO_MACRO.fullmatch(name):
            for number in unit.where(name):
                message = f"'{name}' has no counterpart in hipCUB"
                yield unit.diagnose(CUB_INTERNAL, unit.tokens[number], message)
