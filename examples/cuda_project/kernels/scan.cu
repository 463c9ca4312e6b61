// An inclusive scan over all blocks of one cooperative launch.
#include <cooperative_groups.h>

#include "tidepool/device_buffer.h"
#include "tidepool/launch.cuh"
#include "tidepool/statistics.h"

namespace cg = cooperative_groups;

namespace tidepool {
namespace {

constexpr int kTile = 16;
constexpr int kTiles = kThreads / kTile;

// Scans the block's values; `total` is the sum of all of them.
__device__ long long block_scan(cg::thread_block block, long long value,
                                long long* total) {
  __shared__ long long tile_sums[kTiles];
  auto tile = cg::tiled_partition<kTile>(block);
  for (unsigned offset = 1; offset < tile.size(); offset *= 2) {
    const long long left = tile.shfl_up(value, offset);
    if (tile.thread_rank() >= offset) value += left;
  }
  const unsigned index = block.thread_rank() / kTile;
  if (tile.thread_rank() == tile.size() - 1) tile_sums[index] = value;
  block.sync();
  long long before = 0;
  long long sum = 0;
  for (unsigned i = 0; i < kTiles; ++i) {
    if (i < index) before += tile_sums[i];
    sum += tile_sums[i];
  }
  *total = sum;
  return value + before;
}

__global__ void __launch_bounds__(kThreads)
    scan_kernel(const std::int64_t* __restrict__ lengths,
                std::int64_t* __restrict__ offsets, int count,
                long long* __restrict__ block_sums) {
  cg::grid_group grid = cg::this_grid();
  cg::thread_block block = cg::this_thread_block();
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  long long total = 0;
  const long long value = block_scan(block, i < count ? lengths[i] : 0, &total);
  if (threadIdx.x == 0) block_sums[blockIdx.x] = total;
  grid.sync();
  long long before = 0;
  for (unsigned b = 0; b < blockIdx.x; ++b) before += block_sums[b];
  if (i < count) offsets[i] = value + before;
}

}  // namespace

void inclusive_scan(const std::int64_t* lengths, std::int64_t* offsets,
                    int count, cudaStream_t stream) {
  if (count <= 0) return;
  const int blocks = (count + kThreads - 1) / kThreads;
  DeviceBuffer<long long> sums(static_cast<std::size_t>(blocks), stream);
  long long* block_sums = sums.data();
  void* arguments[] = {&lengths, &offsets, &count, &block_sums};
  const cudaError_t status = cudaLaunchCooperativeKernel(
      scan_kernel, dim3(blocks), dim3(kThreads), arguments, 0, stream);
  if (status == cudaErrorCooperativeLaunchTooLarge) {
    throw GpuError(std::to_string(count) +
                   " lengths do not fit in one cooperative launch");
  }
  TIDEPOOL_CHECK(status);
}

}  // namespace tidepool
