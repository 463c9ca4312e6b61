#include <cuda_runtime.h>
int main(){ int v; return cudaDeviceGetAttribute(&v, cudaDevAttrMaxBlocksPerMultiprocessor, 0); }
