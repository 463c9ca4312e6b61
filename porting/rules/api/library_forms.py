"""Functions of CUDA's libraries whose forms differ in AMD's.

Read off by compiling a call of every function of cuBLAS, cuSPARSE, cuSOLVER, cuFFT and cuRAND, with
arguments of exactly the types of its CUDA 12.9 and 13.0 prototypes, against the stubs of ROCm 7.1.
"""

from typing import Final

from porting.rules.api.changes import Cast, ComputeType
from porting.rules.api.forms import Signature, forms

_HALF: Final = "hipblasHalf is a 16-bit integer unless HIPBLAS_USE_HIP_HALF is defined"
_LIST: Final = "HIP takes the list of pointers with fewer const"


def _half(name: str, inputs: tuple[int, ...], output: int, pointer: str) -> tuple[Signature, ...]:
    casts = (Cast(at, f"const hipblasHalf{pointer}", exact=True) for at in inputs)
    scalars = (Cast(at, "const hipblasHalf*", exact=True) for at in (6, output - 1))
    result = Cast(output, f"hipblasHalf{pointer}", exact=True)
    return forms(f"{name} {name}_64", *casts, *scalars, result, note=_HALF)


_BLAS: Final = (
    *_half("cublasHgemm", (7, 9), 12, "*"),
    *_half("cublasHgemmStridedBatched", (7, 10), 14, "*"),
    *_half("cublasHgemmBatched", (7, 9), 12, "* const*"),
    *forms(
        "cublasGemmBatchedEx cublasGemmBatchedEx_64",
        Cast(7, "const void**", exact=True),
        Cast(10, "const void**", exact=True),
        Cast(14, "void**", exact=True),
        ComputeType(18),
        note=_LIST,
    ),
    *forms("cublasGemmEx cublasGemmEx_64", ComputeType(17), note="the compute type is an own enum"),
    *forms(
        "cublasGemmStridedBatchedEx cublasGemmStridedBatchedEx_64",
        ComputeType(21),
        note="the compute type is an own enum",
    ),
    *(
        form
        for letter, kind in (
            ("S", "float"),
            ("D", "double"),
            ("C", "hipComplex"),
            ("Z", "hipDoubleComplex"),
        )
        for form in (
            *forms(
                f"cublas{letter}getriBatched", Cast(2, f"{kind}* const*", exact=True), note=_LIST
            ),
            *forms(
                f"cublas{letter}getrsBatched", Cast(4, f"{kind}* const*", exact=True), note=_LIST
            ),
        )
    ),
)

_SPARSE: Final = (
    *forms(
        " ".join(
            f"cusparse{letter}{name}_bufferSize"
            for letter in "SDCZ"
            for name in ("csr2gebsr", "gebsr2gebsc")
        ),
        refuse="HIP writes the size as a size_t, CUDA as an int",
        help="declare the size as size_t and call the function under its hipsparse name",
    ),
    *forms(
        "cusparseSpVV_bufferSize",
        Cast(4, "void*", addresses=False),
        note="HIP takes the result without const",
    ),
)

_OTHERS: Final = (
    *forms(
        "curandGetScrambleConstants32",
        Cast(0, "const unsigned int**"),
        note="HIP gives pointers to const",
    ),
    *forms(
        "curandGetScrambleConstants64",
        Cast(0, "const unsigned long long**"),
        note="HIP gives pointers to const",
    ),
    *forms(
        "cufftGetProperty",
        Cast(0, "hipfftLibraryPropertyType"),
        note="hipFFT has an enumeration of its own, with the same values",
    ),
)

LIBRARY_FORMS: Final = (*_BLAS, *_SPARSE, *_OTHERS)
