// What the lanes of a warp do together.
#pragma once

#include <cuda_runtime.h>

namespace tidepool {

constexpr unsigned kEveryLane = 0xffffffffu;
// Room for one value per warp: 1024 threads, and no warp is narrower than 32.
constexpr int kMaxWarps = 32;

// PTX where it is an instruction shorter; other compilers read the #else.
__device__ __forceinline__ unsigned lane_id() {
#if defined(__CUDA_ARCH__)
  unsigned lane;
  asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
  return lane;
#else
  const unsigned row = threadIdx.z * blockDim.y + threadIdx.y;
  return (row * blockDim.x + threadIdx.x) % warpSize;
#endif
}

// The lanes before this one.
__device__ __forceinline__ unsigned lanes_below() {
#if defined(__CUDA_ARCH__)
  unsigned mask;
  asm volatile("mov.u32 %0, %%lanemask_lt;" : "=r"(mask));
  return mask;
#else
  return ~(0xffffffffu << lane_id());
#endif
}

// `count` bits of `word`, from bit `first` on; `count` is below 32.
__device__ __forceinline__ unsigned bit_field(unsigned word, unsigned first,
                                              unsigned count) {
#if defined(__CUDA_ARCH__)
  unsigned field;
  asm("bfe.u32 %0, %1, %2, %3;"
      : "=r"(field)
      : "r"(word), "r"(first), "r"(count));
  return field;
#else
  return (word >> first) & ((1u << count) - 1u);
#endif
}

__device__ __forceinline__ unsigned swap_bytes(unsigned word) {
#if defined(__CUDA_ARCH__)
  unsigned swapped;
  asm("prmt.b32 %0, %1, 0, 0x0123;" : "=r"(swapped) : "r"(word));
  return swapped;
#else
  return __byte_perm(word, 0, 0x0123);
#endif
}

struct Sum {
  template <typename T>
  __device__ T operator()(T a, T b) const {
    return a + b;
  }
};

struct Minimum {
  __device__ float operator()(float a, float b) const { return fminf(a, b); }
};

struct Maximum {
  __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};

struct Xor {
  __device__ unsigned operator()(unsigned a, unsigned b) const { return a ^ b; }
};

// The first lane gets the result.
template <typename T, typename Op>
__device__ __forceinline__ T warp_reduce(T value, Op op) {
  for (int offset = warpSize / 2; offset > 0; offset /= 2) {
    value = op(value, __shfl_down_sync(kEveryLane, value, offset));
  }
  return value;
}

// The first thread gets the result; every thread of the block must call.
template <typename T, typename Op>
__device__ T block_reduce(T value, T identity, Op op) {
  __shared__ T partial[kMaxWarps];
  const int warp = threadIdx.x / warpSize;
  value = warp_reduce(value, op);
  __syncthreads();  // the array may still be read by the call before
  if (lane_id() == 0) partial[warp] = value;
  __syncthreads();
  if (warp == 0) {
    const int warps = (blockDim.x + warpSize - 1) / warpSize;
    const int lane = static_cast<int>(lane_id());
    value = warp_reduce(lane < warps ? partial[lane] : identity, op);
  }
  return value;
}

// Hands every lane that wants one a slot of its own: one atomic per warp.
// All lanes of the warp must call.
__device__ __forceinline__ int append_slot(int* counter, bool wanted) {
  const unsigned wanting = __ballot_sync(kEveryLane, wanted);
  if (wanting == 0) return -1;
  const int leader = __ffs(wanting) - 1;
  int first = 0;
  if (static_cast<int>(lane_id()) == leader) {
    first = atomicAdd(counter, __popc(wanting));
  }
  first = __shfl_sync(kEveryLane, first, leader);
  return wanted ? first + __popc(wanting & lanes_below()) : -1;
}

// Counts `bin` once per lane with one atomic per distinct bin; lanes that left
// early take no part.
__device__ __forceinline__ void count_bin(unsigned* bins, int bin) {
  const unsigned active = __activemask();
  const unsigned peers = __match_any_sync(active, bin);
  const unsigned before = peers & ((1u << lane_id()) - 1u);
  if (before == 0) atomicAdd(&bins[bin], __popc(peers));
}

}  // namespace tidepool
