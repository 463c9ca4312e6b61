"""PyTorch extensions in a compat tree: headers that include those of PyTorch's ROCm build."""

import subprocess
import sysconfig
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import pytest

from benchmarks.real_trees.torch_headers import thrust_headers, torch_headers
from porting.toolkits.sysroot import Sysroot

Make = Callable[..., Any]
INCLUDE = "eclosion/include"
# What torch.utils.cpp_extension passes in a ROCm build.
TORCH_FLAGS = (
    *("-D__HIP_PLATFORM_AMD__=1", "-DUSE_ROCM=1", "-DHIPBLAS_V2", "-DCUDA_HAS_FP16=1"),
    *("-D__HIP_NO_HALF_OPERATORS__=1", "-D__HIP_NO_HALF_CONVERSIONS__=1"),
    *("-DHIP_ENABLE_WARP_SYNC_BUILTINS=1", "-DTHRUST_DEVICE_SYSTEM=THRUST_DEVICE_SYSTEM_CPP"),
)
EXTENSION = """
#include <ATen/ATen.h>
#include <ATen/cuda/Atomic.cuh>
#include <ATen/cuda/CUDAContext.h>
#include <ATen/cuda/DeviceUtils.cuh>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <cuda_fp16.h>
template <typename T> __global__ void sums(const T* in, T* out) {
  T sum = in[threadIdx.x];
  for (int step = warpSize / 2; step > 0; step /= 2) {
    sum += __shfl_down_sync(0xffffffffu, sum, step);
  }
  if (threadIdx.x % warpSize == 0 && __ballot(1)) gpuAtomicAdd(out, sum);
}
at::Tensor row_sums(const at::Tensor& in) {
  const c10::cuda::CUDAGuard guard(in.device());
  at::Tensor out = at::zeros({1}, in.options());
  cudaStream_t stream = at::cuda::getCurrentCUDAStream();
  AT_DISPATCH_FLOATING_TYPES_AND_HALF(in.scalar_type(), "sums", [&] {
    sums<scalar_t><<<1, 64, 0, stream>>>(in.data_ptr<scalar_t>(), out.data_ptr<scalar_t>());
  });
  C10_CUDA_CHECK(cudaGetLastError());
  return out;
}
"""


def test_headers_of_pytorch_stand_for_those_of_its_rocm_build(make: Make) -> None:
    made = make("#include <ATen/cuda/CUDAContext.h>\nvoid f() { cudaFree(0); }\n")
    text = made.headers.files[f"{INCLUDE}/ATen/cuda/CUDAContext.h"]
    assert made.said() == []
    assert '#include "../../../cuda_to_hip.h"\n\n#include <ATen/hip/HIPContext.h>\n' in text


def test_headers_that_keep_their_name_need_none(make: Make) -> None:
    files = make("#include <torch/csrc/cuda/nccl.h>\nvoid f() { cudaFree(0); }\n").headers.files
    assert list(files) == ["eclosion/cuda_to_hip.h"]


def test_pytorch_reads_the_width_of_a_wavefront_in_its_own_headers(make: Make) -> None:
    files = make(EXTENSION).headers.files
    text = files[f"{INCLUDE}/ATen/cuda/DeviceUtils.cuh"]
    before, _, after = text.partition("#include <ATen/hip/DeviceUtils.cuh>\n")
    assert "#define warpSize eclosion_wavefront_size\n" in before
    assert "#undef __ballot\n" in before
    assert after == '\n#pragma pop_macro("warpSize")\n#pragma pop_macro("__ballot")\n'


MIXED = """
#include <ATen/cuda/CUDAContext.h>
__global__ void k(float* p) {
  for (int n = C10_WARP_SIZE / 2; n > 0; n /= 2) *p += WARP_SHFL_DOWN(*p, n);
}
"""


def test_pytorchs_wavefronts_beside_warps_of_32_lanes_are_a_warning(make: Make) -> None:
    other = "__global__ void r(int* p) { p[1] = __shfl_sync(~0u, *p, 0); }\n"
    made = make({"a.cu": MIXED, "b.cu": other})
    found = [(d.file, d.line, d.code, d.symbol) for d in made.findings]
    assert found == [
        ("a.cu", 4, "HDR009", "C10_WARP_SIZE"),
        ("a.cu", 4, "HDR009", "WARP_SHFL_DOWN"),
    ]
    assert make(MIXED).said() == []


def test_macros_of_the_file_are_not_pytorchs(make: Make) -> None:
    own = "#define WARP_SHFL_DOWN(v, n) __shfl_down_sync(~0u, v, n)\n#define C10_WARP_SIZE 32\n"
    assert [code for _, _, code in make(own + MIXED).said() if code == "HDR009"] == []


@pytest.mark.soak
@pytest.mark.timeout(900)
@pytest.mark.parametrize("side", ["host", "device"])
def test_extension_compiles_untouched_against_pytorchs_headers(
    make: Make, sysroot: Sysroot, tmp_path: Path, side: str, missing: Callable[[str], NoReturn]
) -> None:
    torch, thrust = torch_headers(), thrust_headers()
    if thrust is None:
        missing("apt has no libthrust-dev here")
    made = make(EXTENSION)
    assert [found for found in made.findings if found.severity != "note"] == []
    flags = made.write(tmp_path)
    system = (sysroot.include, torch, torch / "torch/csrc/api/include", thrust)
    flags += [f"-isystem{path}" for path in (*system, sysconfig.get_paths()["include"])]
    unit = tmp_path / "unit.cu"
    unit.write_text(EXTENSION)
    command = ["clang++-19", "-x", "hip", "--offload-arch=gfx942", f"--rocm-path={sysroot.path}"]
    command += [f"--cuda-{side}-only", "-std=c++20", "-w", "-fsyntax-only", *TORCH_FLAGS]
    done = subprocess.run(
        [*command, *flags, str(unit)], capture_output=True, text=True, timeout=800, check=False
    )
    assert done.returncode == 0, done.stderr
