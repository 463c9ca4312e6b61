// Gravity between all pairs of bodies, which pass through shared memory in
// tiles.
#include "device_array.h"
#include "kernels.h"

namespace parity {
namespace {

constexpr int kBodies = 64;  // of a tile, and threads of a block

__device__ float3 pull(float4 from, float4 body, float softening, float3 sum) {
  const float x = from.x - body.x;
  const float y = from.y - body.y;
  const float z = from.z - body.z;
  const float inverse = rsqrtf(x * x + y * y + z * z + softening);
  const float weight = from.w * inverse * inverse * inverse;
  return make_float3(fmaf(x, weight, sum.x), fmaf(y, weight, sum.y),
                     fmaf(z, weight, sum.z));
}

// x, y, z and mass; a body that is not there has no mass.
__global__ void __launch_bounds__(kBodies)
    gravity_kernel(const float4* bodies, float3* pulls, int count,
                   float softening) {
  __shared__ float4 tile[kBodies];
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const float4 none = make_float4(0, 0, 0, 0);
  const float4 body = i < count ? bodies[i] : none;
  float3 sum = make_float3(0, 0, 0);
  for (int start = 0; start < count; start += kBodies) {
    const int other = start + static_cast<int>(threadIdx.x);
    tile[threadIdx.x] = other < count ? bodies[other] : none;
    __syncthreads();
#pragma unroll 8
    for (const float4& from : tile) sum = pull(from, body, softening, sum);
    __syncthreads();
  }
  if (i < count) pulls[i] = sum;
}

}  // namespace
}  // namespace parity

using namespace parity;

int parity_gravity(const float* bodies, Count count, double softening,
                   float* pulls) {
  return guarded([&] {
    const Stream stream;
    const DeviceArray<float4> source(
        stream, reinterpret_cast<const float4*>(bodies), count);
    const DeviceArray<float3> target(stream, count);
    gravity_kernel<<<divided_up(count, kBodies), kBodies, 0, stream.get()>>>(
        source.get(), target.get(), static_cast<int>(count),
        static_cast<float>(softening));
    check_launch();
    target.copy_to(reinterpret_cast<float3*>(pulls));
    stream.synchronize();
  });
}
