// What lanes of a warp tell each other: votes, shuffles, matches, and what
// happens of it where some lanes are elsewhere.
#include "device_array.h"
#include "kernels.h"
#include "warp.cuh"

namespace parity {
namespace {

using Mask = unsigned long long;  // has room for the lanes of every warp

__global__ void votes_kernel(const int* values, Mask* ballots, int* any,
                             int* all, int* before) {
  const int thread = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const bool odd = values[thread] % 2 != 0;
  const auto ballot = __ballot_sync(kFullMask, odd);
  const unsigned below = (1U << lane()) - 1;
  ballots[thread] = static_cast<Mask>(ballot);
  any[thread] = __any_sync(kFullMask, values[thread] > 90) != 0;
  all[thread] = __all_sync(kFullMask, values[thread] < 97) != 0;
  before[thread] = __popc(ballot & below);
}

template <typename T>
__global__ void shuffles_kernel(const T* values, const int* sources, T* picked,
                                T* up, T* down, T* swapped) {
  const int thread = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const T value = values[thread];
  picked[thread] = __shfl_sync(kFullMask, value, sources[thread] % warpSize);
  up[thread] = __shfl_up_sync(kFullMask, value, 3);
  down[thread] = __shfl_down_sync(kFullMask, value, 5);
  swapped[thread] = __shfl_xor_sync(kFullMask, value, 9);
}

// Shuffles inside of parts of the warp.
template <int kWidth>
__global__ void narrow_shuffles_kernel(const int* values, int* sums,
                                       int* firsts) {
  const int thread = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  int sum = values[thread];
  for (int distance = kWidth / 2; distance > 0; distance /= 2) {
    sum += __shfl_down_sync(kFullMask, sum, distance, kWidth);
  }
  sums[thread] = __shfl_sync(kFullMask, sum, 0, kWidth);
  firsts[thread] = __shfl_sync(kFullMask, values[thread], 0, kWidth);
}

// Each side of the branch asks who is there.
__global__ void divergent_kernel(const int* values, Mask* present, int* sums) {
  const int thread = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int value = values[thread];
  int sum = 0;
  if (value % 3 == 0) {
    const auto here = __activemask();
    present[thread] = static_cast<Mask>(here);
    sum = __popc(here);
  } else {
    const auto here = __activemask();
    present[thread] = static_cast<Mask>(here);
    sum = -__popc(here);
  }
  __syncwarp();
  sums[thread] = sum;
}

// Loops that lanes leave at different times: Collatz.
__global__ void loops_kernel(const int* starts, int* steps, int* longest) {
  const int thread = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  long long value = starts[thread];
  int count = 0;
  while (value > 1) {
    value = value % 2 == 0 ? value / 2 : 3 * value + 1;
    ++count;
  }
  steps[thread] = count;
  for (int distance = warpSize / 2; distance > 0; distance /= 2) {
    const int other = __shfl_xor_sync(kFullMask, count, distance);
    count = other > count ? other : count;
  }
  longest[thread] = count;
}

// The warp's sum and extremes, by the functions that are made for them.
__global__ void reductions_kernel(const unsigned* values, unsigned* sums,
                                  unsigned* least, unsigned* most) {
  const int thread = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  sums[thread] = __reduce_add_sync(kFullMask, values[thread]);
  least[thread] = __reduce_min_sync(kFullMask, values[thread]);
  most[thread] = __reduce_max_sync(kFullMask, values[thread]);
}

__global__ void warp_size_kernel(int* size) { *size = warpSize; }

template <typename T>
void shuffles(const Stream& stream, const void* values, Count blocks,
              const DeviceArray<int>& sources, void* results) {
  const Count count = blocks * kThreads;
  const DeviceArray<T> source(stream, static_cast<const T*>(values), count);
  const DeviceArray<T> target(stream, 4 * count);
  shuffles_kernel<<<static_cast<unsigned>(blocks), kThreads, 0, stream.get()>>>(
      source.get(), sources.get(), target.get(), target.get() + count,
      target.get() + 2 * count, target.get() + 3 * count);
  check_launch();
  target.copy_to(static_cast<T*>(results));
  stream.synchronize();
}

}  // namespace
}  // namespace parity

using namespace parity;

int parity_warp_size(int* lanes, int* in_kernel) {
  return guarded([&] {
    *lanes = warp_size();
    const Stream stream;
    const DeviceArray<int> target(stream, 1);
    warp_size_kernel<<<1, 1, 0, stream.get()>>>(target.get());
    check_launch();
    target.copy_to(in_kernel);
    stream.synchronize();
  });
}

int parity_votes(const int* values, Count blocks, unsigned long long* ballots,
                 int* any, int* all, int* before) {
  return guarded([&] {
    const Stream stream;
    const Count count = blocks * kThreads;
    const DeviceArray<int> source(stream, values, count);
    const DeviceArray<Mask> masks(stream, count);
    const DeviceArray<int> target(stream, 3 * count);
    votes_kernel<<<static_cast<unsigned>(blocks), kThreads, 0, stream.get()>>>(
        source.get(), masks.get(), target.get(), target.get() + count,
        target.get() + 2 * count);
    check_launch();
    masks.copy_to(ballots);
    const std::size_t bytes = static_cast<std::size_t>(count) * sizeof(int);
    int* const results[] = {any, all, before};
    for (Count i = 0; i < 3; ++i) {
      check(cudaMemcpyAsync(results[i], target.get() + i * count, bytes,
                            cudaMemcpyDeviceToHost, stream.get()));
    }
    stream.synchronize();
  });
}

// `results`: from a lane that is named, 3 lanes below, 5 above, and xor 9.
int parity_shuffles(Count element, const void* values, const int* sources,
                    Count blocks, void* results) {
  return guarded([&] {
    const Stream stream;
    const DeviceArray<int> lanes(stream, sources, blocks * kThreads);
    switch (element) {
      case 0:
        return shuffles<int>(stream, values, blocks, lanes, results);
      case 2:
        return shuffles<long long>(stream, values, blocks, lanes, results);
      case 3:
        return shuffles<float>(stream, values, blocks, lanes, results);
      case 4:
        return shuffles<double>(stream, values, blocks, lanes, results);
      default:
        throw Failure{cudaErrorInvalidValue};
    }
  });
}

// `width`: 4, 8 or 16.
int parity_narrow_shuffles(const int* values, Count blocks, Count width,
                           int* sums, int* firsts) {
  return guarded([&] {
    const auto kernel = width == 4    ? narrow_shuffles_kernel<4>
                        : width == 8  ? narrow_shuffles_kernel<8>
                        : width == 16 ? narrow_shuffles_kernel<16>
                                      : nullptr;
    if (kernel == nullptr) throw Failure{cudaErrorInvalidValue};
    const Stream stream;
    const Count count = blocks * kThreads;
    const DeviceArray<int> source(stream, values, count);
    const DeviceArray<int> all(stream, count);
    const DeviceArray<int> heads(stream, count);
    kernel<<<static_cast<unsigned>(blocks), kThreads, 0, stream.get()>>>(
        source.get(), all.get(), heads.get());
    check_launch();
    all.copy_to(sums);
    heads.copy_to(firsts);
    stream.synchronize();
  });
}

int parity_divergence(const int* values, Count blocks,
                      unsigned long long* present, int* sums) {
  return guarded([&] {
    const Stream stream;
    const Count count = blocks * kThreads;
    const DeviceArray<int> source(stream, values, count);
    const DeviceArray<Mask> masks(stream, count);
    const DeviceArray<int> target(stream, count);
    divergent_kernel<<<static_cast<unsigned>(blocks), kThreads, 0,
                       stream.get()>>>(source.get(), masks.get(), target.get());
    check_launch();
    masks.copy_to(present);
    target.copy_to(sums);
    stream.synchronize();
  });
}

int parity_collatz(const int* starts, Count blocks, int* steps, int* longest) {
  return guarded([&] {
    const Stream stream;
    const Count count = blocks * kThreads;
    const DeviceArray<int> source(stream, starts, count);
    const DeviceArray<int> each(stream, count);
    const DeviceArray<int> most(stream, count);
    loops_kernel<<<static_cast<unsigned>(blocks), kThreads, 0, stream.get()>>>(
        source.get(), each.get(), most.get());
    check_launch();
    each.copy_to(steps);
    most.copy_to(longest);
    stream.synchronize();
  });
}

// `results`: sums, least and largest values.
int parity_warp_reductions(const unsigned* values, Count blocks,
                           unsigned* results) {
  return guarded([&] {
    const Stream stream;
    const Count count = blocks * kThreads;
    const DeviceArray<unsigned> source(stream, values, count);
    const DeviceArray<unsigned> target(stream, 3 * count);
    reductions_kernel<<<static_cast<unsigned>(blocks), kThreads, 0,
                        stream.get()>>>(source.get(), target.get(),
                                        target.get() + count,
                                        target.get() + 2 * count);
    check_launch();
    target.copy_to(results);
    stream.synchronize();
  });
}
