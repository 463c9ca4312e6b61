// Variables of the device that keep their values between kernels, and kernels
// whose names another file has too.
#include "device_array.h"
#include "kernels.h"

namespace parity {
namespace {

__device__ int launches = 0;
__device__ float3 corners[4];
__constant__ int digits[10] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3};

// symbols_elsewhere.cu has kernels of both names, which do something else.
__global__ void twin_kernel(int* result) {
  *result = 1000 + atomicAdd(&launches, 1);
}

__global__ void corners_kernel(float* to) {
  const float3 corner = corners[threadIdx.x];
  to[threadIdx.x] = corner.x + 10 * corner.y + 100 * corner.z;
}

__global__ void digits_kernel(int* to) {
  to[threadIdx.x] = digits[threadIdx.x];
}

}  // namespace

static __global__ void static_twin_kernel(int* result) { *result += 1; }

}  // namespace parity

using namespace parity;

// `results`: 1000 + how often this was called before, then plus one.
int parity_twins_here(int* results) {
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

int parity_set_launches(Count number, int* before) {
  return guarded([&] {
    check(cudaMemcpyFromSymbol(before, launches, sizeof(int)));
    const int now = static_cast<int>(number);
    check(cudaMemcpyToSymbol(launches, &now, sizeof(int)));
    // The copy out of pageable memory may still be on its way, and the streams
    // of others do not wait for the default one.
    check(cudaDeviceSynchronize());
  });
}

// Twelve numbers, of which the last corner's three are written by an offset.
int parity_corners(const float* given, float* sums) {
  return guarded([&] {
    const Stream stream;
    check(cudaMemcpyToSymbolAsync(corners, given, 3 * sizeof(float3), 0,
                                  cudaMemcpyHostToDevice, stream.get()));
    check(cudaMemcpyToSymbolAsync(corners, given + 9, sizeof(float3),
                                  3 * sizeof(float3), cudaMemcpyHostToDevice,
                                  stream.get()));
    const DeviceArray<float> target(stream, 4);
    corners_kernel<<<1, 4, 0, stream.get()>>>(target.get());
    check_launch();
    target.copy_to(sums);
    stream.synchronize();
  });
}

// What a table begins with, and its address and size as the runtime has them.
int parity_digits(int* by_kernel, int* by_address, Count* size) {
  return guarded([&] {
    void* address = nullptr;
    std::size_t bytes = 0;
    check(cudaGetSymbolAddress(&address, digits));
    check(cudaGetSymbolSize(&bytes, digits));
    *size = static_cast<Count>(bytes);
    check(cudaMemcpy(by_address, address, bytes, cudaMemcpyDeviceToHost));
    const Stream stream;
    const DeviceArray<int> target(stream, 10);
    digits_kernel<<<1, 10, 0, stream.get()>>>(target.get());
    check_launch();
    target.copy_to(by_kernel);
    stream.synchronize();
  });
}
