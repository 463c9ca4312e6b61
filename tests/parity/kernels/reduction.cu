// Reductions: in two passes over operators and types, vectorised, with a
// transformation, of pairs, and over segments.
#include "elements.h"
#include "kernels.h"
#include "operators.h"
#include "warp.cuh"

namespace parity {
namespace {

template <typename T, typename Op>
__global__ void __launch_bounds__(kThreads)
    reduce_kernel(const T* __restrict__ values, Count count, T identity, Op op,
                  T* __restrict__ results) {
  T sum = identity;
  const Count step = static_cast<Count>(gridDim.x) * blockDim.x;
  for (Count i = static_cast<Count>(blockIdx.x) * blockDim.x + threadIdx.x;
       i < count; i += step) {
    sum = op(sum, values[i]);
  }
  sum = block_reduce(sum, op);
  if (threadIdx.x == 0) results[blockIdx.x] = sum;
}

template <typename T, typename Op>
void reduce(const void* values, Count count, void* result, Op op) {
  const Stream stream;
  const DeviceArray<T> source(stream, static_cast<const T*>(values), count);
  const unsigned blocks = blocks_for(count);
  const DeviceArray<T> partial(stream, blocks);
  const DeviceArray<T> target(stream, 1);
  const T identity = Op::template identity<T>();
  reduce_kernel<<<blocks, kThreads, 0, stream.get()>>>(
      source.get(), count, identity, op, partial.get());
  check_launch();
  reduce_kernel<<<1, kThreads, 0, stream.get()>>>(
      partial.get(), static_cast<Count>(blocks), identity, op, target.get());
  check_launch();
  target.copy_to(static_cast<T*>(result));
  stream.synchronize();
}

// Four at a time, and the rest by the first threads. The sum is a double's.
__global__ void sum_vectorized_kernel(const float* __restrict__ values,
                                      Count count, double* sum) {
  const auto* vectors = reinterpret_cast<const float4*>(values);
  const Count step = static_cast<Count>(gridDim.x) * blockDim.x;
  const Count first = static_cast<Count>(blockIdx.x) * blockDim.x + threadIdx.x;
  double mine = 0;
  for (Count i = first; i < count / 4; i += step) {
    const float4 v = __ldg(vectors + i);
    mine += static_cast<double>(v.x) + v.y + v.z + v.w;
  }
  if (first < count % 4) mine += values[count - 1 - first];
  mine = block_reduce(mine, Sum{});
  if (threadIdx.x == 0) atomicAdd(sum, mine);
}

// Transformations: one without a member, one with.
struct Identity {
  __device__ double operator()(double value) const { return value; }
};
struct SquareOfDifference {
  double mean;
  __device__ double operator()(double value) const {
    return (value - mean) * (value - mean);
  }
};

template <typename Transform>
__global__ void transformed_sum_kernel(const float* values, Count count,
                                       Transform transform, double* sum) {
  double mine = 0;
  const Count step = static_cast<Count>(gridDim.x) * blockDim.x;
  for (Count i = static_cast<Count>(blockIdx.x) * blockDim.x + threadIdx.x;
       i < count; i += step) {
    mine += transform(static_cast<double>(values[i]));
  }
  mine = block_reduce(mine, Sum{});
  if (threadIdx.x == 0) atomicAdd(sum, mine);
}

template <typename Transform>
double transformed_sum(const Stream& stream, const DeviceArray<float>& values,
                       Transform transform) {
  DeviceArray<double> sum(stream, 1);
  sum.zero();
  transformed_sum_kernel<<<blocks_for(values.size()), kThreads, 0,
                           stream.get()>>>(values.get(), values.size(),
                                           transform, sum.get());
  check_launch();
  double result = 0;
  sum.copy_to(&result);
  stream.synchronize();
  return result;
}

struct Candidate {
  float value;
  int index;
};

// The larger value wins, then the lower index; -1 is no index at all.
__device__ Candidate better(Candidate a, Candidate b) {
  if (b.index < 0) return a;
  if (a.index < 0) return b;
  if (a.value == b.value) return a.index < b.index ? a : b;
  return a.value > b.value ? a : b;
}

__global__ void arg_max_kernel(const float* values, int count, int* result) {
  extern __shared__ Candidate candidates[];
  Candidate best{0, -1};
  for (int i = static_cast<int>(threadIdx.x); i < count;
       i += static_cast<int>(blockDim.x)) {
    best = better(best, Candidate{values[i], i});
  }
  candidates[threadIdx.x] = best;
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) {
      candidates[threadIdx.x] =
          better(candidates[threadIdx.x], candidates[threadIdx.x + half]);
    }
  }
  if (threadIdx.x == 0) *result = candidates[0].index;
}

// A warp sums a segment.
__global__ void segmented_sum_kernel(const float* __restrict__ values,
                                     const int* __restrict__ offsets,
                                     Count segments, float* __restrict__ sums) {
  const Count segment = static_cast<Count>(blockIdx.x) * warps() + warp();
  if (segment >= segments) return;  // The whole warp does.
  float sum = 0;
  for (int i = offsets[segment] + lane(); i < offsets[segment + 1];
       i += warpSize) {
    sum += values[i];
  }
  sum = warp_reduce(sum, Sum{});
  if (lane() == 0) sums[segment] = sum;
}

}  // namespace
}  // namespace parity

using namespace parity;

int parity_reduce(Count operation, Count element, const void* values,
                  Count count, void* result) {
  return guarded([&] {
    with_number(element, [&](auto type) {
      using T = typename decltype(type)::type;
      switch (operation) {
        case 0:
          return reduce<T>(values, count, result, Sum{});
        case 1:
          return reduce<T>(values, count, result, Product{});
        case 2:
          return reduce<T>(values, count, result, Minimum{});
        case 3:
          return reduce<T>(values, count, result, Maximum{});
        default:
          throw Failure{cudaErrorInvalidValue};
      }
    });
  });
}

int parity_sum_vectorized(const float* values, Count count, double* result) {
  return guarded([&] {
    const Stream stream;
    const DeviceArray<float> source(stream, values, count);
    DeviceArray<double> sum(stream, 1);
    sum.zero();
    sum_vectorized_kernel<<<blocks_for(divided_up(count, 4)), kThreads, 0,
                            stream.get()>>>(source.get(), count, sum.get());
    check_launch();
    sum.copy_to(result);
    stream.synchronize();
  });
}

int parity_variance(const float* values, Count count, double* result) {
  return guarded([&] {
    const Stream stream;
    const DeviceArray<float> source(stream, values, count);
    const double number = static_cast<double>(count);
    const double mean = transformed_sum(stream, source, Identity{}) / number;
    *result =
        transformed_sum(stream, source, SquareOfDifference{mean}) / number;
  });
}

int parity_arg_max(const float* values, Count count, int* result) {
  return guarded([&] {
    const Stream stream;
    const DeviceArray<float> source(stream, values, count);
    const DeviceArray<int> target(stream, 1);
    arg_max_kernel<<<1, kThreads, kThreads * sizeof(Candidate), stream.get()>>>(
        source.get(), static_cast<int>(count), target.get());
    check_launch();
    target.copy_to(result);
    stream.synchronize();
  });
}

int parity_segmented_sum(const float* values, Count count, const int* offsets,
                         Count segments, float* sums) {
  return guarded([&] {
    const Stream stream;
    const DeviceArray<float> source(stream, values, count);
    const DeviceArray<int> limits(stream, offsets, segments + 1);
    const DeviceArray<float> target(stream, segments);
    segmented_sum_kernel<<<blocks_of_warps_for(segments), kThreads, 0,
                           stream.get()>>>(source.get(), limits.get(), segments,
                                           target.get());
    check_launch();
    target.copy_to(sums);
    stream.synchronize();
  });
}
