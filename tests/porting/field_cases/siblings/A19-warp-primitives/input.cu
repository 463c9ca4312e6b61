#include <cub/cub.cuh>
#include <cub/util_allocator.cuh>
using namespace cub;
namespace zoo { struct cub { int age; }; int cubAge(const cub& c) { return c.age; } }
CachingDeviceAllocator pool(true);
template <int THREADS>
__global__ void rows(const float* in, float* out) {
  typedef ::cub::WarpReduce<float> Warp;
  using Half = cub::WarpReduce<float, 16>;
  using Scan = cub::BlockScan<int, THREADS, cub::BLOCK_SCAN_WARP_SCANS>;
  __shared__ typename Warp::TempStorage w[THREADS / 32];
  __shared__ typename Half::TempStorage h;
  __shared__ typename Scan::TempStorage s;
  int n = 0;
  Scan(s).ExclusiveSum(1, n);
  float v = Warp(w[threadIdx.x / 32]).Sum(in[threadIdx.x]);
  out[n] = v + Half(h).Reduce(v, cub::Max());
}
