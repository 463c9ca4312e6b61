#include <cuda_runtime.h>
#include <cuda.h>
struct Home { cudaMemLocation near; cudaMemLocation* far; };
int spread(void* p, size_t n, int dev, cudaStream_t s, const Home& home, CUdeviceptr q) {
  cudaMemAdvise(p, n, cudaMemAdviseSetReadMostly, home.near);
  cudaMemAdvise(p, n, cudaMemAdviseSetAccessedBy, *home.far);
  cudaMemPrefetchAsync(p, n, cudaMemLocation{cudaMemLocationTypeHost, 0}, 0, s);
  cudaMemPrefetchAsync(p, n, {cudaMemLocationTypeDevice, dev}, 0);
  cudaMemPrefetchAsync(p, n, dev, s);
  cudaMemAdvise(p, n, cudaMemAdviseUnsetReadMostly, cudaCpuDeviceId);
  return cudaMemPrefetchAsync(p, n, home.near.id, s);
}
