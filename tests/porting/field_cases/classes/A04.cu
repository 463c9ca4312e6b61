#include <cuda_runtime.h>
int main(){ cudaGraph_t g; cudaGraphExec_t e; cudaGraphCreate(&g, 0); return cudaGraphInstantiate(&e, g, 0); }
