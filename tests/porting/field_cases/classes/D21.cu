#include <cuda_runtime.h>
__global__ void r(int* p){ p[0] = __dp4a(p[1], p[2], 0) + __byte_perm(1, 2, 0x3210) + __vabsdiffu4(1, 2) + __funnelshift_l(1, 2, 3); }
int main(){ return 0; }
