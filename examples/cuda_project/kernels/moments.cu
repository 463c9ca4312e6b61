// Sum, square sum, extremes and the number of values that are not finite.
#include <math_constants.h>

#include "tidepool/convert.cuh"
#include "tidepool/device_buffer.h"
#include "tidepool/lanes.cuh"
#include "tidepool/launch.cuh"
#include "tidepool/statistics.h"

namespace tidepool {
namespace {

// Floats whose bit patterns sort like the numbers, for integer atomics.
__device__ __forceinline__ int sortable(float value) {
  const int bits = __float_as_int(value);
  return bits >= 0 ? bits : bits ^ 0x7fffffff;
}

__device__ __forceinline__ float unsortable(int key) {
  return __int_as_float(key >= 0 ? key : key ^ 0x7fffffff);
}

struct Accumulator {
  double sum;
  double sum_of_squares;
  int minimum;
  int maximum;
  unsigned long long not_finite;
  unsigned finished_blocks;
};

__global__ void reset_kernel(Accumulator* total) {
  total->sum = 0;
  total->sum_of_squares = 0;
  total->minimum = sortable(CUDART_INF_F);
  total->maximum = sortable(-CUDART_INF_F);
  total->not_finite = 0;
  total->finished_blocks = 0;
}

// Each thread reads `Items` values per step; the last block writes `result`.
template <typename T, int Items>
__global__ void __launch_bounds__(kThreads)
    moments_kernel(const T* __restrict__ data, std::size_t count,
                   Accumulator* total, Moments* result) {
  double sum = 0;
  double squares = 0;
  float low = CUDART_INF_F;
  float high = -CUDART_INF_F;
  unsigned long long strange = 0;
  const std::size_t step = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  const std::size_t thread =
      static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  for (std::size_t start = thread * Items; start < count;
       start += step * Items) {
#pragma unroll
    for (int item = 0; item < Items; ++item) {
      if (start + item >= count) break;
      const float value = to_float(data[start + item]);
      if (!isfinite(value)) {
        ++strange;
        continue;
      }
      sum += value;
      squares += static_cast<double>(value) * value;
      low = fminf(low, value);
      high = fmaxf(high, value);
    }
  }

  sum = block_reduce(sum, 0.0, Sum());
  squares = block_reduce(squares, 0.0, Sum());
  low = block_reduce(low, CUDART_INF_F, Minimum());
  high = block_reduce(high, -CUDART_INF_F, Maximum());
  strange = block_reduce(strange, 0ull, Sum());
  if (threadIdx.x != 0) return;

  atomicAdd(&total->sum, sum);
  atomicAdd(&total->sum_of_squares, squares);
  atomicMin(&total->minimum, sortable(low));
  atomicMax(&total->maximum, sortable(high));
  atomicAdd(&total->not_finite, strange);
  __threadfence();
  if (atomicInc(&total->finished_blocks, gridDim.x - 1) == gridDim.x - 1) {
    __threadfence();
    result->sum = total->sum;
    result->sum_of_squares = total->sum_of_squares;
    result->minimum = unsortable(total->minimum);
    result->maximum = unsortable(total->maximum);
    result->not_finite = total->not_finite;
  }
}

}  // namespace

Moments moments(const TensorView& tensor, cudaStream_t stream) {
  DeviceBuffer<Accumulator> total(1, stream);
  PinnedBuffer result(sizeof(Moments));
  auto* mapped = static_cast<Moments*>(result.device());
  reset_kernel<<<1, 1, 0, stream>>>(total.data());
  TIDEPOOL_DISPATCH(tensor.dtype, {
    const auto* data = static_cast<const scalar_t*>(tensor.data);
    constexpr int kItems = 16 / sizeof(scalar_t);
    const int grid =
        grid_for(moments_kernel<scalar_t, kItems>, tensor.count / kItems + 1);
    TIDEPOOL_LAUNCH((moments_kernel<scalar_t, kItems>), grid, 0, stream, data,
                    tensor.count, total.data(), mapped);
  });
  TIDEPOOL_CHECK(cudaStreamSynchronize(stream));
  return *static_cast<const Moments*>(result.host());
}

}  // namespace tidepool
