// Softmax of rows: a block per row with a running maximum, a warp per short
// row, and with a causal mask; for floats and narrow ones.
#include "elements.h"
#include "kernels.h"
#include "operators.h"
#include "warp.cuh"

namespace parity {
namespace {

// A sum of exponentials, relative to the largest exponent.
struct Partial {
  float largest;
  float sum;
};

__device__ Partial joined(Partial a, Partial b) {
  const float largest = fmaxf(a.largest, b.largest);
  if (largest == -INFINITY) return {largest, 0};
  return {largest, a.sum * expf(a.largest - largest) +
                       b.sum * expf(b.largest - largest)};
}

// The partial of the whole block, in each thread.
__device__ Partial block_joined(Partial mine) {
  const float largest = block_reduce(mine.largest, Maximum{});
  const float scale = mine.sum == 0 ? 0 : expf(mine.largest - largest);
  return {largest, block_reduce(mine.sum * scale, Sum{})};
}

template <typename T>
__global__ void __launch_bounds__(kThreads)
    softmax_kernel(const T* __restrict__ from, T* __restrict__ to, int columns,
                   bool logarithm) {
  const T* row = from + static_cast<Count>(blockIdx.x) * columns;
  T* target = to + static_cast<Count>(blockIdx.x) * columns;
  Partial mine{-INFINITY, 0};
  for (int i = static_cast<int>(threadIdx.x); i < columns; i += kThreads) {
    mine = joined(mine, Partial{widened(row[i]), 1});
  }
  const Partial all = block_joined(mine);
  for (int i = static_cast<int>(threadIdx.x); i < columns; i += kThreads) {
    const float above = widened(row[i]) - all.largest;
    target[i] =
        narrowed<T>(logarithm ? above - logf(all.sum) : expf(above) / all.sum);
  }
}

// A warp keeps its row in registers: kPerLane elements in each lane.
template <typename T, int kPerLane>
__global__ void warp_softmax_kernel(const T* __restrict__ from,
                                    T* __restrict__ to, Count rows,
                                    int columns) {
  const Count row = static_cast<Count>(blockIdx.x) * warps() + warp();
  if (row >= rows) return;
  float values[kPerLane];
  float largest = -INFINITY;
#pragma unroll
  for (int k = 0; k < kPerLane; ++k) {
    const int i = lane() + k * warpSize;
    values[k] = i < columns ? widened(from[row * columns + i]) : -INFINITY;
    largest = fmaxf(largest, values[k]);
  }
  largest = warp_reduce(largest, Maximum{});
  float sum = 0;
#pragma unroll
  for (int k = 0; k < kPerLane; ++k) {
    values[k] = expf(values[k] - largest);
    sum += values[k];
  }
  sum = warp_reduce(sum, Sum{});
#pragma unroll
  for (int k = 0; k < kPerLane; ++k) {
    const int i = lane() + k * warpSize;
    if (i < columns) to[row * columns + i] = narrowed<T>(values[k] / sum);
  }
}

// Row i of a square sees columns up to i; the others get 0.
__global__ void causal_softmax_kernel(const float* from, float* to, int size,
                                      float scale) {
  const int row = static_cast<int>(blockIdx.x);
  const float* source = from + static_cast<Count>(row) * size;
  float* target = to + static_cast<Count>(row) * size;
  float largest = -INFINITY;
  for (int i = static_cast<int>(threadIdx.x); i <= row; i += kThreads) {
    largest = fmaxf(largest, source[i] * scale);
  }
  largest = block_reduce(largest, Maximum{});
  float sum = 0;
  for (int i = static_cast<int>(threadIdx.x); i <= row; i += kThreads) {
    sum += __expf(source[i] * scale - largest);
  }
  sum = block_reduce(sum, Sum{});
  for (int i = static_cast<int>(threadIdx.x); i < size; i += kThreads) {
    target[i] = i <= row ? __expf(source[i] * scale - largest) / sum : 0;
  }
}

}  // namespace
}  // namespace parity

using namespace parity;

int parity_softmax(Count element, const void* from, void* to, Count rows,
                   Count columns, Count logarithm) {
  return guarded([&] {
    with_narrow(element, [&](auto type) {
      using T = typename decltype(type)::type;
      if (rows * columns == 0) return;
      const Stream stream;
      const DeviceArray<T> source(stream, static_cast<const T*>(from),
                                  rows * columns);
      const DeviceArray<T> target(stream, rows * columns);
      softmax_kernel<<<static_cast<unsigned>(rows), kThreads, 0,
                       stream.get()>>>(source.get(), target.get(),
                                       static_cast<int>(columns),
                                       logarithm != 0);
      check_launch();
      target.copy_to(static_cast<T*>(to));
      stream.synchronize();
    });
  });
}

// Of at most four columns for each lane of a warp.
int parity_warp_softmax(Count element, const void* from, void* to, Count rows,
                        Count columns) {
  return guarded([&] {
    with_narrow(element, [&](auto type) {
      using T = typename decltype(type)::type;
      const Stream stream;
      const DeviceArray<T> source(stream, static_cast<const T*>(from),
                                  rows * columns);
      const DeviceArray<T> target(stream, rows * columns);
      const unsigned blocks = blocks_of_warps_for(rows);
      const unsigned per_lane = divided_up(columns, warp_size());
      const auto run = [&](auto kernel) {
        kernel<<<blocks, kThreads, 0, stream.get()>>>(
            source.get(), target.get(), rows, static_cast<int>(columns));
        check_launch();
      };
      if (per_lane <= 1) {
        run(warp_softmax_kernel<T, 1>);
      } else if (per_lane == 2) {
        run(warp_softmax_kernel<T, 2>);
      } else if (per_lane <= 4) {
        run(warp_softmax_kernel<T, 4>);
      } else {
        throw Failure{cudaErrorInvalidValue};
      }
      target.copy_to(static_cast<T*>(to));
      stream.synchronize();
    });
  });
}

int parity_causal_softmax(const float* from, float* to, Count size,
                          double scale) {
  return guarded([&] {
    const Stream stream;
    const DeviceArray<float> source(stream, from, size * size);
    const DeviceArray<float> target(stream, size * size);
    causal_softmax_kernel<<<static_cast<unsigned>(size), kThreads, 0,
                            stream.get()>>>(source.get(), target.get(),
                                            static_cast<int>(size),
                                            static_cast<float>(scale));
    check_launch();
    target.copy_to(to);
    stream.synchronize();
  });
}
