// Kernels with the names of those in symbols.cu that do something else.
#include "device_array.h"
#include "kernels.h"

namespace parity {
namespace {

__device__ int launches = 500;

__global__ void twin_kernel(int* result) {
  *result = 2000 + atomicAdd(&launches, 10);
}

}  // namespace

static __global__ void static_twin_kernel(int* result) { *result *= 2; }

}  // namespace parity

using namespace parity;

// `results`: 2500 + ten for each call before, then twice that.
int parity_twins_elsewhere(int* results) {
  return guarded([&] {
    const Stream stream;
    const DeviceArray<int> target(stream, 1);
    twin_kernel<<<1, 1, 0, stream.get()>>>(target.get());
    check_launch();
    target.copy_to(results);
    static_twin_kernel<<<1, 1, 0, stream.get()>>>(target.get());
    check_launch();
    target.copy_to(results + 1);
    stream.synchronize();
  });
}
