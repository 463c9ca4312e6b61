// Stencils: of any radius with coefficients in constant memory, Jacobi steps
// on a plane with halos in shared memory, seven points in space, and Life.
#include "device_array.h"
#include "kernels.h"

namespace parity {
namespace {

constexpr int kMaxRadius = 8;
__constant__ float coefficients[2 * kMaxRadius + 1];

// Outside of the line there is 0.
template <int kRadius>
__global__ void line_kernel(const float* __restrict__ from,
                            float* __restrict__ to, int count) {
  __shared__ float line[kThreads + 2 * kRadius];
  const int start = static_cast<int>(blockIdx.x * blockDim.x) - kRadius;
  for (int i = static_cast<int>(threadIdx.x); i < kThreads + 2 * kRadius;
       i += kThreads) {
    const int at = start + i;
    line[i] = at >= 0 && at < count ? from[at] : 0;
  }
  __syncthreads();
  float sum = 0;
#pragma unroll
  for (int k = 0; k <= 2 * kRadius; ++k) {
    sum += coefficients[k] * line[threadIdx.x + static_cast<unsigned>(k)];
  }
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) to[i] = sum;
}

constexpr int kTile = 16;

// The average of the four neighbours; the edge of the plane stays.
__global__ void jacobi_kernel(const float* __restrict__ from,
                              float* __restrict__ to, int height, int width) {
  __shared__ float tile[kTile + 2][kTile + 2];
  const int left = static_cast<int>(blockIdx.x) * kTile - 1;
  const int top = static_cast<int>(blockIdx.y) * kTile - 1;
  const int thread =
      static_cast<int>(threadIdx.y) * kTile + static_cast<int>(threadIdx.x);
  for (int i = thread; i < (kTile + 2) * (kTile + 2); i += kTile * kTile) {
    const int y = top + i / (kTile + 2);
    const int x = left + i % (kTile + 2);
    const bool inside = y >= 0 && y < height && x >= 0 && x < width;
    tile[i / (kTile + 2)][i % (kTile + 2)] = inside ? from[y * width + x] : 0;
  }
  __syncthreads();
  const int y = static_cast<int>(threadIdx.y) + 1;
  const int x = static_cast<int>(threadIdx.x) + 1;
  const int row = top + y;
  const int column = left + x;
  if (row >= height || column >= width) return;
  const bool edge =
      row == 0 || row == height - 1 || column == 0 || column == width - 1;
  to[row * width + column] = edge ? tile[y][x]
                                  : 0.25F * (tile[y - 1][x] + tile[y + 1][x] +
                                             tile[y][x - 1] + tile[y][x + 1]);
}

// Seven points of a space that is a torus, in blocks of three dimensions.
__global__ void __launch_bounds__(128)
    space_kernel(const double* from, double* to, int3 size, double centre,
                 double side) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  const int z = static_cast<int>(blockIdx.z * blockDim.z + threadIdx.z);
  if (x >= size.x || y >= size.y || z >= size.z) return;
  const auto at = [&](int dz, int dy, int dx) {
    const int zz = (z + dz + size.z) % size.z;
    const int yy = (y + dy + size.y) % size.y;
    const int xx = (x + dx + size.x) % size.x;
    return from[(zz * size.y + yy) * size.x + xx];
  };
  const double around = at(-1, 0, 0) + at(1, 0, 0) + at(0, -1, 0) +
                        at(0, 1, 0) + at(0, 0, -1) + at(0, 0, 1);
  to[(z * size.y + y) * size.x + x] = centre * at(0, 0, 0) + side * around;
}

__global__ void life_kernel(const unsigned char* from, unsigned char* to,
                            int height, int width) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (x >= width || y >= height) return;
  int neighbours = 0;
  for (int dy = -1; dy <= 1; ++dy) {
    for (int dx = -1; dx <= 1; ++dx) {
      const int yy = (y + dy + height) % height;
      const int xx = (x + dx + width) % width;
      if (dy != 0 || dx != 0) neighbours += from[yy * width + xx];
    }
  }
  const bool alive = from[y * width + x] != 0;
  to[y * width + x] = neighbours == 3 || (alive && neighbours == 2) ? 1 : 0;
}

// Runs steps from one array to the other and back.
template <typename T, typename Step>
void repeat(const Stream& stream, T* values, Count count, Count steps,
            Step step) {
  const DeviceArray<T> even(stream, values, count);
  const DeviceArray<T> odd(stream, count);
  for (Count i = 0; i < steps; ++i) {
    step(i % 2 == 0 ? even.get() : odd.get(),
         i % 2 == 0 ? odd.get() : even.get());
    check_launch();
  }
  (steps % 2 == 0 ? even : odd).copy_to(values);
  stream.synchronize();
}

}  // namespace
}  // namespace parity

using namespace parity;

// 2 * radius + 1 weights, for a radius of 1, 3 or 8.
int parity_line_stencil(const float* values, Count count, const float* weights,
                        Count radius, float* result) {
  return guarded([&] {
    if (count == 0) return;
    const auto kernel = radius == 1   ? line_kernel<1>
                        : radius == 3 ? line_kernel<3>
                        : radius == 8 ? line_kernel<8>
                                      : nullptr;
    if (kernel == nullptr) throw Failure{cudaErrorInvalidValue};
    const Stream stream;
    const DeviceArray<float> source(stream, values, count);
    const DeviceArray<float> target(stream, count);
    check(cudaMemcpyToSymbolAsync(
        coefficients, weights,
        static_cast<std::size_t>(2 * radius + 1) * sizeof(float), 0,
        cudaMemcpyHostToDevice, stream.get()));
    kernel<<<divided_up(count, kThreads), kThreads, 0, stream.get()>>>(
        source.get(), target.get(), static_cast<int>(count));
    check_launch();
    target.copy_to(result);
    stream.synchronize();
  });
}

int parity_jacobi(float* plane, Count height, Count width, Count steps) {
  return guarded([&] {
    const Stream stream;
    const dim3 grid(divided_up(width, kTile), divided_up(height, kTile));
    repeat(stream, plane, height * width, steps,
           [&](const float* from, float* to) {
             jacobi_kernel<<<grid, dim3(kTile, kTile), 0, stream.get()>>>(
                 from, to, static_cast<int>(height), static_cast<int>(width));
           });
  });
}

int parity_space_stencil(double* space, Count depth, Count height, Count width,
                         double centre, double side, Count steps) {
  return guarded([&] {
    const Stream stream;
    const dim3 block(8, 4, 4);
    const dim3 grid(divided_up(width, 8), divided_up(height, 4),
                    divided_up(depth, 4));
    const int3 size =
        make_int3(static_cast<int>(width), static_cast<int>(height),
                  static_cast<int>(depth));
    repeat(stream, space, depth * height * width, steps,
           [&](const double* from, double* to) {
             space_kernel<<<grid, block, 0, stream.get()>>>(from, to, size,
                                                            centre, side);
           });
  });
}

int parity_life(unsigned char* cells, Count height, Count width, Count steps) {
  return guarded([&] {
    const Stream stream;
    const dim3 grid(divided_up(width, 16), divided_up(height, 8));
    repeat(stream, cells, height * width, steps,
           [&](const unsigned char* from, unsigned char* to) {
             life_kernel<<<grid, dim3(16, 8), 0, stream.get()>>>(
                 from, to, static_cast<int>(height), static_cast<int>(width));
           });
  });
}
