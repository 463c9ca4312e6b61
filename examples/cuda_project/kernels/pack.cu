// Narrow copies of float32 weights, and sums of half vectors.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>

#include "tidepool/launch.cuh"
#include "tidepool/statistics.h"

namespace tidepool {
namespace {

struct HalfPair {
  using Scalar = __half;
  using Vector = __half2;
  static __device__ Vector narrow(float2 value) {
    return __float22half2_rn(value);
  }
  static __device__ Scalar narrow(float value) {
    return __float2half_rn(value);
  }
};

struct BfloatPair {
  using Scalar = __nv_bfloat16;
  using Vector = __nv_bfloat162;
  static __device__ Vector narrow(float2 value) {
    return __float22bfloat162_rn(value);
  }
  static __device__ Scalar narrow(float value) {
    return __float2bfloat16(value);
  }
};

template <typename Format>
__global__ void __launch_bounds__(kThreads)
    pack_kernel(const float* __restrict__ source,
                typename Format::Scalar* __restrict__ target, std::size_t count,
                float scale) {
  auto* pairs = reinterpret_cast<typename Format::Vector*>(target);
  const auto* inputs = reinterpret_cast<const float2*>(source);
  const std::size_t pair_count = count / 2;
  const std::size_t step = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  const std::size_t thread =
      static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  for (std::size_t i = thread; i < pair_count; i += step) {
    const float2 pair = __ldg(&inputs[i]);
    pairs[i] = Format::narrow(make_float2(pair.x * scale, pair.y * scale));
  }
  if (thread == 0 && count % 2 != 0) {
    target[count - 1] = Format::narrow(source[count - 1] * scale);
  }
}

union HalfWord {
  unsigned word;
  __half2_raw pair;
};

// Adds a pair of halves with one 32-bit exchange, for targets that several
// blocks write.
__device__ void add_pair(unsigned* target, __half2 increment) {
  unsigned seen = *target;
  unsigned assumed;
  do {
    assumed = seen;
    HalfWord current;
    current.word = assumed;
    HalfWord next;
    next.pair = __hadd2(__half2(current.pair), increment);
    seen = atomicCAS(target, assumed, next.word);
  } while (seen != assumed);
}

__global__ void __launch_bounds__(kThreads)
    accumulate_kernel(const __half2* __restrict__ source,
                      unsigned* __restrict__ target, std::size_t pairs) {
  const std::size_t step = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  for (std::size_t i =
           static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
       i < pairs; i += step) {
    add_pair(&target[i], source[i]);
  }
}

template <typename Format>
void pack(const float* source, void* target, std::size_t count, float scale,
          cudaStream_t stream) {
  if (count == 0) return;
  const int grid = grid_for(pack_kernel<Format>, count / 2 + 1);
  TIDEPOOL_LAUNCH(pack_kernel<Format>, grid, 0, stream, source,
                  static_cast<typename Format::Scalar*>(target), count, scale);
}

}  // namespace

void pack_half(const float* source, void* target, std::size_t count,
               float scale, cudaStream_t stream) {
  pack<HalfPair>(source, target, count, scale, stream);
}

void pack_bfloat16(const float* source, void* target, std::size_t count,
                   float scale, cudaStream_t stream) {
  pack<BfloatPair>(source, target, count, scale, stream);
}

void accumulate_half(const void* source, void* target, std::size_t count,
                     cudaStream_t stream) {
  if (count % 2 != 0) {
    throw GpuError("half vectors are summed in pairs, got a length of " +
                   std::to_string(count));
  }
  TIDEPOOL_LAUNCH(accumulate_kernel, grid_for(accumulate_kernel, count / 2), 0,
                  stream, static_cast<const __half2*>(source),
                  static_cast<unsigned*>(target), count / 2);
}

}  // namespace tidepool
