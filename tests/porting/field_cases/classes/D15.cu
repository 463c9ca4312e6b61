#include <cuda_runtime.h>
texture<float, 1, cudaReadModeElementType> tx;
__global__ void r(float* p){ p[0] = tex1Dfetch(tx, 0); }
int main(){ return cudaUnbindTexture(tx); }
