"""Include guards of CUDA's headers in conditions."""

import pytest

from porting.config import Target
from porting.hipify import Hipified, hipify
from porting.mapping import Names
from porting.source import SourceFile
from porting.toolkits.sysroot import Sysroot


def port(text: str) -> Hipified:
    return hipify(SourceFile("a.h", text.encode()), Target(), Names.load("7.1"))


def said(text: str) -> list[tuple[int, str, str]]:
    return [(d.line, d.code, d.severity.value) for d in port(text).diagnostics]


@pytest.mark.parametrize(
    ("guard", "expected"),
    [
        ("__DRIVER_TYPES_H__", "HIP_INCLUDE_HIP_DRIVER_TYPES_H"),
        ("__CUDA_RUNTIME_H__", "HIP_INCLUDE_HIP_HIP_RUNTIME_H"),
        ("__CUDA_RUNTIME_API_H__", "HIP_INCLUDE_HIP_HIP_RUNTIME_API_H"),
        ("__cuda_cuda_h__", "HIP_INCLUDE_HIP_HIP_RUNTIME_API_H"),
        ("__CUDA_FP16_H__", "HIP_INCLUDE_HIP_HIP_FP16_H"),
        ("CUBLAS_API_H_", "HIPBLAS_H"),
    ],
)
def test_include_guard_becomes_that_of_the_hip_header(guard: str, expected: str) -> None:
    text = f"#if defined({guard}) || defined(X)\nint a;\n#endif\n"
    assert port(text).data.decode() == text.replace(guard, expected)
    assert said(text) == [(1, "MAC007", "note")]


def test_include_guards_of_the_runtime_are_what_its_headers_define(sysroot: Sysroot) -> None:
    from porting.rules.macros.guards import GUARDS

    text = "\n".join(
        path.read_text(errors="replace") for path in (sysroot.include / "hip").rglob("*.h")
    )
    missing = {
        guard
        for guard in GUARDS.values()
        if "HIP_INCLUDE" in guard
        and f"#define {guard}" not in text
        and f"#define  {guard}" not in text
    }
    assert missing == set()


def test_include_guard_without_counterpart_is_a_warning() -> None:
    assert said("#ifdef __CUDA_FP4_H__\nint a;\n#endif\n") == [(1, "MAC008", "warning")]


def test_include_guard_of_the_trees_own_header_stays() -> None:
    text = "#ifndef CUDA_H\n#define CUDA_H\nint a = cudaSuccess;\n#endif\n"
    assert port(text).data.decode() == text.replace("cudaSuccess", "hipSuccess")
