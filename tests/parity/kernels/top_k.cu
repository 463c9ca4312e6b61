// The k largest of each row: sorted lists in registers that are merged in
// shared memory; and the k-th smallest by its digits.
#include "device_array.h"
#include "kernels.h"

namespace parity {
namespace {

constexpr int kRowThreads = 64;

struct Ranked {
  float value;
  int index;
};

// The larger value is first; of equal ones, the lower index.
__device__ bool comes_first(Ranked a, Ranked b) {
  return a.value != b.value ? a.value > b.value : a.index < b.index;
}

// Puts an element into a sorted list that drops its last one.
template <int kLength>
__device__ void insert(Ranked (&list)[kLength], Ranked added) {
  if (!comes_first(added, list[kLength - 1])) return;
#pragma unroll
  for (int i = 0; i < kLength; ++i) {
    if (comes_first(added, list[i])) {
      const Ranked moved = list[i];
      list[i] = added;
      added = moved;
    }
  }
}

template <int kLength>
__global__ void __launch_bounds__(kRowThreads)
    top_k_kernel(const float* values, int columns, float* best, int* indices) {
  __shared__ Ranked lists[kRowThreads][kLength];
  const float* row = values + static_cast<Count>(blockIdx.x) * columns;
  Ranked mine[kLength];
  for (Ranked& each : mine) each = Ranked{-INFINITY, 0x7FFFFFFF};
  for (int i = static_cast<int>(threadIdx.x); i < columns; i += kRowThreads) {
    insert(mine, Ranked{row[i], i});
  }
  for (int i = 0; i < kLength; ++i) lists[threadIdx.x][i] = mine[i];
  for (unsigned half = kRowThreads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) {
      for (const Ranked& other : lists[threadIdx.x + half]) insert(mine, other);
      for (int i = 0; i < kLength; ++i) lists[threadIdx.x][i] = mine[i];
    }
  }
  if (threadIdx.x == 0) {
    for (int i = 0; i < kLength; ++i) {
      best[blockIdx.x * kLength + i] = mine[i].value;
      indices[blockIdx.x * kLength + i] = mine[i].index;
    }
  }
}

// Finds the element of rank `rank` digit by digit, from the highest on.
__global__ void select_kernel(const unsigned* values, int count, int rank,
                              unsigned* result) {
  __shared__ int counted[256];
  __shared__ unsigned prefix;
  __shared__ int left;
  if (threadIdx.x == 0) {
    prefix = 0;
    left = rank;
  }
  for (int shift = 24; shift >= 0; shift -= 8) {
    for (unsigned i = threadIdx.x; i < 256; i += blockDim.x) counted[i] = 0;
    __syncthreads();
    const unsigned known = shift == 24 ? 0 : ~0U << (shift + 8);
    for (int i = static_cast<int>(threadIdx.x); i < count;
         i += static_cast<int>(blockDim.x)) {
      if ((values[i] & known) == prefix) {
        atomicAdd(&counted[values[i] >> shift & 255U], 1);
      }
    }
    __syncthreads();
    if (threadIdx.x == 0) {
      unsigned digit = 0;
      while (left >= counted[digit]) left -= counted[digit++];
      prefix |= digit << shift;
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) *result = prefix;
}

}  // namespace
}  // namespace parity

using namespace parity;

// k is 1, 4, 8 or 16, and at most `columns`.
int parity_top_k(const float* values, Count rows, Count columns, Count k,
                 float* best, int* indices) {
  return guarded([&] {
    const Stream stream;
    const DeviceArray<float> source(stream, values, rows * columns);
    const DeviceArray<float> target(stream, rows * k);
    const DeviceArray<int> places(stream, rows * k);
    const auto kernel = k == 1    ? top_k_kernel<1>
                        : k == 4  ? top_k_kernel<4>
                        : k == 8  ? top_k_kernel<8>
                        : k == 16 ? top_k_kernel<16>
                                  : nullptr;
    if (kernel == nullptr) throw Failure{cudaErrorInvalidValue};
    kernel<<<static_cast<unsigned>(rows), kRowThreads, 0, stream.get()>>>(
        source.get(), static_cast<int>(columns), target.get(), places.get());
    check_launch();
    target.copy_to(best);
    places.copy_to(indices);
    stream.synchronize();
  });
}

int parity_select(const unsigned* values, Count count, Count rank,
                  unsigned* result) {
  return guarded([&] {
    const Stream stream;
    const DeviceArray<unsigned> source(stream, values, count);
    const DeviceArray<unsigned> target(stream, 1);
    select_kernel<<<1, kThreads, 0, stream.get()>>>(
        source.get(), static_cast<int>(count), static_cast<int>(rank),
        target.get());
    check_launch();
    target.copy_to(result);
    stream.synchronize();
  });
}
