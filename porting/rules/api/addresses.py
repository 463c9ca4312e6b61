"""Addresses of functions that HIP's C++ headers overload, so that they need a cast."""

from collections.abc import Iterator
from typing import Final

from porting.diagnostics import Diagnostic, Severity
from porting.edits import Edit
from porting.rules.api.calls import called_at, is_member
from porting.rules.api.codes import OVERLOADED
from porting.rules.unit import Unit
from porting.syntax import IDENT, Directive

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
_OF_AUTO: Final = frozenset(("auto", "const", "constexpr", "static", "*", "&", "inline"))


def check_addresses(unit: Unit) -> Iterator[Diagnostic]:
    """Yield the cast of every address of an overloaded function, or where one is missing."""
    if unit.source.suffix == ".c":
        return  # C has no overloads
    for name in _NAMES:
        target = unit.names.get(name)
        if name in unit.project.declared or target is None or target.target not in _PARAMETERS:
            continue
        for number in unit.where(name):
            if called_at(unit, number) is None and not is_member(unit, number):
                yield from _mention(unit, number, target.target)


def _mention(unit: Unit, number: int, target: str) -> Iterator[Diagnostic]:
    token = unit.tokens[number]
    cast = f"static_cast<hipError_t (*)({_PARAMETERS[target]})>(&{target})"
    if _needs_cast(unit, number):
        first = number - 1 if _has_ampersand(unit, number) else number
        edit = Edit(unit.tokens[first].start, token.end, cast, token.text)
        text = f"'{token.text}': {target} is overloaded, so its address is taken with a cast"
        yield unit.diagnose(OVERLOADED, token, text, severity=Severity.NOTE, edits=[edit])
        return
    severity = _in_list(unit, number)
    if severity is not None:
        text = f"'{token.text}' becomes {target}, which is overloaded: its address needs a cast"
        yield unit.diagnose(OVERLOADED, token, text, help=f"write {cast}", severity=severity)


def _has_ampersand(unit: Unit, number: int) -> bool:
    return number > 0 and unit.tokens[number - 1].text == "&"


def _needs_cast(unit: Unit, number: int) -> bool:
    """Whether nothing around an address gives it a type, in code that is surely C++."""
    tokens = unit.tokens
    has_ampersand = _has_ampersand(unit, number)
    at = number - (2 if has_ampersand else 1)
    after = tokens[number + 1].text if number + 1 < len(tokens) else ""
    if at < 1 or tokens[number].directive != tokens[at].directive:
        return False
    if tokens[at].text == "=" and after in (";", ","):
        return _declares_auto(unit, at - 1)
    if tokens[at].text != "(" or after != ")":
        return False
    if tokens[at - 1].text == "decltype":
        return has_ampersand
    words = [token.text for token in tokens[max(at - 5, 0) : at]]
    return words == ["reinterpret_cast", "<", "void", "*", ">"]


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
    before = tokens[number - (2 if _has_ampersand(unit, number) else 1)].text
    after = tokens[number + 1].text if number + 1 < len(tokens) else ""
    if before not in ("(", ",") or after not in (")", ","):
        return None
    if any(_takes_type(unit, directive) for directive in unit.lexed.directives):
        return Severity.ERROR
    is_alone = (before, after) == ("(", ")")
    at = tokens[number].directive
    in_macro = at >= 0 and unit.lexed.directives[at].name == "define"
    return Severity.WARNING if is_alone and in_macro else None


def _takes_type(unit: Unit, directive: Directive) -> bool:
    """Whether a macro takes the type of a parameter: `decltype(&n)`."""
    if directive.name != "define":
        return False
    words = [token.text for token in unit.tokens[directive.first : directive.last]]
    if len(words) < 4 or words[1] != "(" or ")" not in words:  # noqa: PLR2004
        return False
    parameters = set(words[2 : words.index(")")]) - {","}
    return any(
        word == "decltype" and not parameters.isdisjoint(words[at + 1 : at + 4])
        for at, word in enumerate(words)
    )
