#include <cuda/atomic>
#include <cuda/barrier>
#include <thrust/execution_policy.h>
#include <thrust/system/cuda/execution_policy.h>
#include <thrust/reduce.h>
namespace cuda_tools { int cuda = 3; }
using Ticket = cuda::atomic<int, cuda::thread_scope_device>;
__global__ void meet(Ticket* t) {
  __shared__ cuda::barrier<cuda::thread_scope_block> b;
  b.arrive_and_wait();
  if (t->fetch_add(1) == cuda_tools::cuda) cuda::atomic_thread_fence(cuda::std::memory_order_seq_cst);
}
int most(const int* d, int n, cudaStream_t s) {
  return thrust::reduce(thrust::cuda::par_nosync.on(s), d, d + n, 0, thrust::maximum<int>());
}
