#include <cuda_runtime.h>
#define WARP_SIZE 32
__global__ void r(int* p){ int lane = threadIdx.x & 31, w = threadIdx.x >> 5; __shared__ int s[WARP_SIZE]; s[lane] = w; __syncthreads(); p[0] = s[0]; }
int main(){ return 0; }
