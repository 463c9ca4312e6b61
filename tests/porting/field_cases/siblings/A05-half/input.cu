#include "cuda_fp16.h"
#include <cuda_bf16.h>
typedef __nv_bfloat16 bf16;
__device__ float mix(const half* a, const bf16* b, unsigned long long* n) {
  half2 pair = __halves2half2(a[0], __float2half_rn(1.f));
  bf16 c = __hadd(b[0], __float2bfloat16(2.f));
  float last = __ldcs(reinterpret_cast<const float*>(a));
  atomicAdd_system(n, 1ull);
  atomicMax_block(n, 2ull);
  return __half2float(__low2half(pair)) + __bfloat162float(c) + last;
}
