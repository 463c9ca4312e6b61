#include <cuda_runtime.h>
__device__ int f(){
#if __CUDA_ARCH__ >= 700
  return 1;
#elif defined(__CUDA_ARCH__)
  return 2;
#else
  return 3; // host
#endif
}
__global__ void r(int* p){ p[0] = f(); }
int main(){ return 0; }
