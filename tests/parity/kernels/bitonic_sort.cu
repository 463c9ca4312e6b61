// Bitonic sorting networks: in shared memory for what fits there, over memory
// of the device for the rest; of keys, and of keys with values.
#include <climits>

#include "elements.h"
#include "kernels.h"
#include "operators.h"

namespace parity {
namespace {

// Elements that a block sorts: two for each thread.
constexpr int kTile = 2 * kThreads;

template <typename T>
__device__ void order(T& low, T& high, bool ascending) {
  if ((high < low) == ascending) {
    const T kept = low;
    low = high;
    high = kept;
  }
}

// The position of a thread's lower element for a distance, a power of two.
__device__ unsigned lower(unsigned thread, unsigned distance) {
  return 2 * thread - (thread & (distance - 1));
}

// Stages whose sequences of `size` fit into a block, or the end of a longer
// stage, from `distance` on.
template <typename T>
__global__ void sort_tile_kernel(T* values, unsigned first_size,
                                 unsigned last_size, bool ascending) {
  __shared__ T tile[kTile];
  const unsigned base = blockIdx.x * kTile;
  tile[threadIdx.x] = values[base + threadIdx.x];
  tile[threadIdx.x + kThreads] = values[base + threadIdx.x + kThreads];
  for (unsigned size = first_size; size <= last_size; size *= 2) {
    const unsigned half = size / 2;
    for (unsigned distance = half < kThreads ? half : kThreads; distance > 0;
         distance /= 2) {
      __syncthreads();
      const unsigned at = lower(threadIdx.x, distance);
      const bool up = ((base + at) & size) == 0;
      order(tile[at], tile[at + distance], up == ascending);
    }
  }
  __syncthreads();
  values[base + threadIdx.x] = tile[threadIdx.x];
  values[base + threadIdx.x + kThreads] = tile[threadIdx.x + kThreads];
}

template <typename T>
__global__ void sort_step_kernel(T* values, unsigned size, unsigned distance,
                                 bool ascending) {
  const unsigned at = lower(blockIdx.x * blockDim.x + threadIdx.x, distance);
  const bool up = (at & size) == 0;
  order(values[at], values[at + distance], up == ascending);
}

template <typename T>
__global__ void pad_kernel(T* values, T value, Count from, Count to) {
  const Count i =
      from + static_cast<Count>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < to) values[i] = value;
}

// Sorts `padded` elements, a power of two times the tile.
template <typename T>
void sort_padded(const Stream& stream, T* values, unsigned padded,
                 bool ascending) {
  const unsigned tiles = padded / kTile;
  sort_tile_kernel<<<tiles, kThreads, 0, stream.get()>>>(
      values, 2U, static_cast<unsigned>(kTile), ascending);
  check_launch();
  for (unsigned size = 2 * kTile; size <= padded; size *= 2) {
    for (unsigned distance = size / 2; distance > kThreads; distance /= 2) {
      sort_step_kernel<<<tiles, kThreads, 0, stream.get()>>>(
          values, size, distance, ascending);
      check_launch();
    }
    sort_tile_kernel<<<tiles, kThreads, 0, stream.get()>>>(values, size, size,
                                                           ascending);
    check_launch();
  }
}

unsigned padded_to_power(Count count) {
  unsigned padded = kTile;
  while (padded < count) padded *= 2;
  return padded;
}

template <typename T>
void sort(void* values, Count count, bool ascending) {
  if (count == 0) return;
  const Stream stream;
  const unsigned padded = padded_to_power(count);
  const DeviceArray<T> target(stream, padded);
  check(cudaMemcpyAsync(target.get(), values,
                        static_cast<std::size_t>(count) * sizeof(T),
                        cudaMemcpyHostToDevice, stream.get()));
  const T last = ascending ? Minimum::identity<T>() : Maximum::identity<T>();
  pad_kernel<<<divided_up(padded - count, kThreads) + 1, kThreads, 0,
               stream.get()>>>(target.get(), last, count,
                               static_cast<Count>(padded));
  check_launch();
  sort_padded(stream, target.get(), padded, ascending);
  check(cudaMemcpyAsync(values, target.get(),
                        static_cast<std::size_t>(count) * sizeof(T),
                        cudaMemcpyDeviceToHost, stream.get()));
  stream.synchronize();
}

// A key and where it was, which orders equal keys: so the sort is stable.
struct Entry {
  int key;
  int place;

  __device__ bool operator<(const Entry& other) const {
    return key != other.key ? key < other.key : place < other.place;
  }
};

__global__ void number_kernel(const int* keys, Entry* entries, int count,
                              int padded) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < padded) entries[i] = Entry{i < count ? keys[i] : INT_MAX, i};
}

__global__ void places_kernel(const Entry* entries, int* places, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) places[i] = entries[i].place;
}

}  // namespace
}  // namespace parity

using namespace parity;

int parity_sort(Count element, void* values, Count count, Count ascending) {
  return guarded([&] {
    with_number(element, [&](auto type) {
      using T = typename decltype(type)::type;
      sort<T>(values, count, ascending != 0);
    });
  });
}

int parity_arg_sort(const int* keys, Count count, int* places) {
  return guarded([&] {
    if (count == 0) return;
    const Stream stream;
    const unsigned padded = padded_to_power(count);
    const DeviceArray<int> source(stream, keys, count);
    const DeviceArray<Entry> entries(stream, padded);
    const DeviceArray<int> target(stream, count);
    const unsigned blocks = divided_up(padded, kThreads);
    number_kernel<<<blocks, kThreads, 0, stream.get()>>>(
        source.get(), entries.get(), static_cast<int>(count),
        static_cast<int>(padded));
    check_launch();
    sort_padded(stream, entries.get(), padded, true);
    places_kernel<<<blocks, kThreads, 0, stream.get()>>>(
        entries.get(), target.get(), static_cast<int>(count));
    check_launch();
    target.copy_to(places);
    stream.synchronize();
  });
}
