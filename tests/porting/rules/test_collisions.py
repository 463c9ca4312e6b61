"""Different CUDA names, declared side by side, that become one name in HIP."""

from collections.abc import Callable
from typing import Any

import pytest

from porting.rules import collisions


@pytest.mark.parametrize(
    "text",
    [
        "struct Api { int (*cuMemAlloc)(void*); int (*cuMemAlloc_v2)(void*); };",
        "struct Api { F cudaMalloc; F cuMemAlloc; };",
        "#define API(X) X(cudaMalloc) X(cuMemAlloc)\n",
        "enum { cuMemAlloc, cuMemAlloc_v2 };",
    ],
)
def test_names_side_by_side_that_become_one_are_an_error(
    ported: Callable[..., Any], text: str
) -> None:
    (found,) = ported(collisions.check, text).findings
    assert (found.code, found.severity.value) == ("COL001", "error")
    assert "cuMemAlloc" in found.message


@pytest.mark.parametrize(
    "text",
    [
        "void f() { cudaMalloc(&p, 4); cuMemAlloc(&q, 4); }",
        "struct A { F cudaMalloc; }; struct B { F cuMemAlloc; };",
        "int cuMemAlloc(CUdeviceptr* p, size_t n);\nint cudaMalloc(void** p, size_t n);",
        "#define A(X) X(cudaMalloc)\n#define B(X) X(cuMemAlloc)\n",
        "struct Api { F cuInit; F cuMemAlloc; };",
    ],
)
def test_names_in_different_places_are_none(ported: Callable[..., Any], text: str) -> None:
    assert ported(collisions.check, text).findings == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("#define cuMemAlloc cuMemAlloc_v2\nint a;\n", "int a;\n"),
        ("#define cuMemAlloc cuMemAlloc_v2  // as cuda.h does\n", "// as cuda.h does\n"),
        ("#define cuMemAlloc my_alloc\n", "#define cuMemAlloc my_alloc\n"),
        ("#define A cuMemAlloc\n#define B cuMemAlloc_v2\n",) * 2,
    ],
)
def test_macro_from_one_version_of_a_function_to_another_goes(
    ported: Callable[..., Any], text: str, expected: str
) -> None:
    assert ported(collisions.check, text).text == expected
