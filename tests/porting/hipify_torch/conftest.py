"""A small extension's sources, for the tests of hipify_torch's interface."""

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

Project = Callable[..., Path]

SOURCES = {
    "csrc/cuda/kernel.cu": """\
#include <cuda_runtime.h>
#include "common.cuh"
#include "table.inl"
#include <api.h>
__global__ void kernel(float* x) { x[threadIdx.x] = next(x[threadIdx.x]); }
void run(float* x, cudaStream_t s) {
  kernel<<<1, 32, 0, s>>>(x);
  cudaStreamSynchronize(s);
}
""",
    "csrc/cuda/common.cuh": """\
#pragma once
__device__ inline float next(float v) { return __shfl_down_sync(0xffffffff, v, 1); }
""",
    "csrc/cuda/table.inl": "// values\n",
    "csrc/bind.cpp": '#include "api.h"\n#include "cuda/common.cuh"\nint f() { return answer(); }\n',
    "include/api.h": "#pragma once\n#include <cuda_runtime_api.h>\nvoid run(cudaStream_t);\n",
    "include/plain.h": "#pragma once\nint answer();\n",
}


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """Return a function that writes a project below the test's folder, and returns its root."""

    def make(files: Mapping[str, str | bytes] = SOURCES, name: str = "project") -> Path:
        for path, text in files.items():
            file = tmp_path / name / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(text.encode() if isinstance(text, str) else text)
        return tmp_path / name

    return make
