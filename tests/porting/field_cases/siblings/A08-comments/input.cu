#include <cuda_runtime.h>
__global__ void fill(float* p, float v, const char* why) { p[threadIdx.x] = v; }
void all(float* p, cudaStream_t st) {
  const char* usage = "fill<<<grid, block>>>(p, v)";  // fill<<<1, 2>>>(p)
  fill /* kernel */ <<< 2, /* threads <<< */ 64
#ifdef BIG
      * 2
#endif
      , 0, st >>> (p, 1.f, "cudaStream_t <<<>>>");
  fill<<<1, 1>>>(p, 2.f, usage);
}
