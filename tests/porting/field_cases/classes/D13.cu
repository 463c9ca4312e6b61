#include <cuda_runtime.h>
__global__ void r(int* p){ if (p[0]) __trap(); __nanosleep(100); }
int main(){ return 0; }
