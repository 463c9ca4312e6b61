"""Complex parameters of stubs that lost their const get it back from the real counterpart."""

import pytest

from porting.toolkits.stubs.complex_consts import with_consts
from porting.toolkits.stubs.pxd import Enum, Prototype

REAL = (
    Prototype("int", "hipblasSaxpy", "const float * alpha,const float * x,float * y,int n"),
    Prototype("int", "hipblasDaxpyBatched_64", "const double * alpha,const double *const* x,int n"),
    Prototype("int", "hipblasSger", "const float * x,float * A,const int n"),
    Prototype("int", "hipblasSscal", "const float * alpha,float * x"),
    Prototype("int", "hipblasSsyr", "const float * alpha,const float * x"),
    Prototype("int", "hipblasIsamax", "int n,const float * x"),
    Prototype("int", "hipsolverDnSorgqr", "float * A,const float * tau"),
    Prototype("int", "hipsparseSgemvi", "const float * alpha,const float * A"),
)


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        (
            "hipblasCaxpy",
            "hipblasComplex * alpha,hipblasComplex * x,hipblasComplex * y,int n",
            "const hipblasComplex * alpha,const hipblasComplex * x,hipblasComplex * y,int n",
        ),
        (
            "hipblasCaxpy_v2",
            "float2 * alpha,float2 * x,float2 * y,int n",
            "const float2 * alpha,const float2 * x,float2 * y,int n",
        ),
        (
            "hipblasZaxpyBatched_v2_64",
            "double2 * alpha,double2 *const* x,int n",
            "const double2 * alpha,const double2 *const* x,int n",
        ),
        ("hipblasCgerc", "float2 * x,float2 * A,int n", "const float2 * x,float2 * A,int n"),
        ("hipblasCsscal", "const float * alpha,float2 * x", "const float * alpha,float2 * x"),
        ("hipblasCsyr", "float2 * alpha,float2 * x", "const float2 * alpha,const float2 * x"),
        ("hipblasCher", "const float * a,float2 * x", "const float * a,const float2 * x"),
        ("hipblasIcamax", "int n,float2 * x", "int n,const float2 * x"),
        ("hipsolverDnCungqr", "float2 * A,float2 * tau", "float2 * A,const float2 * tau"),
        ("hipsparseCgemvi", "float2 * a,float2 * A", "const float2 * a,const float2 * A"),
        ("hipblasCaxpy", "float2 * alpha,float2 * x", "float2 * alpha,float2 * x"),
        ("hipblasCown", "float2 * x", "float2 * x"),
        ("hipfftExecC2C", "int plan,float2 * in", "int plan,float2 * in"),
    ],
)
def test_const_is_taken_from_the_real_counterpart(name: str, before: str, after: str) -> None:
    *_, given = with_consts((*REAL, Prototype("int", name, before)))
    assert given == Prototype("int", name, after)


def test_declarations_stay_as_they_are_when_nothing_is_lost() -> None:
    whole = Prototype(
        "int", "hipblasCaxpy", "const float2 * alpha,const float2 * x,float2 * y,int n"
    )
    known = (Enum("e", ("a",)), *REAL, whole)
    assert tuple(with_consts(known)) == known
