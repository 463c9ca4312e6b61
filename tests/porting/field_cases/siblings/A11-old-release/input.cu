#include <cuda_runtime.h>
#define TRY(x) if ((x) != cudaSuccess) return 1
class Pager {
 public:
  explicit Pager(int dev) : where_{cudaMemLocationTypeDevice, dev}, device_(dev) {}
  int pin(void* p, size_t n) { TRY(cudaMemAdvise(p, n, cudaMemAdviseSetPreferredLocation, where_)); return 0; }
  int bring(void* p, size_t n, cudaMemLocation& to, cudaStream_t s) {
    TRY(cudaMemPrefetchAsync(
        p, n, to,
        0, s));
    TRY(cudaMemPrefetchAsync(p, n, {cudaMemLocationTypeDevice, device_}, 0, s));
    TRY(cudaMemAdvise(p, n, cudaMemAdviseSetAccessedBy, device_));
    return 0;
  }
 private:
  cudaMemLocation where_;
  int device_;
};
