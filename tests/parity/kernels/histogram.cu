// Histograms: of bytes with a copy per warp, of floats in equal bins in dynamic
// shared memory, and of weights.
#include "device_array.h"
#include "kernels.h"
#include "warp.cuh"

namespace parity {
namespace {

constexpr int kByteValues = 256;

// Each warp counts in its own copy, so that warps do not wait for each other.
__global__ void byte_histogram_kernel(const unsigned char* __restrict__ values,
                                      Count count, unsigned* totals) {
  extern __shared__ unsigned copies[];
  for (int i = static_cast<int>(threadIdx.x); i < warps() * kByteValues;
       i += static_cast<int>(blockDim.x)) {
    copies[i] = 0;
  }
  __syncthreads();
  unsigned* mine = copies + warp() * kByteValues;
  const Count step = static_cast<Count>(gridDim.x) * blockDim.x;
  for (Count i = static_cast<Count>(blockIdx.x) * blockDim.x + threadIdx.x;
       i < count; i += step) {
    atomicAdd(&mine[values[i]], 1U);
  }
  __syncthreads();
  for (int value = static_cast<int>(threadIdx.x); value < kByteValues;
       value += static_cast<int>(blockDim.x)) {
    unsigned sum = 0;
    for (int copy = 0; copy < warps(); ++copy) {
      sum += copies[copy * kByteValues + value];
    }
    if (sum != 0) atomicAdd(&totals[value], sum);
  }
}

// Equal bins of [low, high); what is outside or no number is not counted.
struct Bins {
  float low;
  float width;
  int number;

  __device__ int of(float value) const {
    const float place = floorf((value - low) / width);
    return place >= 0 && place < static_cast<float>(number)
               ? static_cast<int>(place)
               : -1;
  }
};

__global__ void float_histogram_kernel(const float* values, Count count,
                                       Bins bins, unsigned long long* totals) {
  extern __shared__ unsigned counted[];
  for (int i = static_cast<int>(threadIdx.x); i < bins.number;
       i += static_cast<int>(blockDim.x)) {
    counted[i] = 0;
  }
  __syncthreads();
  const Count step = static_cast<Count>(gridDim.x) * blockDim.x;
  for (Count i = static_cast<Count>(blockIdx.x) * blockDim.x + threadIdx.x;
       i < count; i += step) {
    const int bin = bins.of(values[i]);
    if (bin >= 0) atomicInc(&counted[bin], 0xFFFFFFFFU);
  }
  __syncthreads();
  for (int i = static_cast<int>(threadIdx.x); i < bins.number;
       i += static_cast<int>(blockDim.x)) {
    atomicAdd(&totals[i], static_cast<unsigned long long>(counted[i]));
  }
}

__global__ void weighted_histogram_kernel(const int* keys, const float* weights,
                                          Count count, int bins,
                                          float* totals) {
  const Count i = static_cast<Count>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const int key = keys[i];
  if (key >= 0 && key < bins) atomicAdd(totals + key, weights[i]);
}

}  // namespace
}  // namespace parity

using namespace parity;

int parity_byte_histogram(const unsigned char* values, Count count,
                          unsigned* totals) {
  return guarded([&] {
    const Stream stream;
    const DeviceArray<unsigned char> source(stream, values, count);
    DeviceArray<unsigned> target(stream, kByteValues);
    target.zero();
    const std::size_t shared =
        kThreads / warp_size() * kByteValues * sizeof(unsigned);
    byte_histogram_kernel<<<blocks_for(count) / 4 + 1, kThreads, shared,
                            stream.get()>>>(source.get(), count, target.get());
    check_launch();
    target.copy_to(totals);
    stream.synchronize();
  });
}

int parity_float_histogram(const float* values, Count count, double low,
                           double high, Count bins,
                           unsigned long long* totals) {
  return guarded([&] {
    const Stream stream;
    const DeviceArray<float> source(stream, values, count);
    DeviceArray<unsigned long long> target(stream, bins);
    target.zero();
    const Bins equal{
        static_cast<float>(low),
        static_cast<float>((high - low) / static_cast<double>(bins)),
        static_cast<int>(bins)};
    float_histogram_kernel<<<blocks_for(count), kThreads,
                             static_cast<std::size_t>(bins) * sizeof(unsigned),
                             stream.get()>>>(source.get(), count, equal,
                                             target.get());
    check_launch();
    target.copy_to(totals);
    stream.synchronize();
  });
}

int parity_weighted_histogram(const int* keys, const float* weights,
                              Count count, Count bins, float* totals) {
  return guarded([&] {
    const Stream stream;
    const DeviceArray<int> which(stream, keys, count);
    const DeviceArray<float> source(stream, weights, count);
    DeviceArray<float> target(stream, bins);
    target.zero();
    const unsigned blocks = std::max(1U, divided_up(count, kThreads));
    weighted_histogram_kernel<<<blocks, kThreads, 0, stream.get()>>>(
        which.get(), source.get(), count, static_cast<int>(bins), target.get());
    check_launch();
    target.copy_to(totals);
    stream.synchronize();
  });
}
