"""The API family on the libraries: pointer lists, halves and compute types."""

from collections.abc import Callable
from typing import Any

import pytest

from porting.rules import collect_project
from porting.rules.api import check
from porting.source import SourceFile

Port = Callable[..., Any]
HALF = "const hipblasHalf*"

GEMMS = [
    (
        "cublasHgemm(h, n, n, 1, 1, 1, &one, a, 1, b, 1, &one, c, 1)",
        (
            f"cublasHgemm(h, n, n, 1, 1, 1, ({HALF})&one, ({HALF})a, 1, ({HALF})b, 1, ({HALF})&one,"
            " (hipblasHalf*)c, 1)"
        ),
    ),
    (
        "cublasHgemm(h, n, n, 1, 1, 1, &one, (const half*)a, 1, b + 1, 1, &one, c, 1)",
        (
            f"cublasHgemm(h, n, n, 1, 1, 1, ({HALF})&one, ({HALF})(const half*)a, 1, "
            f"({HALF})(b + 1), 1, ({HALF})&one, (hipblasHalf*)c, 1)"
        ),
    ),
    (
        "cublasHgemm(h, n, n, 1, 1, 1, (const hipblasHalf*)&one, 0, 1, 0, 1, 0, 0, 1)",
        "cublasHgemm(h, n, n, 1, 1, 1, (const hipblasHalf*)&one, 0, 1, 0, 1, 0, 0, 1)",
    ),
    (
        "cublasSgetriBatched(h, 4, list, 4, p, (float* const*)out, 4, info, 2)",
        "cublasSgetriBatched(h, 4, (float* const*)list, 4, p, (float* const*)out, 4, info, 2)",
    ),
    (
        "cublasGemmBatchedEx(h, n, n, 1, 1, 1, &s, a, t, 1, b, t, 1, &s, c, t, 1, 2, ct, algo)",
        (
            "cublasGemmBatchedEx(h, n, n, 1, 1, 1, &s, (const void**)a, t, 1, (const void**)b, t"
            ", 1, &s, (void**)c, t, 1, 2, ct, algo)"
        ),
    ),
    (
        "cublasGemmEx(h, n, n, 1, 1, 1, &s, a, t, 1, b, t, 1, &s, c, t, 1, CUDA_R_32F, algo)",
        (
            "cublasGemmEx(h, n, n, 1, 1, 1, &s, a, t, 1, b, t, 1, &s, c, t, 1, HIPBLAS_COMPUTE_32F,"
            " algo)"
        ),
    ),
    (
        "cublasGemmEx(h, n, n, 1, 1, 1, &s, a, t, 1, b, t, 1, &s, c, t, 1, ct, algo)",
        "cublasGemmEx(h, n, n, 1, 1, 1, &s, a, t, 1, b, t, 1, &s, c, t, 1, ct, algo)",
    ),
]


@pytest.mark.parametrize(("before", "after"), GEMMS)
def test_call_of_a_library_is_fitted_when_types_differ(
    ported: Port, before: str, after: str
) -> None:
    assert ported(check, f"int f() {{ return {before}; }}\n").text == (
        f"int f() {{ return {after}; }}\n"
    )


REFUSED = [
    (
        "int f(cudaDataType ct) { return cublasGemmEx(h, n, n, 1, 1, 1, &s, a, t, 1, b, t, 1, &s,"
        " c, t, 1, ct, algo); }"
    ),
    (
        "int f() { return cublasGemmEx(h, n, n, 1, 1, 1, &s, a, t, 1, b, t, 1, &s, c, t, 1,"
        " CUDA_R_8I, algo); }"
    ),
    "int f(int n) { return cusparseScsr2gebsr_bufferSize(h, d, 1, 1, m, v, r, c, 1, 1, &n); }",
]


@pytest.mark.parametrize("text", REFUSED)
def test_call_of_a_library_is_refused_when_it_has_no_form(ported: Port, text: str) -> None:
    found = ported(check, f"{text}\n")
    assert found.text == f"{text}\n"
    assert found.said() == [(1, "API003")]


LOCATIONS = [
    "cudaMemLocation of(int d); int f() { auto l = of(0); return cudaMemAdvise(p, n, a, l); }",
    "cudaMemLocation of(int d) { return {}; } int f() { return cudaMemAdvise(p, n, a, of(0)); }",
    "int f() { const auto& l = cudaMemLocation{}; return cudaMemAdvise(p, n, a, (l)); }",
]


@pytest.mark.parametrize("text", LOCATIONS)
def test_location_is_known_when_a_function_or_auto_gives_it(ported: Port, text: str) -> None:
    after = text.replace("cudaMemAdvise(", "hipMemAdvise_v2(")
    assert ported(check, f"{text}\n").text == f"{after}\n"
    assert ported(check, f"{text}\n", "6.4").said() == [(1, "API003")]


def test_device_number_is_left_when_auto_gives_it(ported: Port) -> None:
    text = "int of(int d); int f() { auto l = of(0); return cudaMemAdvise(p, n, a, l); }\n"
    found = ported(check, text)
    assert found.text == text
    assert found.said() == []


WRAPPER = (
    "#ifdef USE_ROCM\n#define hipblasHgemm __compat_hgemm\n"
    "#define hipMallocHost(p, n) host_memory(p, n)\n#endif\n"
)
CALLS = (
    "int f() { return cublasHgemm(h, n, n, 1, 1, 1, &one, a, 1, b, 1, &one, c, 1); }\n"
    "int g(float* p) { return cudaHostGetDevicePointer(&p, q, 0); }\n"
)


def test_call_is_left_when_the_tree_sends_the_hip_name_elsewhere(ported: Port) -> None:
    project = collect_project([SourceFile("compat.cuh", WRAPPER.encode())])
    found = ported(check, CALLS, project=project)
    first, second = found.text.splitlines()
    assert first == CALLS.splitlines()[0]
    assert "(void**)&p" in second


def test_new_name_alone_is_given_when_the_tree_sends_it_elsewhere(ported: Port) -> None:
    text = "#define hipGraphInstantiateWithFlags(e, g) instantiate(e, g)\n"
    project = collect_project([SourceFile("compat.h", text.encode())])
    found = ported(check, "int f() { return cudaGraphInstantiate(&e, g); }\n", project=project)
    assert found.text == "int f() { return hipGraphInstantiateWithFlags(&e, g); }\n"
    assert "this tree" in found.findings[0].message


@pytest.mark.parametrize(
    "define",
    [
        "#define hipblasHgemm cublasHgemm",
        "#define hipblasHgemm hipblasHgemm_v2",
        "#define hipblasHgemm rocblas_hgemm",
        "// #define hipblasHgemm __compat_hgemm",
        "#define hipblasHgemm",
    ],
)
def test_call_is_fitted_when_the_name_still_means_the_library(ported: Port, define: str) -> None:
    project = collect_project([SourceFile("compat.h", f"{define}\n".encode())])
    assert f"({HALF})a" in ported(check, CALLS, project=project).text
