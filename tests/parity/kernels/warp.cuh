// Reductions and scans over the lanes of a warp and the threads of a block, for
// warps of any width.
#pragma once

#include <cuda_runtime.h>

namespace parity {

constexpr unsigned kFullMask = 0xFFFFFFFFU;
// Of a block with as many threads as there can be, in the narrowest warps.
constexpr int kMaxWarps = 32;

__device__ inline int lane() {
  return static_cast<int>(threadIdx.x) % warpSize;
}
__device__ inline int warp() {
  return static_cast<int>(threadIdx.x) / warpSize;
}
__device__ inline int warps() {
  return static_cast<int>(blockDim.x) / warpSize;
}

// The reduction over the warp, in each of its lanes. All lanes take part.
template <typename T, typename Op>
__device__ T warp_reduce(T value, Op op) {
  for (int distance = warpSize / 2; distance > 0; distance /= 2) {
    value = op(value, __shfl_xor_sync(kFullMask, value, distance));
  }
  return value;
}

// The inclusive scan over the warp. All lanes take part.
template <typename T, typename Op>
__device__ T warp_scan(T value, Op op) {
  for (int distance = 1; distance < warpSize; distance *= 2) {
    const T left = __shfl_up_sync(kFullMask, value, distance);
    if (lane() >= distance) value = op(left, value);
  }
  return value;
}

// The reduction over the block, in each of its threads. The block has whole
// warps, and all of its threads take part.
template <typename T, typename Op>
__device__ T block_reduce(T value, Op op) {
  __shared__ T partial[kMaxWarps];
  value = warp_reduce(value, op);
  __syncthreads();  // The array may still be read for the reduction before.
  if (lane() == 0) partial[warp()] = value;
  __syncthreads();
  value = partial[0];
  for (int other = 1; other < warps(); ++other) {
    value = op(value, partial[other]);
  }
  return value;
}

template <typename T>
struct Scanned {
  T before;  // exclusive: the threads before this one
  T total;   // all threads
};

// The exclusive scan over the block. `zero`: what changes nothing.
template <typename T, typename Op>
__device__ Scanned<T> block_scan(T value, Op op, T zero) {
  __shared__ T sums[kMaxWarps];
  const T inclusive = warp_scan(value, op);
  const T left = __shfl_up_sync(kFullMask, inclusive, 1);
  __syncthreads();
  if (lane() == warpSize - 1) sums[warp()] = inclusive;
  __syncthreads();
  Scanned<T> result{zero, zero};
  for (int other = 0; other < warps(); ++other) {
    if (other == warp()) result.before = result.total;
    result.total = op(result.total, sums[other]);
  }
  if (lane() > 0) result.before = op(result.before, left);
  return result;
}

}  // namespace parity
