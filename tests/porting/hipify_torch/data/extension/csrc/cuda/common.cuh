// Sizes and checks that host code and kernels share.
#pragma once

#include <c10/util/Exception.h>
#include <cuda_runtime.h>

#include <cstdint>

#ifndef ROWOPS_CUDA_THREADS
#define ROWOPS_CUDA_THREADS 256
#endif

#define ROWOPS_CHECK(call)                                                      \
  do {                                                                          \
    const cudaError_t status = (call);                                          \
    TORCH_CHECK(status == cudaSuccess, #call ": ", cudaGetErrorString(status)); \
  } while (false)

namespace rowops {

constexpr int kThreads = ROWOPS_CUDA_THREADS;
constexpr int kWarp = 32;
constexpr int kWarps = kThreads / kWarp;
constexpr unsigned kAllLanes = 0xffffffffu;

#if defined(__CUDACC__) || defined(__HIPCC__)

template <typename T>
__device__ __forceinline__ T warp_sum(T value) {
#pragma unroll
  for (int distance = kWarp / 2; distance > 0; distance /= 2) {
    value += __shfl_down_sync(kAllLanes, value, distance);
  }
  return value;
}

// The sum over a block, in its first thread.
template <typename T>
__device__ __forceinline__ T block_sum(T value, T* scratch) {
  const int lane = threadIdx.x & 31;
  const int warp = threadIdx.x >> 5;
  value = warp_sum(value);
  if (lane == 0) {
    scratch[warp] = value;
  }
  __syncthreads();
  value = threadIdx.x < kWarps ? scratch[lane] : T(0);
  return warp == 0 ? warp_sum(value) : value;
}

#endif

}  // namespace rowops
