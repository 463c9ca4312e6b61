// The element types of the entry points, by number, and the floats that narrow
// ones are calculated in.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include "device_array.h"

namespace parity {

// The numbers are those of ELEMENTS in kernel_library.py.
enum Element : Count {
  kInt32 = 0,
  kUint32 = 1,
  kInt64 = 2,
  kFloat32 = 3,
  kFloat64 = 4,
  kFloat16 = 5,
  kBfloat16 = 6,
  kUint64 = 7,
};

// A type as a value, for the argument of a generic lambda.
template <typename T>
struct Type {
  using type = T;
};

template <typename Body>
void with_number(Count element, Body body) {
  switch (element) {
    case kInt32:
      return body(Type<int>{});
    case kUint32:
      return body(Type<unsigned>{});
    case kInt64:
      return body(Type<long long>{});
    case kFloat32:
      return body(Type<float>{});
    case kFloat64:
      return body(Type<double>{});
    default:
      throw Failure{cudaErrorInvalidValue};
  }
}

template <typename Body>
void with_narrow(Count element, Body body) {
  switch (element) {
    case kFloat32:
      return body(Type<float>{});
    case kFloat16:
      return body(Type<__half>{});
    case kBfloat16:
      return body(Type<__nv_bfloat16>{});
    default:
      throw Failure{cudaErrorInvalidValue};
  }
}

__device__ inline float widened(float value) { return value; }
__device__ inline float widened(__half value) { return __half2float(value); }
__device__ inline float widened(__nv_bfloat16 value) {
  return __bfloat162float(value);
}

template <typename T>
__device__ T narrowed(float value);
template <>
__device__ inline float narrowed<float>(float value) {
  return value;
}
template <>
__device__ inline __half narrowed<__half>(float value) {
  return __float2half(value);
}
template <>
__device__ inline __nv_bfloat16 narrowed<__nv_bfloat16>(float value) {
  return __float2bfloat16(value);
}

}  // namespace parity
