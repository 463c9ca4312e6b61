// A stable radix sort of keys with values: a digit of four bits in each pass,
// which counts per block, scans the counts, and scatters.
#include "device_array.h"
#include "kernels.h"
#include "operators.h"
#include "warp.cuh"

namespace parity {
namespace {

constexpr int kDigits = 16;

__device__ int digit_of(unsigned key, int shift) {
  return static_cast<int>(key >> shift) & (kDigits - 1);
}

// counts[digit][block], so that a scan gives where each block's digits go.
__global__ void count_kernel(const unsigned* keys, int count, int shift,
                             int* counts) {
  __shared__ int mine[kDigits];
  if (threadIdx.x < kDigits) mine[threadIdx.x] = 0;
  __syncthreads();
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) atomicAdd(&mine[digit_of(keys[i], shift)], 1);
  __syncthreads();
  if (threadIdx.x < kDigits) {
    counts[threadIdx.x * gridDim.x + blockIdx.x] = mine[threadIdx.x];
  }
}

// One block scans all counts, a piece at a time.
__global__ void scan_counts_kernel(int* counts, int number) {
  __shared__ int carried;
  if (threadIdx.x == 0) carried = 0;
  for (int start = 0; start < number; start += kThreads) {
    const int i = start + static_cast<int>(threadIdx.x);
    const int value = i < number ? counts[i] : 0;
    const Scanned<int> scanned = block_scan(value, Sum{}, 0);
    const int before = carried;
    __syncthreads();
    if (i < number) counts[i] = before + scanned.before;
    if (threadIdx.x == 0) carried = before + scanned.total;
    __syncthreads();
  }
}

__global__ void scatter_kernel(const unsigned* keys, const unsigned* values,
                               int count, int shift, const int* places,
                               unsigned* sorted_keys, unsigned* sorted_values) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const bool inside = i < count;
  const unsigned key = inside ? keys[i] : 0;
  const int mine = inside ? digit_of(key, shift) : -1;
  int rank = 0;
  for (int digit = 0; digit < kDigits; ++digit) {
    const Scanned<int> scanned = block_scan(mine == digit ? 1 : 0, Sum{}, 0);
    if (mine == digit) rank = scanned.before;
  }
  if (!inside) return;
  const int place = places[mine * static_cast<int>(gridDim.x) +
                           static_cast<int>(blockIdx.x)] +
                    rank;
  sorted_keys[place] = key;
  sorted_values[place] = values[i];
}

}  // namespace
}  // namespace parity

using namespace parity;

// Sorts by the lowest `bits` of the keys, a multiple of 4.
int parity_radix_sort(unsigned* keys, unsigned* values, Count count,
                      Count bits) {
  return guarded([&] {
    if (count == 0) return;
    const Stream stream;
    const unsigned blocks = divided_up(count, kThreads);
    const int number = static_cast<int>(count);
    const DeviceArray<unsigned> even_keys(stream, keys, count);
    const DeviceArray<unsigned> even_values(stream, values, count);
    const DeviceArray<unsigned> odd_keys(stream, count);
    const DeviceArray<unsigned> odd_values(stream, count);
    const DeviceArray<int> counts(stream, kDigits * blocks);
    const DeviceArray<unsigned>* from[] = {&even_keys, &even_values};
    const DeviceArray<unsigned>* to[] = {&odd_keys, &odd_values};
    for (int shift = 0; shift < bits; shift += 4) {
      count_kernel<<<blocks, kThreads, 0, stream.get()>>>(
          from[0]->get(), number, shift, counts.get());
      check_launch();
      scan_counts_kernel<<<1, kThreads, 0, stream.get()>>>(
          counts.get(), static_cast<int>(kDigits * blocks));
      check_launch();
      scatter_kernel<<<blocks, kThreads, 0, stream.get()>>>(
          from[0]->get(), from[1]->get(), number, shift, counts.get(),
          to[0]->get(), to[1]->get());
      check_launch();
      std::swap(from, to);
    }
    from[0]->copy_to(keys);
    from[1]->copy_to(values);
    stream.synchronize();
  });
}
