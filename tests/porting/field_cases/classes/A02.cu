#include <cuda_runtime.h>
template <class T> __global__ void t(T* p){ extern __shared__ char s[]; p[0] = (T)s[0]; }
int main(){ return cudaFuncSetAttribute(t<float>, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536); }
