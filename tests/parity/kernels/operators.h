// What reductions and scans combine elements with.
#pragma once

#include <cuda_runtime.h>

#include <limits>

namespace parity {

struct Sum {
  template <typename T>
  __host__ __device__ T operator()(T a, T b) const {
    return a + b;
  }
  template <typename T>
  static T identity() {
    return T(0);
  }
};

struct Product {
  template <typename T>
  __host__ __device__ T operator()(T a, T b) const {
    return a * b;
  }
  template <typename T>
  static T identity() {
    return T(1);
  }
};

// Of a number and what is none, the number.
struct Minimum {
  template <typename T>
  __host__ __device__ T operator()(T a, T b) const {
    return b < a || a != a ? b : a;
  }
  template <typename T>
  static T identity() {
    using Limits = std::numeric_limits<T>;
    return Limits::has_infinity ? Limits::infinity() : Limits::max();
  }
};

struct Maximum {
  template <typename T>
  __host__ __device__ T operator()(T a, T b) const {
    return a < b || a != a ? b : a;
  }
  template <typename T>
  static T identity() {
    using Limits = std::numeric_limits<T>;
    return Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
  }
};

}  // namespace parity
