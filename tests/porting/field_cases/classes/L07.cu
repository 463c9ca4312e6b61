#include <cuda_runtime.h>
// André
int main(){ return cudaDeviceSynchronize(); }
