#include <cuda_runtime.h>
__global__ void k(float* p) { p[threadIdx.x] *= 2.f; }
int main(){ cudaLaunchConfig_t c = {}; c.gridDim = 1; c.blockDim = 32; float* p = nullptr; return cudaLaunchKernelEx(&c, k, p); }
