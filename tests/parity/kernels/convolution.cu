// A separable filter of images: coefficients in constant memory, rows first,
// then columns.
#include "device_array.h"
#include "kernels.h"

namespace parity {
namespace {

constexpr int kMaxRadius = 8;
constexpr int kTile = 16;

struct Filter {
  int radius;
  float weights[2 * kMaxRadius + 1];
};

__constant__ Filter filter;

__device__ int clamped(int at, int size) { return max(0, min(at, size - 1)); }

// Pixels beyond the edge are those of the edge.
template <bool kAlongRows>
__global__ void filter_kernel(const float* from, float* to, int height,
                              int width) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (x >= width || y >= height) return;
  float sum = 0;
  for (int k = -filter.radius; k <= filter.radius; ++k) {
    const int row = kAlongRows ? y : clamped(y + k, height);
    const int column = kAlongRows ? clamped(x + k, width) : x;
    sum += filter.weights[k + filter.radius] * from[row * width + column];
  }
  to[y * width + x] = sum;
}

}  // namespace
}  // namespace parity

using namespace parity;

int parity_filter_image(const float* image, Count height, Count width,
                        const float* weights, Count radius, float* result) {
  return guarded([&] {
    if (radius > kMaxRadius) throw Failure{cudaErrorInvalidValue};
    const Stream stream;
    Filter given{static_cast<int>(radius), {}};
    std::copy(weights, weights + 2 * radius + 1, given.weights);
    check(cudaMemcpyToSymbolAsync(filter, &given, sizeof(given), 0,
                                  cudaMemcpyHostToDevice, stream.get()));
    const DeviceArray<float> source(stream, image, height * width);
    const DeviceArray<float> between(stream, height * width);
    const DeviceArray<float> target(stream, height * width);
    const dim3 grid(divided_up(width, kTile), divided_up(height, kTile));
    const dim3 block(kTile, kTile);
    filter_kernel<true><<<grid, block, 0, stream.get()>>>(
        source.get(), between.get(), static_cast<int>(height),
        static_cast<int>(width));
    filter_kernel<false><<<grid, block, 0, stream.get()>>>(
        between.get(), target.get(), static_cast<int>(height),
        static_cast<int>(width));
    check_launch();
    target.copy_to(result);
    stream.synchronize();
  });
}
