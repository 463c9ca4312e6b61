#include <cuda_runtime.h>
int main(){ int cub = 2, thrust = 3; return cub + thrust + (int)cudaDeviceSynchronize(); }
