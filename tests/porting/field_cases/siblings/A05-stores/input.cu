#include <cuda_runtime.h>
__global__ void copy(const float4* a, float4* b, int* c, unsigned* hits) {
  float4 v = __ldcg(a + threadIdx.x);
  __stcg(b + threadIdx.x, v);
  __stwt(c, __ldlu(c + 1));
  atomicCAS_block(hits, 0u, 1u);
  int w = __ldg(c + 2);
  atomicAdd(hits, w);
}
