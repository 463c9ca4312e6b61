// The fused sum and scale: each element is read once from every source and
// written once.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <stdexcept>
#include <string>

#include "kernels.h"
#include "launch.h"

namespace eclosion::gpu {
namespace {

// The type in which elements are summed, and the way there and back. `nan`: the
// element for what is no number; devices differ in which of them they make.
template <typename T>
struct Wide;

template <>
struct Wide<float> {
  using Type = float;
  static __device__ float from(float value) { return value; }
  static __device__ float to(float value) { return value; }
  static __device__ float nan() { return __uint_as_float(0x7FC00000U); }
};

template <>
struct Wide<double> {
  using Type = double;
  static __device__ double from(double value) { return value; }
  static __device__ double to(double value) { return value; }
  static __device__ double nan() {
    return __longlong_as_double(0x7FF8000000000000LL);
  }
};

template <>
struct Wide<__half> {
  using Type = float;
  static __device__ float from(__half value) { return __half2float(value); }
  static __device__ __half to(float value) { return __float2half(value); }
  static __device__ __half nan() { return __ushort_as_half(0x7E00U); }
};

template <>
struct Wide<__nv_bfloat16> {
  using Type = float;
  static __device__ float from(__nv_bfloat16 value) {
    return __bfloat162float(value);
  }
  static __device__ __nv_bfloat16 to(float value) {
    return __float2bfloat16(value);
  }
  static __device__ __nv_bfloat16 nan() {
    return __ushort_as_bfloat16(0x7FC0U);
  }
};

// Addresses that go with the launch.
template <typename T>
struct Few {
  const T* at[kMaxSources];
};

// Addresses in memory of the device.
template <typename T>
struct Many {
  const T* const* at;
};

template <typename T, typename Sources>
__global__ void accumulate_kernel(T* target, Sources sources,
                                  std::size_t number,
                                  typename Wide<T>::Type scale,
                                  std::size_t count) {
  const std::size_t step = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  for (std::size_t i =
           static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
       i < count; i += step) {
    typename Wide<T>::Type sum = Wide<T>::from(target[i]);
    for (std::size_t source = 0; source < number; ++source) {
      sum += Wide<T>::from(sources.at[source][i]);
    }
    sum *= scale;
    target[i] = sum != sum ? Wide<T>::nan() : Wide<T>::to(sum);
  }
}

template <typename T, typename Sources>
void run(std::uintptr_t target, Sources sources, std::size_t number,
         double scale, std::size_t count, const Stream& stream) {
  launch(accumulate_kernel<T, Sources>, blocks_for(count), stream,
         reinterpret_cast<T*>(target), sources, number,
         static_cast<typename Wide<T>::Type>(scale), count);
}

template <typename T>
Few<T> few(const std::vector<std::uintptr_t>& addresses) {
  Few<T> sources{};
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    sources.at[i] = reinterpret_cast<const T*>(addresses[i]);
  }
  return sources;
}

template <typename T>
Many<T> many(const std::uint64_t* table) {
  return {reinterpret_cast<const T* const*>(table)};
}

}  // namespace

void accumulate(std::uintptr_t target,
                const std::vector<std::uintptr_t>& sources, double scale,
                Element element, std::size_t count, const Stream& stream) {
  const std::size_t number = sources.size();
  if (number > kMaxSources) {
    throw std::invalid_argument(
        std::to_string(number) + " addresses with one launch; at most " +
        std::to_string(kMaxSources) + " fit, so make a table of them");
  }
  switch (element) {
    case Element::kFloat32:
      return run<float>(target, few<float>(sources), number, scale, count,
                        stream);
    case Element::kFloat64:
      return run<double>(target, few<double>(sources), number, scale, count,
                         stream);
    case Element::kFloat16:
      return run<__half>(target, few<__half>(sources), number, scale, count,
                         stream);
    case Element::kBfloat16:
      return run<__nv_bfloat16>(target, few<__nv_bfloat16>(sources), number,
                                scale, count, stream);
  }
}

void accumulate_many(std::uintptr_t target, const std::uint64_t* table,
                     std::size_t number, double scale, Element element,
                     std::size_t count, const Stream& stream) {
  switch (element) {
    case Element::kFloat32:
      return run<float>(target, many<float>(table), number, scale, count,
                        stream);
    case Element::kFloat64:
      return run<double>(target, many<double>(table), number, scale, count,
                         stream);
    case Element::kFloat16:
      return run<__half>(target, many<__half>(table), number, scale, count,
                         stream);
    case Element::kBfloat16:
      return run<__nv_bfloat16>(target, many<__nv_bfloat16>(table), number,
                                scale, count, stream);
  }
}

}  // namespace eclosion::gpu
