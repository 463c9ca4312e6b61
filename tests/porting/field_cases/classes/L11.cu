#include <cuda_runtime.h>
__global__ void k(float* p) { p[threadIdx.x] *= 2.f; }
#define LAUNCH(kern, g, b, ...) \
  kern<<<(g), (b)>>>(__VA_ARGS__)
int main(){ float* p = nullptr; LAUNCH(k, 1, 32, p); return cudaGetLastError(); }
