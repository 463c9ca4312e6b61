#include <cuda_bf16.h>
__global__ void b(__nv_bfloat16* p, __nv_bfloat162* q){ p[0] = __float2bfloat16(1.f); q[0] = __float2bfloat162_rn(2.f); }
int main(){ return 0; }
