#include <cuda_runtime.h>
#ifdef __DRIVER_TYPES_H__
static int chk(cudaError_t e){ return (int)e; }
#endif
int main(){ return chk(cudaDeviceSynchronize()); }
