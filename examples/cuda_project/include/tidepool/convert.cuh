// Element types of tensors and how to read them as float.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "tidepool/statistics.h"

namespace tidepool {

__device__ __forceinline__ float to_float(float value) { return value; }
__device__ __forceinline__ float to_float(__half value) {
  return __half2float(value);
}
__device__ __forceinline__ float to_float(__nv_bfloat16 value) {
  return __bfloat162float(value);
}

}  // namespace tidepool

// Runs the statement with `scalar_t` bound to the element type.
#define TIDEPOOL_DISPATCH(dtype, ...)      \
  do {                                     \
    switch (dtype) {                       \
      case ::tidepool::Dtype::kFloat32: {  \
        using scalar_t = float;            \
        __VA_ARGS__;                       \
        break;                             \
      }                                    \
      case ::tidepool::Dtype::kFloat16: {  \
        using scalar_t = __half;           \
        __VA_ARGS__;                       \
        break;                             \
      }                                    \
      case ::tidepool::Dtype::kBfloat16: { \
        using scalar_t = __nv_bfloat16;    \
        __VA_ARGS__;                       \
        break;                             \
      }                                    \
    }                                      \
  } while (0)
