#include <cuda_runtime.h>
#include <cstdio>
int main(){ void* p; if (cudaMalloc(&p, 4) != cudaSuccess) std::puts("cudaMalloc failed; see cudaGetLastError docs"); }
