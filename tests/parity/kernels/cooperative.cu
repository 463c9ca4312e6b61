// Cooperative groups: a grid that meets between steps, sums over tiles of every
// size, reduce() of a group, and groups of the lanes that are there.
#include <cooperative_groups.h>
// porting: ignore[INC002] the tests leave room for the order of the sums
#include <cooperative_groups/reduce.h>

#include "device_array.h"
#include "kernels.h"

namespace cg = cooperative_groups;

namespace parity {
namespace {

// Power iteration: matrix times vector, then the vector over its largest
// element, in one launch.
__global__ void power_kernel(const double* matrix, double* vector,
                             double* product, double* largest, int size,
                             int steps) {
  const cg::grid_group grid = cg::this_grid();
  const int first = static_cast<int>(grid.thread_rank());
  const int stride = static_cast<int>(grid.size());
  for (int step = 0; step < steps; ++step) {
    for (int row = first; row < size; row += stride) {
      double sum = 0;
      for (int i = 0; i < size; ++i) sum += matrix[row * size + i] * vector[i];
      product[row] = sum;
    }
    grid.sync();
    if (first == 0) {
      double most = 0;
      for (int i = 0; i < size; ++i) most = fmax(most, fabs(product[i]));
      *largest = most;
    }
    grid.sync();
    for (int row = first; row < size; row += stride) {
      vector[row] = product[row] / *largest;
    }
    grid.sync();
  }
}

template <int kSize>
__global__ void tiles_kernel(const int* values, int* sums, int* ranks,
                             int* neighbours) {
  const cg::thread_block block = cg::this_thread_block();
  const cg::thread_block_tile<kSize> tile = cg::tiled_partition<kSize>(block);
  const unsigned at = blockIdx.x * blockDim.x + block.thread_rank();
  int sum = values[at];
  for (unsigned distance = kSize / 2; distance > 0; distance /= 2) {
    sum += tile.shfl_xor(sum, distance);
  }
  sums[at] = sum;
  ranks[at] = static_cast<int>(tile.thread_rank() +
                               tile.meta_group_rank() * tile.num_threads());
  neighbours[at] = tile.shfl_up(values[at], 1) - tile.shfl(values[at], 0);
}

__global__ void group_reduce_kernel(const float* values, float* sums,
                                    float* largest) {
  const auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  const unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
  sums[at] = cg::reduce(tile, values[at], cg::plus<float>());
  largest[at] = cg::reduce(tile, values[at], cg::greater<float>());
}

// Votes and matches of tiles whose size is a parameter of the function.
template <unsigned kSize>
__device__ unsigned count_alike(const cg::thread_block_tile<kSize>& tile,
                                int value, unsigned* mask) {
  *mask = tile.any(value == 3) ? tile.ballot(value > 4) : 0U;
  if (tile.all(value < 9)) *mask |= 1U << 31;
  return tile.match_any(value);
}

__global__ void tile_votes_kernel(const int* values, unsigned* masks,
                                  unsigned* matches, unsigned* same) {
  const cg::thread_block_tile<8> tile =
      cg::tiled_partition<8>(cg::this_thread_block());
  const unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
  matches[at] = count_alike(tile, values[at], &masks[at]);
  int is_same = 0;
  same[at] = tile.match_all(values[at] / 8, is_same) + (is_same << 16);
}

// The lanes with an odd value number themselves.
__global__ void coalesced_kernel(const int* values, int* ranks, int* sizes) {
  const unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
  ranks[at] = -1;
  sizes[at] = 0;
  if (values[at] % 2 != 0) {
    const cg::coalesced_group odd = cg::coalesced_threads();
    ranks[at] = static_cast<int>(odd.thread_rank());
    sizes[at] = static_cast<int>(odd.size());
  }
}

}  // namespace
}  // namespace parity

using namespace parity;

int parity_power_iteration(const double* matrix, double* vector, Count size,
                           Count steps, double* largest) {
  return guarded([&] {
    const Stream stream;
    const DeviceArray<double> square(stream, matrix, size * size);
    const DeviceArray<double> estimate(stream, vector, size);
    const DeviceArray<double> product(stream, size);
    const DeviceArray<double> most(stream, 1);
    const double* given = square.get();
    double* at = estimate.get();
    double* scratch = product.get();
    double* result = most.get();
    int rows = static_cast<int>(size);
    int times = static_cast<int>(steps);
    void* arguments[] = {&given, &at, &scratch, &result, &rows, &times};
    check(cudaLaunchCooperativeKernel(
        reinterpret_cast<const void*>(power_kernel), dim3(4), dim3(32),
        arguments, 0, stream.get()));
    estimate.copy_to(vector);
    most.copy_to(largest);
    stream.synchronize();
  });
}

// `size` of a tile: 2, 4, 8 or 16. `results`: sums, ranks, and the
// value of the thread below minus that of the first.
int parity_tiles(Count size, const int* values, Count blocks, int* results) {
  return guarded([&] {
    const auto kernel = size == 2    ? tiles_kernel<2>
                        : size == 4  ? tiles_kernel<4>
                        : size == 8  ? tiles_kernel<8>
                        : size == 16 ? tiles_kernel<16>
                                     : nullptr;
    if (kernel == nullptr) throw Failure{cudaErrorInvalidValue};
    const Stream stream;
    const Count count = blocks * kThreads;
    const DeviceArray<int> source(stream, values, count);
    const DeviceArray<int> target(stream, 3 * count);
    kernel<<<static_cast<unsigned>(blocks), kThreads, 0, stream.get()>>>(
        source.get(), target.get(), target.get() + count,
        target.get() + 2 * count);
    check_launch();
    target.copy_to(results);
    stream.synchronize();
  });
}

int parity_group_reduce(const float* values, Count blocks, float* sums,
                        float* largest) {
  return guarded([&] {
    const Stream stream;
    const Count count = blocks * kThreads;
    const DeviceArray<float> source(stream, values, count);
    const DeviceArray<float> all(stream, count);
    const DeviceArray<float> most(stream, count);
    group_reduce_kernel<<<static_cast<unsigned>(blocks), kThreads, 0,
                          stream.get()>>>(source.get(), all.get(), most.get());
    check_launch();
    all.copy_to(sums);
    most.copy_to(largest);
    stream.synchronize();
  });
}

// `results`: votes of tiles of 8, who has the same value, and who has the same
// eighth of it where all have.
int parity_tile_votes(const int* values, Count blocks, unsigned* results) {
  return guarded([&] {
    const Stream stream;
    const Count count = blocks * kThreads;
    const DeviceArray<int> source(stream, values, count);
    const DeviceArray<unsigned> target(stream, 3 * count);
    tile_votes_kernel<<<static_cast<unsigned>(blocks), kThreads, 0,
                        stream.get()>>>(source.get(), target.get(),
                                        target.get() + count,
                                        target.get() + 2 * count);
    check_launch();
    target.copy_to(results);
    stream.synchronize();
  });
}

int parity_coalesced(const int* values, Count blocks, int* ranks, int* sizes) {
  return guarded([&] {
    const Stream stream;
    const Count count = blocks * kThreads;
    const DeviceArray<int> source(stream, values, count);
    const DeviceArray<int> places(stream, count);
    const DeviceArray<int> numbers(stream, count);
    coalesced_kernel<<<static_cast<unsigned>(blocks), kThreads, 0,
                       stream.get()>>>(source.get(), places.get(),
                                       numbers.get());
    check_launch();
    places.copy_to(ranks);
    numbers.copy_to(sizes);
    stream.synchronize();
  });
}
