#if defined(__CUDACC__) && !defined(__HIPCC__)
#include <cuda_runtime.h>
#elif defined(__HIPCC__)
#include <hip/hip_runtime.h>
#endif
int main(){ return 0; }
