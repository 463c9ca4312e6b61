// Functions of the device's library: mathematics in two precisions, the bits of
// integers, and conversions in every rounding.
#include "elements.h"
#include "kernels.h"

namespace parity {
namespace {

// Columns of the results, in the order of FUNCTIONS in
// test_kernels_functions.py.
__global__ void mathematics_kernel(const double* values, Count count,
                                   double* to) {
  const Count i = static_cast<Count>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const double x = values[i];
  const double results[] = {
      exp(x),        expm1(x),      log1p(x),    sin(x),       cos(x),
      tan(x),        asinh(x),      atan(x),     tanh(x),      erf(x),
      erfc(x),       tgamma(x),     lgamma(x),   cbrt(x),      rsqrt(x),
      normcdf(x),    j0(x),         sinpi(x),    exp2(x),      log2(x),
      hypot(x, 3.0), atan2(x, 2.0), pow(x, 1.5), fmod(x, 0.75)};
  constexpr int kFunctions = sizeof(results) / sizeof(results[0]);
  for (int k = 0; k < kFunctions; ++k) to[k * count + i] = results[k];
}

__global__ void float_mathematics_kernel(const float* values, Count count,
                                         float* to) {
  const Count i = static_cast<Count>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const float x = values[i];
  float sine = 0;
  float cosine = 0;
  sincosf(x, &sine, &cosine);
  const float results[] = {expf(x),   log1pf(x), sine,          cosine,
                           tanhf(x),  erff(x),   rsqrtf(x),     cbrtf(x),
                           __expf(x), __logf(x), __sinf(x),     __cosf(x),
                           exp2f(x),  log2f(x),  powf(x, 1.5F), sqrtf(x)};
  constexpr int kFunctions = sizeof(results) / sizeof(results[0]);
  for (int k = 0; k < kFunctions; ++k) to[k * count + i] = results[k];
}

__global__ void bits_kernel(const unsigned* values, Count count, unsigned* to) {
  const Count i = static_cast<Count>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const unsigned x = values[i];
  const unsigned y = values[count - 1 - i];
  const unsigned long long wide = static_cast<unsigned long long>(x) << 32 | y;
  const unsigned results[] = {
      static_cast<unsigned>(__popc(x)),
      static_cast<unsigned>(__clz(static_cast<int>(x))),
      static_cast<unsigned>(__ffs(static_cast<int>(x))),
      __brev(x),
      __byte_perm(x, y, 0x5140U),
      __umulhi(x, y),
      __funnelshift_l(x, y, 11),
      __funnelshift_r(x, y, 7),
      static_cast<unsigned>(__popcll(wide)),
      static_cast<unsigned>(__clzll(static_cast<long long>(wide))),
      static_cast<unsigned>(__ffsll(static_cast<long long>(wide))),
      static_cast<unsigned>(__brevll(wide) >> 32),
      static_cast<unsigned>(__umul24(x, y)),
      __sad(static_cast<int>(x), static_cast<int>(y), 3U)};
  constexpr int kFunctions = sizeof(results) / sizeof(results[0]);
  for (int k = 0; k < kFunctions; ++k) to[k * count + i] = results[k];
}

// Numbers of other types with the same bits, and products whose sign shows once
// they are widened. Every lane of a warp is here.
__global__ void reinterpreting_kernel(const unsigned* values, Count count,
                                      unsigned* to) {
  const Count i = static_cast<Count>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const unsigned x = values[i];
  const unsigned y = values[count - 1 - i];
  const __nv_bfloat16 number =
      __ushort_as_bfloat16(static_cast<unsigned short>(x));
  const __nv_bfloat16 same = __short_as_bfloat16(static_cast<short>(x));
  const __nv_bfloat16 beside = __shfl_xor_sync(0xFFFFFFFFU, number, 1);
  const unsigned results[] = {
      __float_as_uint(__bfloat162float(number)),
      __bfloat16_as_ushort(number),
      static_cast<unsigned>(__bfloat16_as_short(same)),
      __bfloat16_as_ushort(beside),
      static_cast<unsigned>(static_cast<long long>(__umul24(x, y)) >> 32),
      static_cast<unsigned>(static_cast<long long>(__umul24(x, y)) / 3),
      __umul24(x, y) < 1 ? 1U : 0U};
  constexpr int kFunctions = sizeof(results) / sizeof(results[0]);
  for (int k = 0; k < kFunctions; ++k) to[k * count + i] = results[k];
}

// Counts and places of bits, where it shows that they are signed.
__global__ void counting_kernel(const unsigned* values, Count count,
                                long long* to) {
  const Count i = static_cast<Count>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const unsigned x = values[i];
  const unsigned y = values[count - 1 - i];
  const unsigned long long wide = static_cast<unsigned long long>(x) << 32 | y;
  const int below = -static_cast<int>(y & 7U);
  const auto deduced = __popc(x);
  const long long results[] = {__popc(x) - __popc(y),
                               __popc(x) - __popc(y) < 0 ? 1 : 0,
                               (__popc(x) - 20) / 3,
                               -__popcll(wide),
                               below < __popcll(wide) ? 1 : 0,
                               (x & 1U) != 0 ? __popc(y) : -1,
                               below - deduced,
                               __ffs(static_cast<int>(x)) - 4,
                               (__ffsll(static_cast<long long>(wide)) - 4) * 5,
                               below * __ffs(static_cast<int>(x)) / 2};
  constexpr int kFunctions = sizeof(results) / sizeof(results[0]);
  for (int k = 0; k < kFunctions; ++k) to[k * count + i] = results[k];
}

__global__ void rounding_kernel(const float* values, Count count, int* to) {
  const Count i = static_cast<Count>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const float x = values[i];
  const int results[] = {
      __float2int_rn(x),           __float2int_rz(x),
      __float2int_ru(x),           __float2int_rd(x),
      __float_as_int(x),           static_cast<int>(lrintf(x)),
      static_cast<int>(roundf(x)), static_cast<int>(truncf(x))};
  constexpr int kFunctions = sizeof(results) / sizeof(results[0]);
  for (int k = 0; k < kFunctions; ++k) to[k * count + i] = results[k];
}

// To a narrow type and back.
template <typename T>
__global__ void narrowing_kernel(const float* values, Count count, T* narrow,
                                 float* back) {
  const Count i = static_cast<Count>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= count) return;
  narrow[i] = narrowed<T>(values[i]);
  back[i] = widened(narrow[i]);
}

template <typename T>
void narrow(const float* values, Count count, void* to, float* back) {
  const Stream stream;
  const DeviceArray<float> source(stream, values, count);
  const DeviceArray<T> target(stream, count);
  const DeviceArray<float> widened_again(stream, count);
  narrowing_kernel<T>
      <<<divided_up(count, kThreads), kThreads, 0, stream.get()>>>(
          source.get(), count, target.get(), widened_again.get());
  check_launch();
  target.copy_to(static_cast<T*>(to));
  widened_again.copy_to(back);
  stream.synchronize();
}

template <typename From, typename To, typename Kernel>
int apply(Kernel kernel, Count functions, const From* values, Count count,
          To* to) {
  return guarded([&] {
    const Stream stream;
    const DeviceArray<From> source(stream, values, count);
    const DeviceArray<To> target(stream, functions * count);
    kernel<<<divided_up(count, kThreads), kThreads, 0, stream.get()>>>(
        source.get(), count, target.get());
    check_launch();
    target.copy_to(to);
    stream.synchronize();
  });
}

}  // namespace
}  // namespace parity

using namespace parity;

int parity_mathematics(Count functions, const double* values, Count count,
                       double* to) {
  return apply(mathematics_kernel, functions, values, count, to);
}

int parity_float_mathematics(Count functions, const float* values, Count count,
                             float* to) {
  return apply(float_mathematics_kernel, functions, values, count, to);
}

int parity_bits(Count functions, const unsigned* values, Count count,
                unsigned* to) {
  return apply(bits_kernel, functions, values, count, to);
}

int parity_reinterpreting(Count functions, const unsigned* values, Count count,
                          unsigned* to) {
  return apply(reinterpreting_kernel, functions, values, count, to);
}

int parity_counting(Count functions, const unsigned* values, Count count,
                    long long* to) {
  return apply(counting_kernel, functions, values, count, to);
}

int parity_rounding(Count functions, const float* values, Count count,
                    int* to) {
  return apply(rounding_kernel, functions, values, count, to);
}

int parity_narrowing(Count element, const float* values, Count count, void* to,
                     float* back) {
  return guarded([&] {
    switch (element) {
      case kFloat16:
        return narrow<__half>(values, count, to, back);
      case kBfloat16:
        return narrow<__nv_bfloat16>(values, count, to, back);
      default:
        throw Failure{cudaErrorInvalidValue};
    }
  });
}
