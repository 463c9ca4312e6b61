// Element by element: vectors of four, functors with and without members,
// narrow pairs, complex numbers, and the mathematical functions.
#include "elements.h"
#include "kernels.h"

namespace parity {
namespace {

__global__ void axpy_kernel(float factor, const float* __restrict__ x,
                            float* __restrict__ y, Count count) {
  const Count step = static_cast<Count>(gridDim.x) * blockDim.x;
  for (Count i = static_cast<Count>(blockIdx.x) * blockDim.x + threadIdx.x;
       i < count; i += step) {
    y[i] = fmaf(factor, x[i], y[i]);
  }
}

__global__ void axpy_vectors_kernel(float factor, const float4* __restrict__ x,
                                    float4* __restrict__ y, Count vectors) {
  const Count i = static_cast<Count>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= vectors) return;
  const float4 added = x[i];
  float4 sum = y[i];
  sum.x = fmaf(factor, added.x, sum.x);
  sum.y = fmaf(factor, added.y, sum.y);
  sum.z = fmaf(factor, added.z, sum.z);
  sum.w = fmaf(factor, added.w, sum.w);
  y[i] = sum;
}

struct Rectify {
  __device__ float operator()(float x) const { return x > 0 ? x : 0; }
};
// The approximation by a hyperbolic tangent.
struct Gelu {
  __device__ float operator()(float x) const {
    const float inner = 0.7978845608F * (x + 0.044715F * x * x * x);
    return 0.5F * x * (1.0F + tanhf(inner));
  }
};
struct Silu {
  __device__ float operator()(float x) const {
    return __fdividef(x, 1.0F + __expf(-x));
  }
};
struct Clamp {
  float low;
  float high;
  __device__ float operator()(float x) const {
    return fminf(fmaxf(x, low), high);
  }
};

template <typename T, typename Operation>
__global__ void map_kernel(const T* from, T* to, Count count,
                           Operation operation) {
  const Count i = static_cast<Count>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < count) to[i] = narrowed<T>(operation(widened(from[i])));
}

// a * b + c, two at a time.
__global__ void half_pairs_kernel(const __half2* a, const __half2* b,
                                  const __half2* c, __half2* to, Count pairs) {
  const Count i = static_cast<Count>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < pairs) to[i] = __hfma2(a[i], b[i], c[i]);
}

__global__ void complex_kernel(const float2* a, const float2* b, float2* to,
                               Count count) {
  const Count i = static_cast<Count>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= count) return;
  to[i] = make_float2(a[i].x * b[i].x - a[i].y * b[i].y,
                      a[i].x * b[i].y + a[i].y * b[i].x);
}

template <typename T, typename Operation>
void map(const void* from, void* to, Count count, Operation operation) {
  if (count == 0) return;
  const Stream stream;
  const DeviceArray<T> source(stream, static_cast<const T*>(from), count);
  const DeviceArray<T> target(stream, count);
  map_kernel<<<divided_up(count, kThreads), kThreads, 0, stream.get()>>>(
      source.get(), target.get(), count, operation);
  check_launch();
  target.copy_to(static_cast<T*>(to));
  stream.synchronize();
}

}  // namespace
}  // namespace parity

using namespace parity;

// In vectors of four when `vectors` is not 0; the count is a multiple of 4
// then.
int parity_axpy(double factor, const float* x, float* y, Count count,
                Count vectors) {
  return guarded([&] {
    const Stream stream;
    const DeviceArray<float> added(stream, x, count);
    const DeviceArray<float> target(stream, y, count);
    const float by = static_cast<float>(factor);
    if (vectors == 0) {
      axpy_kernel<<<blocks_for(count), kThreads, 0, stream.get()>>>(
          by, added.get(), target.get(), count);
    } else {
      axpy_vectors_kernel<<<blocks_for(count), kThreads, 0, stream.get()>>>(
          by, reinterpret_cast<const float4*>(added.get()),
          reinterpret_cast<float4*>(target.get()), count / 4);
    }
    check_launch();
    target.copy_to(y);
    stream.synchronize();
  });
}

// 0 max(x, 0), 1 gelu, 2 silu, 3 between -1 and 0.5.
int parity_activation(Count which, Count element, const void* from, void* to,
                      Count count) {
  return guarded([&] {
    with_narrow(element, [&](auto type) {
      using T = typename decltype(type)::type;
      switch (which) {
        case 0:
          return map<T>(from, to, count, Rectify{});
        case 1:
          return map<T>(from, to, count, Gelu{});
        case 2:
          return map<T>(from, to, count, Silu{});
        case 3:
          return map<T>(from, to, count, Clamp{-1.0F, 0.5F});
        default:
          throw Failure{cudaErrorInvalidValue};
      }
    });
  });
}

int parity_half_pairs(const void* a, const void* b, const void* c, void* to,
                      Count pairs) {
  return guarded([&] {
    const Stream stream;
    const DeviceArray<__half2> left(stream, static_cast<const __half2*>(a),
                                    pairs);
    const DeviceArray<__half2> right(stream, static_cast<const __half2*>(b),
                                     pairs);
    const DeviceArray<__half2> added(stream, static_cast<const __half2*>(c),
                                     pairs);
    const DeviceArray<__half2> target(stream, pairs);
    half_pairs_kernel<<<divided_up(pairs, kThreads), kThreads, 0,
                        stream.get()>>>(left.get(), right.get(), added.get(),
                                        target.get(), pairs);
    check_launch();
    target.copy_to(static_cast<__half2*>(to));
    stream.synchronize();
  });
}

int parity_complex_product(const void* a, const void* b, void* to,
                           Count count) {
  return guarded([&] {
    const Stream stream;
    const DeviceArray<float2> left(stream, static_cast<const float2*>(a),
                                   count);
    const DeviceArray<float2> right(stream, static_cast<const float2*>(b),
                                    count);
    const DeviceArray<float2> target(stream, count);
    complex_kernel<<<divided_up(count, kThreads), kThreads, 0, stream.get()>>>(
        left.get(), right.get(), target.get(), count);
    check_launch();
    target.copy_to(static_cast<float2*>(to));
    stream.synchronize();
  });
}
