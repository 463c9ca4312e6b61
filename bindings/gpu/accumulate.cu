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

// The type in which elements are summed, and the way there and back.
template <typename T>
struct Wide {
  using Type = T;
  static __device__ T from(T value) { return value; }
  static __device__ T to(T value) { return value; }
};

template <>
struct Wide<__half> {
  using Type = float;
  static __device__ float from(__half value) { return __half2float(value); }
  static __device__ __half to(float value) { return __float2half(value); }
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
};

template <typename T>
struct Sources {
  const T* at[kMaxSources];
  int count;
};

template <typename T>
__global__ void accumulate_kernel(T* target, Sources<T> sources,
                                  typename Wide<T>::Type scale,
                                  std::size_t count) {
  const std::size_t step = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  for (std::size_t i =
           static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
       i < count; i += step) {
    typename Wide<T>::Type sum = Wide<T>::from(target[i]);
    for (int source = 0; source < sources.count; ++source) {
      sum += Wide<T>::from(sources.at[source][i]);
    }
    target[i] = Wide<T>::to(sum * scale);
  }
}

template <typename T>
void run(std::uintptr_t target, const std::vector<std::uintptr_t>& addresses,
         double scale, std::size_t count, const Stream& stream) {
  Sources<T> sources{};
  for (const std::uintptr_t address : addresses) {
    sources.at[sources.count++] = reinterpret_cast<const T*>(address);
  }
  launch(accumulate_kernel<T>, blocks_for(count), stream,
         reinterpret_cast<T*>(target), sources,
         static_cast<typename Wide<T>::Type>(scale), count);
}

}  // namespace

void accumulate(std::uintptr_t target,
                const std::vector<std::uintptr_t>& sources, double scale,
                Element element, std::size_t count, const Stream& stream) {
  if (sources.size() > kMaxSources) {
    throw std::invalid_argument(
        std::to_string(sources.size()) + " sources in one launch; at most " +
        std::to_string(kMaxSources) + " fit, so accumulate them in turn");
  }
  switch (element) {
    case Element::kFloat32:
      return run<float>(target, sources, scale, count, stream);
    case Element::kFloat64:
      return run<double>(target, sources, scale, count, stream);
    case Element::kFloat16:
      return run<__half>(target, sources, scale, count, stream);
    case Element::kBfloat16:
      return run<__nv_bfloat16>(target, sources, scale, count, stream);
  }
}

}  // namespace eclosion::gpu
