// Normalisation of rows: layernorm with Welford's moments, RMSnorm with vector
// loads, and the gradients of layernorm.
#include "elements.h"
#include "kernels.h"
#include "operators.h"
#include "warp.cuh"

namespace parity {
namespace {

// Count, mean and squared distance of some values.
struct Moments {
  float count = 0;
  float mean = 0;
  float squares = 0;

  __device__ void add(float value) {
    count += 1;
    const float delta = value - mean;
    mean += delta / count;
    squares += delta * (value - mean);
  }
  __device__ void add(const Moments& other) {
    if (other.count == 0) return;
    const float all = count + other.count;
    const float delta = other.mean - mean;
    mean += delta * other.count / all;
    squares += other.squares + delta * delta * count * other.count / all;
    count = all;
  }
};

__device__ Moments warp_moments(Moments mine) {
  for (int distance = warpSize / 2; distance > 0; distance /= 2) {
    Moments other;
    other.count = __shfl_xor_sync(kFullMask, mine.count, distance);
    other.mean = __shfl_xor_sync(kFullMask, mine.mean, distance);
    other.squares = __shfl_xor_sync(kFullMask, mine.squares, distance);
    mine.add(other);
  }
  return mine;
}

__device__ Moments block_moments(Moments mine) {
  __shared__ float shared[3][kMaxWarps];
  mine = warp_moments(mine);
  if (lane() == 0) {
    shared[0][warp()] = mine.count;
    shared[1][warp()] = mine.mean;
    shared[2][warp()] = mine.squares;
  }
  __syncthreads();
  Moments all;
  for (int i = 0; i < warps(); ++i) {
    Moments other;
    other.count = shared[0][i];
    other.mean = shared[1][i];
    other.squares = shared[2][i];
    all.add(other);
  }
  return all;
}

template <typename T>
__global__ void __launch_bounds__(kThreads)
    layernorm_kernel(const T* __restrict__ from, const float* __restrict__ gain,
                     const float* __restrict__ shift, T* __restrict__ to,
                     float* __restrict__ means, float* __restrict__ scales,
                     int columns, float epsilon) {
  const Count start = static_cast<Count>(blockIdx.x) * columns;
  Moments mine;
  for (int i = static_cast<int>(threadIdx.x); i < columns; i += kThreads) {
    mine.add(widened(from[start + i]));
  }
  const Moments all = block_moments(mine);
  const float scale = rsqrtf(all.squares / all.count + epsilon);
  if (threadIdx.x == 0) {
    means[blockIdx.x] = all.mean;
    scales[blockIdx.x] = scale;
  }
  for (int i = static_cast<int>(threadIdx.x); i < columns; i += kThreads) {
    const float normal = (widened(from[start + i]) - all.mean) * scale;
    to[start + i] =
        narrowed<T>(fmaf(normal, __ldg(gain + i), __ldg(shift + i)));
  }
}

// Rows of whole vectors.
__global__ void rmsnorm_kernel(const float4* __restrict__ from,
                               const float4* __restrict__ gain,
                               float4* __restrict__ to, int vectors,
                               float epsilon) {
  const float4* row = from + static_cast<Count>(blockIdx.x) * vectors;
  float4* target = to + static_cast<Count>(blockIdx.x) * vectors;
  float sum = 0;
  for (int i = static_cast<int>(threadIdx.x); i < vectors; i += kThreads) {
    const float4 v = row[i];
    sum += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
  }
  sum = block_reduce(sum, Sum{});
  const float scale = rsqrtf(sum / static_cast<float>(4 * vectors) + epsilon);
  for (int i = static_cast<int>(threadIdx.x); i < vectors; i += kThreads) {
    const float4 v = row[i];
    const float4 g = gain[i];
    target[i] = make_float4(v.x * scale * g.x, v.y * scale * g.y,
                            v.z * scale * g.z, v.w * scale * g.w);
  }
}

// Gradients of a row's values, and sums over rows for gain and shift.
__global__ void layernorm_backward_kernel(const float* __restrict__ gradient,
                                          const float* __restrict__ from,
                                          const float* __restrict__ gain,
                                          float* __restrict__ to,
                                          float* gain_sums, float* shift_sums,
                                          int columns, float epsilon) {
  const Count start = static_cast<Count>(blockIdx.x) * columns;
  Moments mine;
  for (int i = static_cast<int>(threadIdx.x); i < columns; i += kThreads) {
    mine.add(from[start + i]);
  }
  const Moments all = block_moments(mine);
  const float scale = rsqrtf(all.squares / all.count + epsilon);
  float plain = 0;
  float along = 0;
  for (int i = static_cast<int>(threadIdx.x); i < columns; i += kThreads) {
    const float normal = (from[start + i] - all.mean) * scale;
    const float g = gradient[start + i];
    atomicAdd(&gain_sums[i], g * normal);
    atomicAdd(&shift_sums[i], g);
    plain += g * gain[i];
    along += g * gain[i] * normal;
  }
  plain = block_reduce(plain, Sum{}) / static_cast<float>(columns);
  along = block_reduce(along, Sum{}) / static_cast<float>(columns);
  for (int i = static_cast<int>(threadIdx.x); i < columns; i += kThreads) {
    const float normal = (from[start + i] - all.mean) * scale;
    to[start + i] =
        (gradient[start + i] * gain[i] - plain - normal * along) * scale;
  }
}

}  // namespace
}  // namespace parity

using namespace parity;

int parity_layernorm(Count element, const void* from, const float* gain,
                     const float* shift, void* to, float* means, float* scales,
                     Count rows, Count columns, double epsilon) {
  return guarded([&] {
    with_narrow(element, [&](auto type) {
      using T = typename decltype(type)::type;
      const Stream stream;
      const DeviceArray<T> source(stream, static_cast<const T*>(from),
                                  rows * columns);
      const DeviceArray<float> gains(stream, gain, columns);
      const DeviceArray<float> shifts(stream, shift, columns);
      const DeviceArray<T> target(stream, rows * columns);
      const DeviceArray<float> all_means(stream, rows);
      const DeviceArray<float> all_scales(stream, rows);
      layernorm_kernel<<<static_cast<unsigned>(rows), kThreads, 0,
                         stream.get()>>>(
          source.get(), gains.get(), shifts.get(), target.get(),
          all_means.get(), all_scales.get(), static_cast<int>(columns),
          static_cast<float>(epsilon));
      check_launch();
      target.copy_to(static_cast<T*>(to));
      all_means.copy_to(means);
      all_scales.copy_to(scales);
      stream.synchronize();
    });
  });
}

// `columns` is a multiple of 4.
int parity_rmsnorm(const float* from, const float* gain, float* to, Count rows,
                   Count columns, double epsilon) {
  return guarded([&] {
    if (columns % 4 != 0) throw Failure{cudaErrorInvalidValue};
    const Stream stream;
    const DeviceArray<float> source(stream, from, rows * columns);
    const DeviceArray<float> gains(stream, gain, columns);
    const DeviceArray<float> target(stream, rows * columns);
    rmsnorm_kernel<<<static_cast<unsigned>(rows), kThreads, 0, stream.get()>>>(
        reinterpret_cast<const float4*>(source.get()),
        reinterpret_cast<const float4*>(gains.get()),
        reinterpret_cast<float4*>(target.get()), static_cast<int>(columns / 4),
        static_cast<float>(epsilon));
    check_launch();
    target.copy_to(to);
    stream.synchronize();
  });
}

int parity_layernorm_backward(const float* gradient, const float* from,
                              const float* gain, float* to, float* gain_sums,
                              float* shift_sums, Count rows, Count columns,
                              double epsilon) {
  return guarded([&] {
    const Stream stream;
    const DeviceArray<float> gradients(stream, gradient, rows * columns);
    const DeviceArray<float> source(stream, from, rows * columns);
    const DeviceArray<float> gains(stream, gain, columns);
    const DeviceArray<float> target(stream, rows * columns);
    DeviceArray<float> for_gain(stream, columns);
    DeviceArray<float> for_shift(stream, columns);
    for_gain.zero();
    for_shift.zero();
    layernorm_backward_kernel<<<static_cast<unsigned>(rows), kThreads, 0,
                                stream.get()>>>(
        gradients.get(), source.get(), gains.get(), target.get(),
        for_gain.get(), for_shift.get(), static_cast<int>(columns),
        static_cast<float>(epsilon));
    check_launch();
    target.copy_to(to);
    for_gain.copy_to(gain_sums);
    for_shift.copy_to(shift_sums);
    stream.synchronize();
  });
}
