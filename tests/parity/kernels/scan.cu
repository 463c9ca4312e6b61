// Scans: of blocks whose sums are scanned in turn, of one pass with look-back,
// of a work-efficient tree; and stream compaction on top.
#include "elements.h"
#include "kernels.h"
#include "operators.h"
#include "warp.cuh"

namespace parity {
namespace {

template <typename T, typename Op>
__global__ void scan_blocks_kernel(const T* values, T* results, T* sums,
                                   Count count, bool inclusive, T zero, Op op) {
  const Count i = static_cast<Count>(blockIdx.x) * blockDim.x + threadIdx.x;
  const T value = i < count ? values[i] : zero;
  const Scanned<T> scanned = block_scan(value, op, zero);
  if (i < count) {
    results[i] = inclusive ? op(scanned.before, value) : scanned.before;
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = scanned.total;
}

template <typename T, typename Op>
__global__ void add_sums_kernel(T* results, const T* sums, Count count, Op op) {
  const Count i = static_cast<Count>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < count) results[i] = op(sums[blockIdx.x], results[i]);
}

// Scans on the device, in as many levels as it takes.
template <typename T, typename Op>
void scan_levels(const Stream& stream, const T* values, T* results, Count count,
                 bool inclusive, Op op) {
  const unsigned blocks = divided_up(count, kThreads);
  const T zero = Op::template identity<T>();
  const DeviceArray<T> sums(stream, blocks);
  scan_blocks_kernel<<<blocks, kThreads, 0, stream.get()>>>(
      values, results, sums.get(), count, inclusive, zero, op);
  check_launch();
  if (blocks == 1) return;
  scan_levels(stream, sums.get(), sums.get(), blocks, false, op);
  add_sums_kernel<<<blocks, kThreads, 0, stream.get()>>>(results, sums.get(),
                                                         count, op);
  check_launch();
}

template <typename T, typename Op>
void scan(const void* values, void* results, Count count, bool inclusive,
          Op op) {
  if (count == 0) return;
  const Stream stream;
  const DeviceArray<T> source(stream, static_cast<const T*>(values), count);
  const DeviceArray<T> target(stream, count);
  scan_levels(stream, source.get(), target.get(), count, inclusive, op);
  target.copy_to(static_cast<T*>(results));
  stream.synchronize();
}

// What a block has published: its own sum, or that of all blocks up to it.
enum State : int { kNothing = 0, kOwnSum = 1, kFullSum = 2 };

struct Published {
  int state;
  int own;
  int full;
};

// Waits for the blocks before this one. Their numbers were drawn earlier, so
// they run, and the wait ends.
__device__ int sum_before(volatile Published* published, int number) {
  int sum = 0;
  for (int other = number - 1; other >= 0; --other) {
    int state = kNothing;
    while (state == kNothing) state = published[other].state;
    __threadfence();
    if (state == kFullSum) return sum + published[other].full;
    sum += published[other].own;
  }
  return sum;
}

__global__ void scan_single_pass_kernel(const int* values, int* results,
                                        Count count, int* drawn,
                                        Published* published) {
  __shared__ int number;
  __shared__ int before;
  if (threadIdx.x == 0) number = atomicAdd(drawn, 1);
  __syncthreads();
  const Count i = static_cast<Count>(number) * blockDim.x + threadIdx.x;
  const int value = i < count ? values[i] : 0;
  const Scanned<int> scanned = block_scan(value, Sum{}, 0);
  if (threadIdx.x == 0) {
    volatile Published* mine = published + number;
    mine->own = scanned.total;
    __threadfence();
    mine->state = kOwnSum;
    before = sum_before(published, number);
    mine->full = before + scanned.total;
    __threadfence();
    mine->state = kFullSum;
  }
  __syncthreads();
  if (i < count) results[i] = before + scanned.before + value;
}

// Two elements per thread, up and down a tree in shared memory; `pad` keeps
// its levels off each other's banks.
__device__ int pad(int index) { return index + index / 16; }

__global__ void scan_tree_kernel(const float* values, float* results,
                                 int count) {
  extern __shared__ float tree[];
  const int thread = static_cast<int>(threadIdx.x);
  const int size = 2 * static_cast<int>(blockDim.x);
  for (int i = thread; i < size; i += static_cast<int>(blockDim.x)) {
    tree[pad(i)] = i < count ? values[i] : 0;
  }
  int distance = 1;
  for (int active = size / 2; active > 0; active /= 2) {
    __syncthreads();
    const int left = pad(distance * (2 * thread + 1) - 1);
    const int right = pad(distance * (2 * thread + 2) - 1);
    if (thread < active) tree[right] += tree[left];
    distance *= 2;
  }
  if (thread == 0) tree[pad(size - 1)] = 0;
  for (int active = 1; active < size; active *= 2) {
    distance /= 2;
    __syncthreads();
    const int left = pad(distance * (2 * thread + 1) - 1);
    const int right = pad(distance * (2 * thread + 2) - 1);
    if (thread < active) {
      const float value = tree[left];
      tree[left] = tree[right];
      tree[right] += value;
    }
  }
  __syncthreads();
  for (int i = thread; i < count; i += static_cast<int>(blockDim.x)) {
    results[i] = tree[pad(i)];
  }
}

struct Above {
  float limit;
  __device__ bool operator()(float value) const { return value > limit; }
};

template <typename Predicate>
__global__ void mark_kernel(const float* values, int* marks, Count count,
                            Predicate predicate) {
  const Count i = static_cast<Count>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < count) marks[i] = predicate(values[i]) ? 1 : 0;
}

__global__ void scatter_kernel(const float* values, const int* marks,
                               const int* places, float* kept, Count count) {
  const Count i = static_cast<Count>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < count && marks[i] != 0) kept[places[i]] = values[i];
}

}  // namespace
}  // namespace parity

using namespace parity;

int parity_scan(Count operation, Count element, Count inclusive,
                const void* values, Count count, void* results) {
  return guarded([&] {
    with_number(element, [&](auto type) {
      using T = typename decltype(type)::type;
      if (operation == 0) {
        scan<T>(values, results, count, inclusive != 0, Sum{});
      } else {
        scan<T>(values, results, count, inclusive != 0, Maximum{});
      }
    });
  });
}

int parity_scan_single_pass(const int* values, Count count, int* results) {
  return guarded([&] {
    if (count == 0) return;
    const Stream stream;
    const unsigned blocks = divided_up(count, kThreads);
    const DeviceArray<int> source(stream, values, count);
    const DeviceArray<int> target(stream, count);
    DeviceArray<int> drawn(stream, 1);
    DeviceArray<Published> published(stream, blocks);
    drawn.zero();
    published.zero();
    scan_single_pass_kernel<<<blocks, kThreads, 0, stream.get()>>>(
        source.get(), target.get(), count, drawn.get(), published.get());
    check_launch();
    target.copy_to(results);
    stream.synchronize();
  });
}

// Exclusive, of at most 2,048 elements.
int parity_scan_tree(const float* values, Count count, float* results) {
  return guarded([&] {
    if (count == 0) return;
    unsigned threads = 1;
    while (2 * threads < count) threads *= 2;
    const Stream stream;
    const DeviceArray<float> source(stream, values, count);
    const DeviceArray<float> target(stream, count);
    const unsigned shared = 2 * threads + 2 * threads / 16;
    scan_tree_kernel<<<1, threads, shared * sizeof(float), stream.get()>>>(
        source.get(), target.get(), static_cast<int>(count));
    check_launch();
    target.copy_to(results);
    stream.synchronize();
  });
}

int parity_compact(const float* values, Count count, double limit, float* kept,
                   int* kept_count) {
  return guarded([&] {
    *kept_count = 0;
    if (count == 0) return;
    const Stream stream;
    const unsigned blocks = divided_up(count, kThreads);
    const DeviceArray<float> source(stream, values, count);
    const DeviceArray<int> marks(stream, count);
    const DeviceArray<int> places(stream, count);
    DeviceArray<float> target(stream, count);
    target.zero();
    mark_kernel<<<blocks, kThreads, 0, stream.get()>>>(
        source.get(), marks.get(), count, Above{static_cast<float>(limit)});
    check_launch();
    scan_levels(stream, marks.get(), places.get(), count, false, Sum{});
    scatter_kernel<<<blocks, kThreads, 0, stream.get()>>>(
        source.get(), marks.get(), places.get(), target.get(), count);
    check_launch();
    int last[2] = {0, 0};
    check(cudaMemcpyAsync(&last[0], marks.get() + count - 1, sizeof(int),
                          cudaMemcpyDeviceToHost, stream.get()));
    check(cudaMemcpyAsync(&last[1], places.get() + count - 1, sizeof(int),
                          cudaMemcpyDeviceToHost, stream.get()));
    target.copy_to(kept);
    stream.synchronize();
    *kept_count = last[0] + last[1];
  });
}
