"""Addresses of functions that HIP's C++ headers overload, so that they need a cast."""

import re
from collections.abc import Iterator
from typing import Final

from porting.diagnostics import Diagnostic, Severity
from porting.edits import Edit
from porting.rules.api.calls import called_at, is_member
from porting.rules.api.codes import OVERLOADED
from porting.rules.unit import Unit
from porting.syntax import IDENT, Directive, callee_of, enclosing_bracket, statement_start
from porting.syntax.words import words

# Read off with clang: the functions of hip_runtime_api.h (7.1, 6.2) that have a template beside the
# C function, and the parameters of that function.
_PARAMETERS: Final = {
    "hipMalloc": "void**, size_t",
    "hipMallocAsync": "void**, size_t, hipStream_t",
    "hipMallocFromPoolAsync": "void**, size_t, hipMemPool_t, hipStream_t",
    "hipMallocManaged": "void**, size_t, unsigned int",
    "hipHostAlloc": "void**, size_t, unsigned int",
    "hipHostMalloc": "void**, size_t, unsigned int",
    "hipMallocPitch": "void**, size_t*, size_t, size_t",
}
_NAMES: Final = (
    *("cuMemAlloc", "cuMemAlloc_v2", "cuMemAllocAsync", "cuMemAllocFromPoolAsync"),
    *("cuMemAllocManaged", "cuMemHostAlloc", "cudaMalloc", "cudaMallocAsync"),
    *("cudaMallocFromPoolAsync", "cudaMallocManaged", "cudaHostAlloc", "cudaMallocPitch"),
)
_INTEGERS: Final = words("uintptr_t intptr_t size_t uint64_t int64_t long unsigned CUdeviceptr")
_ENDS: Final = frozenset((";", ",", ")", "}", "]", ":"))
_PARAMETER_CAST: Final = re.compile(
    r"\* \) (?:\( )?(?:& )?(?:\( )?\w|reinterpret_cast < [^()]*> \( (?:& )?(?:\( )?\w"
)
_OF_AUTO: Final = frozenset(("auto", "const", "constexpr", "static", "*", "&", "inline"))


def check_addresses(unit: Unit) -> Iterator[Diagnostic]:
    """Yield the cast of every address of an overloaded function, or where one is missing."""
    if unit.source.suffix == ".c":
        return  # C has no overloads
    for name in filter(unit.index.__contains__, _NAMES):
        target = unit.names.get(name)
        if name in unit.project.declared or target is None or target.target not in _PARAMETERS:
            continue
        for number in unit.where(name):
            if called_at(unit, number) is None and not is_member(unit, number):
                yield from _mention(unit, number, target.target)


def _mention(unit: Unit, number: int, target: str) -> Iterator[Diagnostic]:
    token = unit.tokens[number]
    cast = f"static_cast<hipError_t (*)({_PARAMETERS[target]})>(&{target})"
    first = _start(unit, number)
    severity = _in_list(unit, number)
    if severity is None and _needs_cast(unit, number, first):
        edit = Edit(unit.tokens[first].start, token.end, cast, token.text)
        text = f"'{token.text}': {target} is overloaded, so its address is taken with a cast"
        yield unit.diagnose(OVERLOADED, token, text, severity=Severity.NOTE, edits=[edit])
    elif severity is not None:
        text = f"'{token.text}' becomes {target}, which is overloaded: its address needs a cast"
        yield unit.diagnose(OVERLOADED, token, text, help=f"write {cast}", severity=severity)


def _start(unit: Unit, number: int) -> int:
    """Return the first token of `f`, `::f` or `&::f`; a sign behind a value is an operator."""
    tokens, first = unit.tokens, number
    if first and tokens[first - 1].text == "::" and tokens[first - 2].kind != IDENT:
        first -= 1
    if first and tokens[first - 1].text == "&":
        first -= 1
    return first


def _needs_cast(unit: Unit, number: int, first: int) -> bool:
    """Whether nothing around an address gives it a type, in code that is surely C++."""
    tokens, at = unit.tokens, first - 1
    after = tokens[number + 1].text if number + 1 < len(tokens) else ""
    if at < 1 or tokens[number].directive != tokens[at].directive:
        return False
    before = tokens[at].text
    if before == "=" and after in (";", ","):
        return _declares_auto(unit, at - 1) or _is_of_library(unit, at - 2)
    if before == ")" and after in _ENDS:
        return _is_plain_cast(unit, at)
    return before in ("(", ",") and after in (")", ",") and _is_untyped(unit, number, first)


def _is_untyped(unit: Unit, number: int, first: int) -> bool:
    """Whether the brackets around an address take anything: a cast, decltype, a call."""
    tokens, at = unit.tokens, first - 1
    has_ampersand = tokens[first].text == "&"
    if tokens[at - 1].text == "decltype":
        return has_ampersand
    if tokens[at - 1].text == ">":
        opener = statement_start(tokens, at)
        texts = [token.text for token in tokens[opener:at]]
        return "reinterpret_cast" in texts or _is_of_library(unit, at - 1)
    return _is_argument(unit, number, has_ampersand=has_ampersand)


def _is_plain_cast(unit: Unit, closer: int) -> bool:
    """Whether `(type)` ends at a token, and the type is an address or an integer."""
    tokens, opener = unit.tokens, closer
    while opener > 0 and tokens[opener].text != "(":
        opener -= 1
    texts = [token.text for token in tokens[opener + 1 : closer]]
    if not texts or not all(text.isidentifier() or text in ("*", "::") for text in texts):
        return False
    return texts[-1] == "*" or texts[-1] in _INTEGERS


def _is_argument(unit: Unit, number: int, *, has_ampersand: bool) -> bool:
    """Whether a function is passed to another that may take anything: no macro's argument."""
    tokens = unit.tokens
    opener = enclosing_bracket(tokens, number)
    if opener is None or not opener or tokens[opener].text != "(":
        return False
    callee = tokens[opener - 1]
    if callee.kind != IDENT or callee.text.isupper() or _is_macro(unit, callee.text):
        return False
    return has_ampersand or _is_of_library(unit, opener - 1)


def _is_macro(unit: Unit, name: str) -> bool:
    return any(
        function.is_macro and unit.tokens[function.name].text == name
        for function in unit.functions.all
    )


def _is_of_library(unit: Unit, number: int) -> bool:
    """Whether the statement up to a token calls or declares something of the standard library."""
    tokens = unit.tokens
    texts = [token.text for token in tokens[statement_start(tokens, number) : number + 1]]
    return texts[:2] == ["std", "::"] or texts[-3:-1] == ["std", "::"]


def _declares_auto(unit: Unit, name: int) -> bool:
    at = name - 1
    while at >= 0 and unit.tokens[at].text in _OF_AUTO:
        if unit.tokens[at].text == "auto":
            return unit.tokens[name].kind == IDENT
        at -= 1
    return False


def _in_list(unit: Unit, number: int) -> Severity | None:
    """Return how bad an entry `X(name)` of a list for macros is, None when it is none."""
    tokens = unit.tokens
    if number > 1 and [t.text for t in tokens[number - 2 : number]] == ["decltype", "("]:
        return Severity.ERROR
    before = tokens[_start(unit, number) - 1].text
    after = tokens[number + 1].text if number + 1 < len(tokens) else ""
    if before not in ("(", ",") or after not in (")", ","):
        return None
    callee = callee_of(tokens, enclosing_bracket(tokens, number) or 0)
    directives = [d for d in unit.lexed.directives if d.name == "define"]
    if any(_takes_type(unit, d) or _casts_parameter(unit, d, callee) for d in directives):
        return Severity.ERROR
    is_alone = (before, after) == ("(", ")")
    at = tokens[number].directive
    in_macro = at >= 0 and unit.lexed.directives[at].name == "define"
    return Severity.WARNING if is_alone and in_macro else None


def _takes_type(unit: Unit, directive: Directive) -> bool:
    """Whether a macro takes the type of a parameter: `decltype(&n)`."""
    texts = [token.text for token in unit.tokens[directive.first : directive.last]]
    if len(texts) < 4 or texts[1] != "(" or ")" not in texts:  # noqa: PLR2004
        return False
    parameters = set(texts[2 : texts.index(")")]) - {","}
    return any(
        text == "decltype" and not parameters.isdisjoint(texts[at + 1 : at + 4])
        for at, text in enumerate(texts)
    )


def _casts_parameter(unit: Unit, directive: Directive, name: str) -> bool:
    """Whether the macro of this name casts a parameter's address: `(void*)&f`."""
    texts = [token.text for token in unit.tokens[directive.first : directive.last]]
    return texts[0] == name and _PARAMETER_CAST.search(" ".join(texts)) is not None
