#include <thrust/device_vector.h>
#include <thrust/sort.h>
#include <thrust/system/cuda/execution_policy.h>
void f(float* a, int n, cudaStream_t s){ thrust::sort(thrust::cuda::par.on(s), a, a + n); }
int main(){ return 0; }
