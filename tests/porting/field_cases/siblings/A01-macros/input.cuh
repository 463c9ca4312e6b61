#pragma once
#define FULL_MASK 0xffffffffu
#define WARP_ALL(p) __all_sync(FULL_MASK, p)
template <typename T>
__device__ T sumAcross(T v) {
#pragma unroll
  for (int hop = 16; hop >= 1; hop /= 2) v += __shfl_xor_sync(FULL_MASK, v, hop);
  return v;
}
__device__ bool leader(bool ready) {
  uint32_t mine = __ballot_sync(~0u, ready);
  if (WARP_ALL(ready) || __any_sync(FULL_MASK, !ready)) __syncwarp();
  return __ffs(mine) - 1 == (int)(threadIdx.x % 32);
}
