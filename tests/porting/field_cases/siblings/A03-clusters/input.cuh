#pragma once
#include <cooperative_groups.h>
namespace coop = ::cooperative_groups;
__device__ void swap(float* a, bool odd) {
  auto cluster = coop::this_cluster();
  auto warp = coop::tiled_partition<32>(coop::this_thread_block());
  auto quad = coop::tiled_partition<4>(warp);
  auto side = coop::binary_partition(warp, odd);
  a[quad.thread_rank()] = warp.shfl_xor(a[0], 1) + side.size();
  cluster.sync();
}
