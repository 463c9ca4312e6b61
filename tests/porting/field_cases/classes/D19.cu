#include <cuda_runtime.h>
__global__ void r(unsigned* p){ p[0] = __reduce_add_sync(0xffffffff, p[1]); p[2] = __match_any_sync(0xffffffff, p[3]); }
int main(){ return 0; }
