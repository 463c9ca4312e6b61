#include <cuda_runtime.h>
__global__ void r(float* p){ __stcs(p, __ldcg(p + 1) + __ldg(p + 2)); }
int main(){ return 0; }
