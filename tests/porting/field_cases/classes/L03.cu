#include <cuda_runtime.h>
struct cudaGaugeField { int n; };
int my_cudaMalloc_count = 0; int cuda_stream = 3; int cudaXyz(int a) { return a; }
#define CUDA_CHECK(x) (x)
int main(){ cudaGaugeField f{1}; return CUDA_CHECK(cudaXyz(f.n)) + cuda_stream + my_cudaMalloc_count + (int)cudaDeviceSynchronize(); }
