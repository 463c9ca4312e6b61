// What device code of the proof is compiled with: CUDA's dialect for the
// processor.  Types and prototypes are those of the CUDA home.
#pragma once

#include <bits/stl_algobase.h>

#include <new>
#pragma clang force_cuda_host_device begin
#include <cassert>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#pragma clang force_cuda_host_device end

#undef __host__
#define __host__ __attribute__((host))
#undef __device__
#define __device__ __attribute__((device))
#undef __global__
#define __global__ __attribute__((global))
#undef __shared__
#define __shared__ __attribute__((shared))
#undef __constant__
#define __constant__ __attribute__((constant))
#undef __forceinline__
#define __forceinline__ inline __attribute__((always_inline))
#undef __noinline__
#define __noinline__ __attribute__((noinline))
#undef __launch_bounds__
#define __launch_bounds__(...)

#pragma clang force_cuda_host_device begin
// clang-format off: each needs the ones before it
#include <vector_types.h>
#include <driver_types.h>
#include <cuda_runtime_api.h>
// clang-format on
#pragma clang force_cuda_host_device end

extern "C" __host__ __device__ unsigned __cudaPushCallConfiguration(
    dim3, dim3, size_t = 0, cudaStream_t = 0);

// As in fibers.h.
struct ProofExtent {
  unsigned x, y, z;
  __host__ __device__ operator dim3() const { return dim3(x, y, z); }
};
struct ProofThread {
  ProofExtent thread, block, block_size, grid_size;
  unsigned lane;
};
extern "C" {
__device__ ProofThread* proof_thread();
__device__ void proof_barrier();
__device__ uint64_t proof_exchange(uint64_t value, int source);
__device__ uint64_t proof_ballot(int vote);
}

#define threadIdx (proof_thread()->thread)
#define blockIdx (proof_thread()->block)
#define blockDim (proof_thread()->block_size)
#define gridDim (proof_thread()->grid_size)
#define warpSize 32

__device__ inline void __syncthreads() { proof_barrier(); }
__device__ inline void __threadfence() {}
__device__ inline void __threadfence_block() {}

template <class T>
__device__ inline T proof_take(T value, int source) {
  uint64_t word = 0;
  __builtin_memcpy(&word, &value, sizeof value);
  word = proof_exchange(word, source);
  __builtin_memcpy(&value, &word, sizeof value);
  return value;
}
// A lane out of its group of `width` gives a lane its own value.
template <class T>
__device__ inline T proof_take_within(T value, int source, int width) {
  int lane = proof_thread()->lane;
  bool same = source >= 0 && (source & ~(width - 1)) == (lane & ~(width - 1));
  return proof_take(value, same ? source : lane);
}
template <class T>
__device__ inline T __shfl_sync(unsigned, T value, int source, int width = 32) {
  int lane = proof_thread()->lane;
  return proof_take(value, (lane & ~(width - 1)) | (source & (width - 1)));
}
template <class T>
__device__ inline T __shfl_xor_sync(unsigned, T value, int mask,
                                    int width = 32) {
  return proof_take_within(value, proof_thread()->lane ^ mask, width);
}
template <class T>
__device__ inline T __shfl_down_sync(unsigned, T value, unsigned by,
                                     int width = 32) {
  return proof_take_within(value, proof_thread()->lane + by, width);
}
template <class T>
__device__ inline T __shfl_up_sync(unsigned, T value, unsigned by,
                                   int width = 32) {
  return proof_take_within(value, (int)proof_thread()->lane - (int)by, width);
}
__device__ inline unsigned __ballot_sync(unsigned, int vote) {
  return (unsigned)proof_ballot(vote);
}
__device__ inline int __any_sync(unsigned, int vote) {
  return proof_ballot(vote) != 0;
}
__device__ inline int __popc(unsigned x) { return __builtin_popcount(x); }

// Threads run one at a time, so plain reads and writes are atomic.
template <class T, class U>
__device__ inline T atomicAdd(T* address, U value) {
  T old = *address;
  *address = old + (T)value;
  return old;
}
template <class T, class U>
__device__ inline T atomicMax(T* address, U value) {
  T old = *address;
  if ((T)value > old) *address = (T)value;
  return old;
}
template <class T>
__device__ inline T atomicCAS(T* address, T expected, T value) {
  T old = *address;
  if (old == expected) *address = value;
  return old;
}
__device__ inline float rsqrtf(float x) { return 1.f / sqrtf(x); }
template <class T>
__device__ inline T __ldg(const T* address) {
  return *address;
}
