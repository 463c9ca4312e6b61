"""Macros and pragmas of NVIDIA's compiler, and old platform macros of HIP."""

import re
from collections.abc import Iterator
from typing import Final

from porting.diagnostics import Diagnostic
from porting.edits import Edit
from porting.rules.macros.architecture import ARCH
from porting.rules.macros.chains import CONDITIONS
from porting.rules.macros.codes import COMPILER, COMPILER_LEFT_OUT, DEPRECATED, PRAGMA
from porting.rules.macros.versions import VERSIONS
from porting.rules.unit import Unit
from porting.syntax import Side

COUNTERPARTS: Final = {
    "__CUDACC__": "__HIPCC__",
    "__CUDA__": "__HIP__",
    "__CUDACC_RTC__": "__HIPCC_RTC__",
    "__CUDACC_EXTENDED_LAMBDA__": "__HIPCC__",
    "__CUDACC_RELAXED_CONSTEXPR__": "__HIPCC__",
    "__CUDA_NO_HALF_OPERATORS__": "__HIP_NO_HALF_OPERATORS__",
    "__CUDA_NO_HALF_CONVERSIONS__": "__HIP_NO_HALF_CONVERSIONS__",
}
_COMPILERS: Final = frozenset(("__CUDACC__", "__CUDA__", "__NVCC__"))
_HIP_COMPILERS: Final = ("__HIPCC__", "__HIP__")
NVCC: Final = "__NVCC__"
_ASKS_COMPILER: Final = re.compile(
    r"__clang\w*|__GNUC\w*|_MSC_\w+|__INTEL_\w+|__PGI\w*|__NVCOMPILER\w*|__ibmxl__|__ICC"
    r"|__CUDACC_VER_\w+"
)
_OTHERS: Final = re.compile(r"__CUDA(?:CC|_|BE|NVVM|ARCH)\w*|__NVCC_\w+|__CUDABE__")
_HANDLED: Final = COUNTERPARTS.keys() | VERSIONS | {ARCH, NVCC}
_OLD_VERSION: Final = "__CUDACC_VER__"
_PRAGMAS: Final = re.compile(r"nv_\w+|hd_warning_disable|diag_(?:suppress|default|warning|error)")
_OLD: Final = {
    "__HIP_PLATFORM_HCC__": "__HIP_PLATFORM_AMD__",
    "__HIP_PLATFORM_NVCC__": "__HIP_PLATFORM_NVIDIA__",
    "__HCC__": "__HIP__",
}


def check_compiler(unit: Unit) -> Iterator[Edit | Diagnostic]:
    """Yield what becomes of compiler macros, pragmas and old platform macros."""
    for name in sorted(COUNTERPARTS.keys() & unit.index.keys()):
        for number in unit.where(name):
            token = unit.tokens[number]
            if name in _COMPILERS and _has_branch_for_hip(unit):
                text = f"{name} stays: the file has a branch of its own for {COUNTERPARTS[name]}"
                yield unit.diagnose(COMPILER, token, text, edits=[unit.hold(token)])
            else:
                yield Edit(token.start, token.end, COUNTERPARTS[name], name)
    for number in unit.where(NVCC):
        yield _nvcc(unit, number)
    for number in unit.where(_OLD_VERSION):
        yield from _old_version(unit, number)
    for name in unit.starting_with("__CUDA", "__NVCC_"):
        if _OTHERS.fullmatch(name) and name not in _HANDLED:
            yield from _others(unit, name)
    yield from _pragmas(unit)
    yield from _deprecated(unit)


def _has_branch_for_hip(unit: Unit) -> bool:
    """Whether a condition asks for HIP's compiler alone: then __CUDACC__ elsewhere means CUDA.

    Headers for both platforms set their own macros so, in one block for each compiler.
    """
    for directive in unit.lexed.directives:
        if directive.name not in ("if", "ifdef", "elif", "elifdef"):
            continue
        words = [t.text for t in unit.tokens[directive.first : directive.last]]
        named = [at for at, word in enumerate(words) if word in _HIP_COMPILERS]
        negated = any("!" in words[max(at - 3, 0) : at] for at in named)
        if named and not negated and _COMPILERS.isdisjoint(words):
            return True
    return False


def _nvcc(unit: Unit, number: int) -> Edit | Diagnostic:
    """Leave __NVCC__ where it asks for the compiler, make it __HIPCC__ where it means GPU code."""
    token = unit.tokens[number]
    directive = unit.lexed.directives[token.directive] if token.directive >= 0 else None
    others: set[str] = set()
    if directive is not None:
        others = {t.text for t in unit.tokens[directive.first : directive.last]}
    asks = "__CUDACC__" in others or any(map(_ASKS_COMPILER.fullmatch, others))
    if not asks and not _steers(unit, number):
        return Edit(token.start, token.end, "__HIPCC__", NVCC)
    text = f"{NVCC} asks for NVIDIA's compiler and stays undefined"
    return unit.diagnose(COMPILER, token, text, edits=[unit.hold(token)])


def _old_version(unit: Unit, number: int) -> Iterator[Diagnostic]:
    """Leave the version that nvcc had before CUDA 9 in conditions, where later ones lack it too."""
    token = unit.tokens[number]
    if token.directive >= 0 and unit.lexed.directives[token.directive].name in CONDITIONS:
        text = f"{_OLD_VERSION} is defined by nvcc before CUDA 9 only, and undefined here"
        yield unit.diagnose(COMPILER, token, text, edits=[unit.hold(token)])


def _steers(unit: Unit, number: int) -> bool:
    """Whether the directive behind the condition is a pragma or an attribute for nvcc."""
    after = unit.tokens[number].directive + 1
    if not 0 < after < len(unit.lexed.directives):
        return False
    directive = unit.lexed.directives[after]
    text = unit.source.text[directive.start : directive.end]
    return directive.name in ("pragma", "define") and "pragma" in text.lower()


def _others(unit: Unit, name: str) -> Iterator[Diagnostic]:
    if unit.names.get(name) is not None or name in unit.project.declared:
        return
    for number in unit.where(name):
        token = unit.tokens[number]
        text = f"{name} is defined by NVIDIA's compiler only"
        help_text = "check whether the code that depends on it is needed"
        yield unit.diagnose(COMPILER_LEFT_OUT, token, text, help=help_text)


def _pragmas(unit: Unit) -> Iterator[Diagnostic]:
    for directive in unit.lexed.directives:
        if directive.name != "pragma" or directive.first >= directive.last:
            continue
        word = unit.tokens[directive.first]
        if _PRAGMAS.fullmatch(word.text) and unit.is_live(directive.start):
            text = f"#pragma {word.text} is for nvcc; HIP's compiler ignores it"
            yield unit.diagnose(PRAGMA, word, text)


def _deprecated(unit: Unit) -> Iterator[Diagnostic]:
    """Yield the old platform macros in conditions; they make their chain one for both platforms."""
    if not any(name in unit.source.text for name in _OLD):
        return
    for directive in unit.lexed.directives:
        if directive.name not in CONDITIONS:
            continue
        tokens = unit.tokens[directive.first : directive.last]
        words = {token.text for token in tokens}
        for token in tokens:
            new = _OLD.get(token.text)
            if new is None or new in words:
                continue  # or it stands beside the new name, for older releases
            if unit.conditionals.side(token.start) is Side.CUDA:
                continue
            text = f"{token.text} is no longer defined; it becomes {new}"
            help_text = "check that the code behind it is still wanted"
            edit = Edit(token.start, token.end, new, token.text)
            yield unit.diagnose(DEPRECATED, token, text, help=help_text, edits=[edit])
