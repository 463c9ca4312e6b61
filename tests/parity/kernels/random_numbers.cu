// Philox 4x32-10 (Salmon et al., SC 2011), and the area of a circle by it.
#include "device_array.h"
#include "kernels.h"
#include "operators.h"
#include "warp.cuh"

namespace parity {
namespace {

__device__ uint4 philox(uint4 counter, uint2 key) {
  for (int round = 0; round < 10; ++round) {
    const unsigned high0 = __umulhi(0xD2511F53U, counter.x);
    const unsigned low0 = 0xD2511F53U * counter.x;
    const unsigned high1 = __umulhi(0xCD9E8D57U, counter.z);
    const unsigned low1 = 0xCD9E8D57U * counter.z;
    counter = make_uint4(high1 ^ counter.y ^ key.x, low1,
                         high0 ^ counter.w ^ key.y, low0);
    key.x += 0x9E3779B9U;
    key.y += 0xBB67AE85U;
  }
  return counter;
}

__global__ void philox_kernel(const uint4* counters, uint2 key, uint4* to,
                              Count count) {
  const Count i = static_cast<Count>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < count) to[i] = philox(counters[i], key);
}

// From [0, 1), in 24 bits.
__device__ float uniform(unsigned bits) {
  return static_cast<float>(bits >> 8) * 5.9604645e-8F;
}

// Counts the points of the unit square that are in the circle.
__global__ void circle_kernel(uint2 key, Count points,
                              unsigned long long* inside) {
  unsigned long long mine = 0;
  const Count step = static_cast<Count>(gridDim.x) * blockDim.x;
  for (Count i = static_cast<Count>(blockIdx.x) * blockDim.x + threadIdx.x;
       i < points; i += step) {
    const uint4 drawn =
        philox(make_uint4(static_cast<unsigned>(i), 0, 0, 0), key);
    const float x = uniform(drawn.x);
    const float y = uniform(drawn.y);
    if (__fadd_rn(__fmul_rn(x, x), __fmul_rn(y, y)) < 1.0F) ++mine;
  }
  mine = block_reduce(mine, Sum{});
  if (threadIdx.x == 0) atomicAdd(inside, mine);
}

}  // namespace
}  // namespace parity

using namespace parity;

int parity_philox(const unsigned* counters, Count key, Count count,
                  unsigned* numbers) {
  return guarded([&] {
    const Stream stream;
    const DeviceArray<uint4> source(
        stream, reinterpret_cast<const uint4*>(counters), count);
    const DeviceArray<uint4> target(stream, count);
    const uint2 halves = make_uint2(static_cast<unsigned>(key),
                                    static_cast<unsigned>(key >> 32));
    philox_kernel<<<divided_up(count, kThreads), kThreads, 0, stream.get()>>>(
        source.get(), halves, target.get(), count);
    check_launch();
    target.copy_to(reinterpret_cast<uint4*>(numbers));
    stream.synchronize();
  });
}

int parity_circle(Count key, Count points, unsigned long long* inside) {
  return guarded([&] {
    const Stream stream;
    DeviceArray<unsigned long long> target(stream, 1);
    target.zero();
    const uint2 halves = make_uint2(static_cast<unsigned>(key),
                                    static_cast<unsigned>(key >> 32));
    circle_kernel<<<blocks_for(points), kThreads, 0, stream.get()>>>(
        halves, points, target.get());
    check_launch();
    target.copy_to(inside);
    stream.synchronize();
  });
}
