// Warp-aggregated atomics: one lane adds for all lanes that have something to
// add, by masks, and by a coalesced group.
#include <cooperative_groups.h>

#include "device_array.h"
#include "kernels.h"
#include "warp.cuh"

namespace cg = cooperative_groups;

namespace parity {
namespace {

// A place of its own for each active lane; `operations` counts the atomics.
__device__ int place_by_mask(int* taken, int* operations) {
  const unsigned active = __activemask();
  const int leader = __ffs(active) - 1;
  const unsigned below = (1U << lane()) - 1;
  int first = 0;
  if (lane() == leader) {
    first = atomicAdd(taken, __popc(active));
    atomicAdd(operations, 1);
  }
  first = __shfl_sync(active, first, leader);
  return first + __popc(active & below);
}

__device__ int place_by_group(int* taken, int* operations) {
  const cg::coalesced_group active = cg::coalesced_threads();
  int first = 0;
  if (active.thread_rank() == 0) {
    first = atomicAdd(taken, static_cast<int>(active.size()));
    atomicAdd(operations, 1);
  }
  return active.shfl(first, 0) + static_cast<int>(active.thread_rank());
}

template <bool kByMask>
__global__ void filter_kernel(const int* values, Count count, int limit,
                              int* kept, int* taken, int* operations) {
  const Count i = static_cast<Count>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const int value = values[i];
  if (value >= limit) {
    const int place = kByMask ? place_by_mask(taken, operations)
                              : place_by_group(taken, operations);
    kept[place] = value;
  }
}

// Lanes with the same key add once, for all of them.
__global__ void count_keys_kernel(const int* keys, Count count, int* totals,
                                  int* operations) {
  const Count i = static_cast<Count>(blockIdx.x) * blockDim.x + threadIdx.x;
  const bool inside = i < count;
  const int key = inside ? keys[i] : -1;
  const unsigned alike = __match_any_sync(kFullMask, key);
  const unsigned below = (1U << lane()) - 1;
  if (inside && (alike & below) == 0) {
    atomicAdd(&totals[key], __popc(alike));
    atomicAdd(operations, 1);
  }
}

}  // namespace
}  // namespace parity

using namespace parity;

// `totals` gets how many were kept, and how many atomics that took.
int parity_filter(Count by_mask, const int* values, Count count, Count limit,
                  int* kept, int* totals) {
  return guarded([&] {
    const Stream stream;
    const DeviceArray<int> source(stream, values, count);
    DeviceArray<int> target(stream, count);
    DeviceArray<int> counters(stream, 2);
    target.zero();
    counters.zero();
    const unsigned blocks = std::max(1U, divided_up(count, kThreads));
    const auto kernel =
        by_mask != 0 ? filter_kernel<true> : filter_kernel<false>;
    kernel<<<blocks, kThreads, 0, stream.get()>>>(
        source.get(), count, static_cast<int>(limit), target.get(),
        counters.get(), counters.get() + 1);
    check_launch();
    target.copy_to(kept);
    counters.copy_to(totals);
    stream.synchronize();
  });
}

int parity_count_keys(const int* keys, Count count, Count different,
                      int* totals, int* operations) {
  return guarded([&] {
    const Stream stream;
    const DeviceArray<int> source(stream, keys, count);
    DeviceArray<int> target(stream, different);
    DeviceArray<int> counter(stream, 1);
    target.zero();
    counter.zero();
    const unsigned blocks = std::max(1U, divided_up(count, kThreads));
    count_keys_kernel<<<blocks, kThreads, 0, stream.get()>>>(
        source.get(), count, target.get(), counter.get());
    check_launch();
    target.copy_to(totals);
    counter.copy_to(operations);
    stream.synchronize();
  });
}
