#include <cuda/std/atomic>
__device__ cuda::std::atomic<int> x;
int main(){ return 0; }
