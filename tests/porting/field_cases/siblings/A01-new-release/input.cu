#include <cuda_runtime.h>
__global__ void compact(const float* in, float* out, unsigned* count) {
  unsigned active = __activemask();
  unsigned keep = __ballot_sync(active, in[threadIdx.x] > 0.f);
  unsigned lane = threadIdx.x & 0x1f;
  unsigned base = 0;
  if (lane == 0) base = atomicAdd(count, __popc(keep));
  base = __shfl_sync(active, base, 0);
  if (keep & (1u << lane)) out[base + __popc(keep & ((1u << lane) - 1u))] = in[threadIdx.x];
  __syncwarp();
}
