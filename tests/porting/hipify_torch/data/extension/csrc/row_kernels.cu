// The kernels and the functions that launch them.
#include <ATen/Dispatch.h>
#include <ATen/OpMathType.h>
#include <ATen/cuda/CUDAContext.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/full.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <cuda_fp16.h>

#include "cuda/common.cuh"
#include "rows.h"

// One block per row on the current stream; a name with commas stands in parentheses.
#define ROWOPS_LAUNCH(kernel, rows, bytes, ...)                     \
  do {                                                              \
    const cudaStream_t stream = at::cuda::getCurrentCUDAStream();   \
    kernel<<<rows, rowops::kThreads, bytes, stream>>>(__VA_ARGS__); \
    C10_CUDA_KERNEL_LAUNCH_CHECK();                                 \
  } while (false)

namespace rowops {
namespace {

template <typename scalar_t, bool kKeepsRow>
__global__ void rms_norm_kernel(scalar_t* out, const scalar_t* x, const scalar_t* weight,
                                int columns, float eps) {
  using value_t = at::opmath_type<scalar_t>;
  extern __shared__ __align__(16) unsigned char memory[];
  auto* row = reinterpret_cast<value_t*>(memory);
  __shared__ value_t sums[kWarps];
  __shared__ value_t scale;
  const int64_t start = static_cast<int64_t>(blockIdx.x) * columns;
  value_t squares = 0;
  for (int column = threadIdx.x; column < columns; column += blockDim.x) {
    const value_t value = static_cast<value_t>(x[start + column]);
    if constexpr (kKeepsRow) {
      row[column] = value;
    }
    squares += value * value;
  }
  squares = block_sum(squares, sums);
  if (threadIdx.x == 0) {
    scale = ::rsqrt(squares / columns + static_cast<value_t>(eps));
  }
  __syncthreads();
  for (int column = threadIdx.x; column < columns; column += blockDim.x) {
    const value_t value = kKeepsRow ? row[column] : static_cast<value_t>(x[start + column]);
    out[start + column] =
        static_cast<scalar_t>(value * scale * static_cast<value_t>(weight[column]));
  }
}

// The warp of each row writes its outliers side by side: a lane's place is how many lanes before
// it have one.
template <typename scalar_t>
__global__ void outliers_kernel(int* out, const scalar_t* x, int rows, int columns,
                                float threshold) {
  const int row = blockIdx.x * kWarps + threadIdx.x / kWarp;
  if (row >= rows) {
    return;
  }
  const int lane = threadIdx.x % kWarp;
  const int64_t start = static_cast<int64_t>(row) * columns;
  int found = 0;
  for (int first = 0; first < columns; first += kWarp) {
    const int column = first + lane;
    const bool is_outlier =
        column<columns&& ::fabsf(static_cast<float>(x[start + column]))> threshold;
    const unsigned votes = __ballot_sync(__activemask(), is_outlier);
    if (is_outlier) {
      out[start + found + __popc(votes & ((1u << lane) - 1))] = column;
    }
    found += __popc(votes);
  }
}

// One block per bag, whose rows are those from its offset to the next one's.
__global__ void max_pool_kernel(__half2* out, const __half2* rows, const int64_t* offsets,
                                int pairs) {
  const int64_t first = offsets[blockIdx.x];
  const int64_t last = offsets[blockIdx.x + 1];
  for (int pair = threadIdx.x; pair < pairs; pair += blockDim.x) {
    __half2 most = rows[first * pairs + pair];
    for (int64_t row = first + 1; row < last; ++row) {
      most = __hmax2(most, rows[row * pairs + pair]);
    }
    out[static_cast<int64_t>(blockIdx.x) * pairs + pair] = most;
  }
}

}  // namespace

at::Tensor rms_norm(const at::Tensor& x, const at::Tensor& weight, double eps) {
  const c10::cuda::CUDAGuard guard(x.device());
  at::Tensor out = at::empty_like(x);
  const int columns = static_cast<int>(x.size(1));
  AT_DISPATCH_FLOATING_TYPES_AND2(at::kHalf, at::kBFloat16, x.scalar_type(), "rms_norm", [&] {
    const size_t bytes = columns * sizeof(at::opmath_type<scalar_t>);
    const size_t limit = at::cuda::getCurrentDeviceProperties()->sharedMemPerBlockOptin;
    const auto* from = x.const_data_ptr<scalar_t>();
    auto* to = out.mutable_data_ptr<scalar_t>();
    const auto* by = weight.const_data_ptr<scalar_t>();
    if (bytes <= limit) {
      ROWOPS_CHECK(cudaFuncSetAttribute(rms_norm_kernel<scalar_t, true>,
                                        cudaFuncAttributeMaxDynamicSharedMemorySize,
                                        static_cast<int>(bytes)));
      ROWOPS_LAUNCH((rms_norm_kernel<scalar_t, true>), x.size(0), bytes, to, from, by, columns,
                    static_cast<float>(eps));
    } else {
      ROWOPS_LAUNCH((rms_norm_kernel<scalar_t, false>), x.size(0), 0, to, from, by, columns,
                    static_cast<float>(eps));
    }
  });
  return out;
}

at::Tensor outliers(const at::Tensor& x, double threshold) {
  const c10::cuda::CUDAGuard guard(x.device());
  at::Tensor out = at::full(x.sizes(), -1, x.options().dtype(at::kInt));
  const int rows = static_cast<int>(x.size(0));
  const int blocks = (rows + kWarps - 1) / kWarps;
  AT_DISPATCH_FLOATING_TYPES_AND2(at::kHalf, at::kBFloat16, x.scalar_type(), "outliers", [&] {
    ROWOPS_LAUNCH(outliers_kernel<scalar_t>, blocks, 0, out.mutable_data_ptr<int>(),
                  x.const_data_ptr<scalar_t>(), rows, static_cast<int>(x.size(1)),
                  static_cast<float>(threshold));
  });
  return out;
}

at::Tensor max_pool(const at::Tensor& rows, const at::Tensor& offsets) {
  const c10::cuda::CUDAGuard guard(rows.device());
  const int64_t bags = offsets.size(0) - 1;
  at::Tensor out = at::empty({bags, rows.size(1)}, rows.options());
  ROWOPS_LAUNCH(max_pool_kernel, bags, 0,
                reinterpret_cast<__half2*>(out.mutable_data_ptr<at::Half>()),
                reinterpret_cast<const __half2*>(rows.const_data_ptr<at::Half>()),
                offsets.const_data_ptr<int64_t>(), static_cast<int>(rows.size(1) / 2));
  return out;
}

}  // namespace rowops
