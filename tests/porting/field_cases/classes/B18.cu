#include <cuda_fp16.h>
__global__ void b(half2* p, half* q){ p[0] = __hfma2(p[0], p[1], p[2]); q[0] = __hadd(q[0], __float2half(1.f)); q[1] = hexp(q[1]); }
int main(){ return 0; }
