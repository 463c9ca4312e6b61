"""Calls in C files: C has neither HIP's default arguments nor its macros and typedefs for C++."""

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from porting.config import Target
from porting.hipify import hipify
from porting.mapping import Names
from porting.rules.api import check
from porting.source import SourceFile

if TYPE_CHECKING:
    from porting.toolkits.sysroot import Sysroot

Port = Callable[..., Any]
CALLS = [
    ("cuStreamWaitValue32(s, a, 1, 0)", "cuStreamWaitValue32(s, a, 1, 0, 0xffffffffu)"),
    ("cuStreamWaitValue32_v2(s, a, 1, 0)", "cuStreamWaitValue32_v2(s, a, 1, 0, 0xffffffffu)"),
    ("cuStreamWaitValue64(s, a, 1, 0)", "cuStreamWaitValue64(s, a, 1, 0, 0xffffffffffffffffull)"),
    ("cudaMallocHost(p, 16)", "hipHostMalloc(p, 16, hipHostMallocDefault)"),
    ("cuGetProcAddress(n, p, 12000, 0)", "cuGetProcAddress(n, p, 12000, 0, NULL)"),
    ("cudaGetSymbolAddress(p, n)", "cudaGetSymbolAddress(p, n)"),
    ("cuStreamWriteValue32(s, a, 1, 0)", "cuStreamWriteValue32(s, a, 1, 0)"),
]
CODE = """#include <cuda.h>
#include <cuda_runtime_api.h>
int wait(CUstream s, CUdeviceptr a) {
  cuStreamWriteValue32(s, a, 1u, 0);
  cuStreamWriteValue64(s, a, 1u, 0);
  cuStreamWaitValue64(s, a, 1u, 0);
  return cuStreamWaitValue32(s, a, 1u, CU_STREAM_WAIT_VALUE_GEQ);
}
int limit(CUlimit which, enum cudaLimit other, CUcomputemode *mode, size_t n) {
  *mode = (CUcomputemode)0;
  return cuCtxSetLimit(which, n) + (int)cudaDeviceSetLimit(other, n);
}
int memory(void** p, const void *symbol, const char *name, void *host, cudaStream_t s) {
  cudaMallocHost(p, 16);
  cudaMemcpyToSymbol(symbol, host, 4, 0, cudaMemcpyHostToDevice);
  cudaMemcpyFromSymbolAsync(host, symbol, 4, 0, cudaMemcpyDeviceToHost, s);
  cudaGetSymbolAddress(p, symbol);
  cudaGetDriverEntryPoint("cuCtxGetCurrent", p, 0);
  return cuGetProcAddress(name, p, 12000, 0);
}
"""


@pytest.mark.parametrize(("before", "after"), CALLS)
def test_call_passes_what_cxx_has_a_default_for(ported: Port, before: str, after: str) -> None:
    head = "int f(CUstream s, CUdeviceptr a, void** p, const char* n) { return (int)"
    found = ported(check, f"{head}{before}; }}\n", path="wait.c")
    assert found.text == f"{head}{after}; }}\n"


@pytest.mark.parametrize("path", ["wait.cpp", "wait.cu", "wait.h"])
def test_call_uses_the_default_where_cxx_may_have_it(ported: Port, path: str) -> None:
    text = "int f(CUstream s, CUdeviceptr a) { return cuStreamWaitValue32(s, a, 1, 0); }\n"
    assert ported(check, text, path=path).text == text


def test_typedef_becomes_an_enum_in_c(ported: Port) -> None:
    text = "void f(CUlimit l, CUcomputemode *m);\n"
    assert ported(check, text, path="f.c").text == (
        "void f(enum hipLimit_t l, enum hipComputeMode *m);\n"
    )
    assert ported(check, text, path="f.cpp").text == text


@pytest.mark.parametrize("rocm", ["6.2", "7.1"])
def test_ported_c_file_compiles(request: pytest.FixtureRequest, tmp_path: Path, rocm: str) -> None:
    tree: Sysroot = request.getfixturevalue("sysroot" if rocm == "7.1" else "sysroot_6_2")
    ported = hipify(SourceFile("k.c", CODE.encode()), Target(rocm), Names.load(rocm))
    (tmp_path / "k.c").write_bytes(ported.data)
    flags = ["-std=c11", "-fsyntax-only", "-Werror", "-D__HIP_PLATFORM_AMD__"]
    done = subprocess.run(
        ["clang-19", *flags, f"-isystem{tree.include}", str(tmp_path / "k.c")],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr + ported.data.decode()
