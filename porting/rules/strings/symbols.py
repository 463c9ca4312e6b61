"""Names of CUDA functions in strings that are looked up at run time."""

import re
from collections.abc import Iterator
from typing import Final

from porting.diagnostics import Diagnostic, Severity
from porting.edits import Edit
from porting.mapping import Name, Status
from porting.rules.api.calls import DIFFERENT_AS_POINTERS
from porting.rules.strings.codes import NO_ENTRY_POINT, NO_SYMBOL, SYMBOL
from porting.rules.strings.entry_points import ENTRY_POINTS
from porting.rules.unit import Unit
from porting.syntax import (
    IDENT,
    STRING,
    Tokens,
    callee_of,
    enclosing_bracket,
    looks_like_cuda,
    match_bracket,
)

_LOOK_UPS: Final = ENTRY_POINTS | {
    "dlsym",
    "dlvsym",
    "GetProcAddress",
    "SDL_LoadFunction",
    "g_module_symbol",
    "hipGetProcAddress",
    "hipGetDriverEntryPoint",
}
_WHOLE: Final = re.compile(r'"([A-Za-z_]\w+)"')
_PREFIX: Final = re.compile(r'"(?:cuda|cu|nvrtc|nvml|cublas)(?:%s)?"')
# Callees whose string arguments are read by people or compared with other texts.
_TELLS: Final = re.compile(
    r"(?i)print|log|err|warn|check|assert|throw|what|msg|message|puts|write|cout|fatal|fail|trace"
    r"|nvtx|roctx|range|profile|def$|expect|require|abort|emit|report|exception"
)
# Where the symbol a library exports is not the function's name in source.
EXPORTS: Final = {
    "hipGetDeviceProperties": "hipGetDevicePropertiesR0600",
    "hipChooseDevice": "hipChooseDeviceR0600",
}
_RENAMED_EXPORTS: Final = frozenset(
    (*EXPORTS, "cudaGetDeviceProperties", "cudaGetDeviceProperties_v2", "cudaChooseDevice")
)
_NEAR: Final = 64  # tokens
_VERSION: Final = re.compile(r"_v\d+\Z")
_LOADS: Final = re.compile(r"(?i)sym|load|resolve|look|proc|entry|func|import|bind|\bfn")


def check_symbols(unit: Unit) -> Iterator[Diagnostic]:
    """Yield a finding for every function name that is looked up, and the messages about it."""
    if not _looks_up(unit) and not unit.project.looks_up_symbols:
        return
    renamed: dict[int, tuple[str, str]] = {}
    for number in unit.strings:
        match = _WHOLE.fullmatch(unit.tokens[number].text)
        if match is None or unit.tokens[number].kind != STRING:
            continue
        name = unit.names.get(match[1])
        if name is None or not _is_function(name) or not _is_looked_up(unit, number, name.name):
            continue
        finding = _finding(unit, number, name)
        if finding is not None:
            yield finding
            if finding.edits:
                renamed[number] = (name.name, finding.edits[0].replacement)
    yield from _built(unit)
    if renamed:
        yield from _messages(unit, renamed)


def _looks_up(unit: Unit) -> bool:
    return not _LOOK_UPS.isdisjoint(unit.index)


def _is_function(name: Name) -> bool:
    return name.kind in ("function", "used", "macro") and looks_like_cuda(name.name)


def _finding(unit: Unit, number: int, name: Name) -> Diagnostic | None:
    token = unit.tokens[number]
    if name.status is Status.UNCHANGED:
        return None
    code = NO_ENTRY_POINT if _taker(unit.tokens, number)[1] in ENTRY_POINTS else NO_SYMBOL
    if name.target is None:
        text = f"no HIP function to look up for '{name.name}': {name.reason}"
        return unit.diagnose(code, token, text, help=name.help, symbol=name.name)
    if name.name in DIFFERENT_AS_POINTERS or name.library == "nvml":
        text = f"'{name.name}' is looked up, and {name.target} takes other arguments"
        help_text = f"look up {name.target} and call it through a pointer of its own type"
        return unit.diagnose(code, token, text, help=help_text, symbol=name.name)
    symbol = EXPORTS.get(name.target, name.target)
    text = f"looked-up symbol '{name.name}' becomes {symbol}"
    edit = Edit(token.start + 1, token.end - 1, symbol, name.name)
    return unit.diagnose(SYMBOL, token, text, symbol=name.name, edits=[edit])


def _is_looked_up(unit: Unit, number: int, name: str) -> bool:
    """Whether a string that is exactly a function's name is used as a symbol's name.

    It is when a look-up function or a comparison takes it; when what it is listed with also names
    the function or a pointer for it; and, in a file that looks up symbols by variable names, when
    it is an initializer or an argument of something that does not tell it to people.
    """
    tokens = unit.tokens
    if number + 1 < len(tokens) and tokens[number + 1].kind in (STRING, IDENT):
        return False  # only a part of a name
    looks_up = _looks_up(unit)
    opener, callee = _taker(tokens, number)
    before = tokens[number - 1].text
    if opener is None or tokens[opener].text == "{":
        if before in ("{", ","):
            return looks_up or (opener is not None and _is_itself_near(tokens, opener, name))
        return looks_up and before == "="
    if callee in _LOOK_UPS or callee in ("strcmp", "strncmp"):
        return True
    if not callee or _TELLS.search(callee):
        return False
    return looks_up or _LOADS.search(callee) is not None or _is_itself_near(tokens, opener, name)


def _taker(tokens: Tokens, number: int) -> tuple[int | None, str]:
    """Return the bracket that holds a string, and what is called with it."""
    opener = enclosing_bracket(tokens, number)
    while opener is not None and tokens[opener].text == "(":
        callee = callee_of(tokens, opener)
        if callee and callee not in ("string", "string_view", "TEXT", "_T"):
            return opener, callee
        opener = enclosing_bracket(tokens, opener)
    return opener, ""


def _is_itself_near(tokens: Tokens, opener: int, name: str) -> bool:
    """Whether the bracket also holds an identifier that contains the name (`&pfn_cuInit`).

    A symbol's version (`_v2`) is no part of the function's name in source.
    """
    close = min(match_bracket(tokens, opener) or opener, opener + _NEAR)
    plain = _VERSION.sub("", name)
    return any(t.kind == IDENT and plain in t.text for t in tokens[opener:close])


def check_stringized(unit: Unit) -> Iterator[Diagnostic]:
    """Yield a warning where a macro may make the symbol of a function whose export has a suffix."""
    if not _looks_up(unit) and not unit.project.looks_up_symbols:
        return
    for name in _RENAMED_EXPORTS & unit.index.keys():
        for number in unit.where(name):
            around = [t.text for t in unit.tokens[max(number - 1, 0) : number + 2 : 2]]
            if around[:1] != ["("] or around[1:] not in ([")"], [","]):
                continue
            target = _name_in_hip(unit, name)
            text = f"if {name} is looked up by #, the symbol is {EXPORTS[target]}, not {target}"
            help_text = (
                f"look {EXPORTS[target]} up by a string of its own: {target} has an old form"
            )
            yield unit.diagnose(
                NO_SYMBOL,
                unit.tokens[number],
                text,
                help=help_text,
                severity=Severity.WARNING,
            )


def _name_in_hip(unit: Unit, name: str) -> str:
    known = unit.names.get(name)
    return known.target if known is not None and known.target is not None else name


def _built(unit: Unit) -> Iterator[Diagnostic]:
    """Yield an error where the name of a symbol is joined from a prefix at run time."""
    for number in unit.strings:
        token = unit.tokens[number]
        if not _PREFIX.fullmatch(token.text) or not _is_prefix(unit.tokens, number):
            continue
        text = f"{token.text} starts the name of a symbol that is put together at run time"
        help_text = "HIP's names do not follow from CUDA's by their prefix: list the whole names"
        yield unit.diagnose(NO_SYMBOL, token, text, help=help_text)


def _is_prefix(tokens: Tokens, number: int) -> bool:
    if "%" in tokens[number].text:
        return True
    following = [t.text for t in tokens[number + 1 : number + 3]]
    return following[:1] == ["+"] or following == [")", "+"]


def _messages(unit: Unit, renamed: dict[int, tuple[str, str]]) -> Iterator[Diagnostic]:
    """Yield the renames in other strings of the functions that look the names up."""
    by_function: dict[int, dict[str, str]] = {}
    for number, (old, new) in renamed.items():
        function = unit.functions.around(number)
        if function is not None:
            by_function.setdefault(function.open, {})[old] = new
    for number in unit.strings:
        if number in renamed:
            continue
        function = unit.functions.around(number)
        if function is None or function.open not in by_function:
            continue
        token = unit.tokens[number]
        raw = unit.source.text[token.start : token.end]
        for old, new in by_function[function.open].items():
            for match in re.finditer(rf"\b{old}\b", raw):
                at = token.start + match.start()
                edit = Edit(at, at + len(old), new, old)
                text = f"the message follows: {old} becomes {new}"
                yield unit.diagnose(SYMBOL, at, text, symbol=old, edits=[edit])
