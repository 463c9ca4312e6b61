#include <cuda_runtime.h>
__global__ void r(int* p){ unsigned b = __ballot_sync(0xffffffff, p[threadIdx.x] > 0); p[0] = __popc(b); }
int main(){ return 0; }
