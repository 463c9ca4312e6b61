"""What programs include beyond the runtime: CCCL, asynchronous copies, cuComplex, old names."""

from pathlib import Path

import numpy as np
import pytest

from porting.emulate.toolkits import Headers
from porting.toolkits.cuda import CudaHome
from tests.porting.emulate.device_code import Array, Device, Launch

# The first of them builds the emulator.
pytestmark = pytest.mark.timeout(600)


@pytest.fixture
def device(cuda_home: CudaHome, tmp_path: Path) -> Device:
    return Device(Headers("cuda", cuda_home.path, cuda_home.release), 32, tmp_path)


def launched(device: Device, source: str, launch: Launch) -> list[Array]:
    ran = device.run(source, [launch])
    assert (ran.status, ran.findings) == (0, []), ran.errors
    return ran.arguments[0]


def test_types_of_cuda_std_work_in_device_code(device: Device) -> None:
    source = """
#include <cuda/std/array>
#include <cuda/std/bit>
#include <cuda/std/complex>
#include <cuda/std/limits>
#include <cuda/std/optional>
#include <cuda/std/span>
#include <cuda/std/tuple>
#include <cuda_fp16.h>
#include <nv/target>
extern "C" __global__ void use(float* out, __half* half) {
  const cuda::std::array<float, 3> some{1.0f, 2.0f, 3.0f};
  const cuda::std::span<const float> view(some.data(), some.size());
  float sum = 0;
  for (const float each : view) sum += each;
  cuda::std::optional<float> maybe;
  const auto pair = cuda::std::make_tuple(4.0f, 5);
  const cuda::std::complex<float> square =
      cuda::std::complex<float>(1, 2) * cuda::std::complex<float>(1, 2);
  out[0] = sum;
  out[1] = maybe.value_or(-1.0f);
  out[2] = cuda::std::get<0>(pair);
  out[3] = square.imag();
  out[4] = cuda::std::popcount(0xF0u);
  out[5] = cuda::std::numeric_limits<float>::infinity();
  NV_IF_ELSE_TARGET(NV_IS_DEVICE, (out[6] = blockDim.x;), (out[6] = -7;))
  half[0] = half[0] + half[0];
}
"""
    given = (np.zeros(7, np.float32), np.array([1.5], np.float16))
    out, half = launched(device, source, Launch("use", given, block=(1, 1, 1)))
    assert out.tolist() == [6, -1, 4, 4, 4, np.inf, 1]
    assert half.tolist() == [3]


def test_atomics_of_cuda_std_lose_no_update(device: Device) -> None:
    source = """
#include <cuda/atomic>
extern "C" __global__ void count(int* total, unsigned long long* most) {
  cuda::atomic_ref<int, cuda::thread_scope_device> counter(*total);
  counter.fetch_add(1, cuda::memory_order_relaxed);
  cuda::atomic_ref<unsigned long long, cuda::thread_scope_system> top(*most);
  top.fetch_max(threadIdx.x + 1000ull * blockIdx.x);
}
"""
    given = (np.zeros(1, np.int32), np.zeros(1, np.uint64))
    launch = Launch("count", given, block=(96, 1, 1), grid=(5, 1, 1))
    total, most = launched(device, source, launch)
    assert (total[0], most[0]) == (480, 4095)


def test_algorithms_of_cub_work_on_blocks_and_warps(device: Device) -> None:
    source = """
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/warp/warp_reduce.cuh>
extern "C" __global__ void blocks(const int* in, int* sums, int* scanned, int* warps) {
  using Reduce = cub::BlockReduce<int, 96>;
  using Scan = cub::BlockScan<int, 96>;
  using Warp = cub::WarpReduce<int>;
  __shared__ union {
    typename Reduce::TempStorage reduce;
    typename Scan::TempStorage scan;
  } shared;
  __shared__ typename Warp::TempStorage own[3];
  const int i = threadIdx.x;
  const int sum = Reduce(shared.reduce).Sum(in[i]);
  if (i == 0) sums[0] = sum;
  __syncthreads();
  Scan(shared.scan).ExclusiveSum(in[i], scanned[i]);
  const int largest = Warp(own[i / 32]).Reduce(in[i], cuda::maximum<>{});
  if (i % 32 == 0) warps[i / 32] = largest;
}
"""
    given = np.random.default_rng(5).integers(-1000, 1000, 96, dtype=np.int32)
    arrays = (given, np.zeros(1, np.int32), np.zeros(96, np.int32), np.zeros(3, np.int32))
    _, sums, scanned, warps = launched(device, source, Launch("blocks", arrays, block=(96, 1, 1)))
    assert sums[0] == given.sum()
    assert (scanned == np.concatenate([[0], given.cumsum()[:-1]])).all()
    assert (warps == given.reshape(3, 32).max(axis=1)).all()


COPIES = {
    "a barrier": """
  __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
  if (block.thread_rank() == 0) init(&barrier, blockDim.x);
  __syncthreads();
  cuda::memcpy_async(block, tile, in, sizeof(tile), barrier);
  barrier.arrive_and_wait();
""",
    "a pipeline of the block": """
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  auto pipeline = cuda::make_pipeline(block, &state);
  pipeline.producer_acquire();
  cuda::memcpy_async(block, tile, in, cuda::aligned_size_t<16>(sizeof(tile)), pipeline);
  pipeline.producer_commit();
  pipeline.consumer_wait();
""",
    "a pipeline of the thread": """
  auto pipeline = cuda::make_pipeline();
  pipeline.producer_acquire();
  cuda::memcpy_async(&tile[threadIdx.x], in + threadIdx.x, sizeof(float), pipeline);
  pipeline.producer_commit();
  cuda::pipeline_consumer_wait_prior<0>(pipeline);
  __syncthreads();
""",
    "primitives": """
  __pipeline_memcpy_async(&tile[threadIdx.x], in + threadIdx.x, sizeof(float));
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
""",
    "a group": """
  cooperative_groups::memcpy_async(block, tile, in, sizeof(tile));
  cooperative_groups::wait(block);
""",
}


@pytest.mark.parametrize("way", COPIES)
def test_copies_into_shared_memory_are_there_after_the_wait(device: Device, way: str) -> None:
    source = f"""
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_pipeline.h>
extern "C" __global__ void copy(float* out, const float* in) {{
  __shared__ float tile[64];
  const auto block = cooperative_groups::this_thread_block();
  {COPIES[way]}
  out[threadIdx.x] = tile[63 - threadIdx.x];
}}
"""
    given = (np.zeros(64, np.float32), np.arange(64, dtype=np.float32))
    out, source_values = launched(device, source, Launch("copy", given))
    assert (out == source_values[::-1]).all()


def test_a_barrier_of_part_of_a_block_is_refused_when_it_is_made(device: Device) -> None:
    source = """
#include <cuda/barrier>
extern "C" __global__ void part(int* out) {
  __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
  if (threadIdx.x == 0) init(&barrier, 32);
  out[threadIdx.x] = 1;
}
"""
    ran = device.run(source, [Launch("part", (np.zeros(64, np.int32),))])
    assert ran.status != 0
    assert "a cuda::barrier is emulated for all threads of the block alone" in ran.errors


def test_headers_of_old_names_and_complex_numbers_are_there(device: Device) -> None:
    source = """
#include <cuComplex.h>
#include <device_atomic_functions.h>
#include <device_launch_parameters.h>
#include <math_constants.h>
#include <sm_30_intrinsics.h>
#include <sm_60_atomic_functions.h>
extern "C" __global__ void old(float* out) {
  const cuFloatComplex product = cuCmulf(make_cuFloatComplex(1, 2), make_cuFloatComplex(3, 4));
  out[0] = product.x;
  out[1] = product.y;
  out[2] = cuCabsf(make_cuFloatComplex(3, 4));
  out[3] = CUDART_INF_F;
}
"""
    (out,) = launched(device, source, Launch("old", (np.zeros(4, np.float32),), block=(1, 1, 1)))
    assert out.tolist() == [-5, 10, 5, np.inf]


def test_macros_are_those_of_the_vendors_compiler(device: Device) -> None:
    source = """
#if !defined(__CUDACC__) || !defined(__NVCC__) || __CUDACC_VER_MAJOR__ < 12
#error "not as the vendor's compiler"
#endif
__host__ __device__ inline int side() {
#ifdef __CUDA_ARCH__
  return __CUDA_ARCH__;
#else
  return -1;
#endif
}
extern "C" __global__ void ask(int* out) { out[0] = side(); }
int on_the_host(int x) { return side() + max(x, 3) + static_cast<int>(rsqrt(4.0)); }
"""
    (out,) = launched(device, source, Launch("ask", (np.zeros(1, np.int32),), block=(1, 1, 1)))
    assert out.tolist() == [900]
