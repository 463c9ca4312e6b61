"""cuBLAS and cuRAND where a rename compiles and still is not the whole story."""

import re
from collections.abc import Iterator
from typing import Final

from porting.diagnostics import Diagnostic
from porting.rules.libraries.codes import BLAS_V1, BLAS_V2, RANDOM
from porting.rules.unit import Unit
from porting.syntax import call_at

_TYPED_CALLS: Final = frozenset(
    (
        *("cublasGemmEx", "cublasGemmBatchedEx", "cublasGemmStridedBatchedEx", "cublasAxpyEx"),
        *("cublasDotEx", "cublasDotcEx", "cublasNrm2Ex", "cublasScalEx", "cublasRotEx"),
    )
)
_COMPLEX: Final = re.compile(r"cublas(?:I[cz]|[CZ](?!reate))[a-z]\w+")
_V1_ONLY: Final = ("cublasInit", "cublasShutdown", "cublasGetError", "cublasAlloc", "cublasFree")
_V1_CALL: Final = re.compile(r"cublas(?:I?[SDCZ]|Sc|Dz)[a-z]\w+")
_V2: Final = "HIPBLAS_V2"
_HEADERS: Final = frozenset(
    ("cublas.h", "cublas_v2.h", "cublas_api.h", "cublasXt.h", "hipblas.h", "hipblas/hipblas.h")
)
_SEEDS: Final = ("curandSetPseudoRandomGeneratorSeed", "curand_init")


def check_blas(unit: Unit) -> Iterator[Diagnostic]:
    """Yield what a person must know about the BLAS and random number calls of a file."""
    if unit.target.release < (7, 0):
        yield from _check_v2(unit)
    if any(header.path == "cublas.h" for header in unit.headers):
        yield from _check_v1(unit)
    for name in _SEEDS:
        for number in unit.where(name)[:1]:
            message = f"'{name}': hipRAND gives other numbers than cuRAND for the same seed"
            yield unit.diagnose(RANDOM, unit.tokens[number], message)


def _check_v2(unit: Unit) -> Iterator[Diagnostic]:
    if _defines_v2(unit):
        return
    names = unit.starting_with("cublas")
    typed = [name for name in names if name in _TYPED_CALLS or _COMPLEX.fullmatch(name)]
    for name in typed[:1]:
        for number in unit.where(name)[:1]:
            message = f"'{name}' needs HIPBLAS_V2 to be defined in ROCm {unit.target.rocm}"
            advice = (
                "add -DHIPBLAS_V2 to the compile options of every unit that uses hipBLAS, and"
                ' "HIPBLAS_V2" to defines in [tool.porting]'
            )
            yield unit.diagnose(BLAS_V2, unit.tokens[number], message, help=advice)


def _defines_v2(unit: Unit) -> bool:
    """Whether HIPBLAS_V2 is defined by the build, or by the file in front of hipBLAS's header."""
    if any(define.partition("=")[0].strip() == _V2 for define in unit.project.defines):
        return True
    headers = [header.start for header in unit.headers if header.path in _HEADERS]
    first = min(headers, default=len(unit.source.text))
    return any(
        unit.tokens[number].start < first and _is_defined_at(unit, number)
        for number in unit.where(_V2)
    )


def _is_defined_at(unit: Unit, number: int) -> bool:
    at = unit.tokens[number].directive
    if at < 0:
        return False
    directive = unit.lexed.directives[at]
    return directive.name == "define" and directive.first == number


def _check_v1(unit: Unit) -> Iterator[Diagnostic]:
    """Yield the calls of the interface without handles; those with one begin with a variable."""
    if unit.where("cublasHandle_t") or unit.where("cublasCreate"):
        return
    for name in unit.starting_with("cublas"):
        if name not in _V1_ONLY and not _V1_CALL.fullmatch(name):
            continue
        for number in unit.where(name):
            if call_at(unit.tokens, number) is not None:
                message = f"'{name}' is called without a handle, which hipBLAS does not know"
                advice = "create a handle by hipblasCreate and pass it as the first argument"
                yield unit.diagnose(BLAS_V1, unit.tokens[number], message, help=advice)
