// The device library's functions by its own names, which the vendor's headers
// and some programs call: __ocml_sin_f32 and its like, in float and double.
// Those that this processor's library lacks are in hip_ocml_special.h.
#pragma once

#include "host_library.h"
#include "qualifiers.h"
#include "rounding.h"

#define ECLOSION_OCML \
  extern "C" inline __attribute__((device, always_inline, nodebug))

// `name` of the device library is `call`, with f behind it for float.
#define ECLOSION_OCML_1(name, call)                                       \
  ECLOSION_OCML float __ocml_##name##_f32(float x) { return call##f(x); } \
  ECLOSION_OCML double __ocml_##name##_f64(double x) { return call(x); }
#define ECLOSION_OCML_2(name, call)                              \
  ECLOSION_OCML float __ocml_##name##_f32(float x, float y) {    \
    return call##f(x, y);                                        \
  }                                                              \
  ECLOSION_OCML double __ocml_##name##_f64(double x, double y) { \
    return call(x, y);                                           \
  }

ECLOSION_OCML_1(acos, ::acos)
ECLOSION_OCML_1(acosh, ::acosh)
ECLOSION_OCML_1(asin, ::asin)
ECLOSION_OCML_1(asinh, ::asinh)
ECLOSION_OCML_1(atan, ::atan)
ECLOSION_OCML_1(atanh, ::atanh)
ECLOSION_OCML_1(cbrt, ::cbrt)
ECLOSION_OCML_1(ceil, ::ceil)
ECLOSION_OCML_1(cos, ::cos)
ECLOSION_OCML_1(cosh, ::cosh)
ECLOSION_OCML_1(erf, ::erf)
ECLOSION_OCML_1(erfc, ::erfc)
ECLOSION_OCML_1(exp, ::exp)
ECLOSION_OCML_1(exp10, ::exp10)
ECLOSION_OCML_1(exp2, ::exp2)
ECLOSION_OCML_1(expm1, ::expm1)
ECLOSION_OCML_1(fabs, ::fabs)
ECLOSION_OCML_1(floor, ::floor)
ECLOSION_OCML_1(j0, ::j0)
ECLOSION_OCML_1(j1, ::j1)
ECLOSION_OCML_1(lgamma, ::lgamma)
ECLOSION_OCML_1(log, ::log)
ECLOSION_OCML_1(log10, ::log10)
ECLOSION_OCML_1(log1p, ::log1p)
ECLOSION_OCML_1(log2, ::log2)
ECLOSION_OCML_1(logb, ::logb)
ECLOSION_OCML_1(nearbyint, ::nearbyint)
ECLOSION_OCML_1(rint, ::rint)
ECLOSION_OCML_1(round, ::round)
ECLOSION_OCML_1(sin, ::sin)
ECLOSION_OCML_1(sinh, ::sinh)
ECLOSION_OCML_1(sqrt, ::sqrt)
ECLOSION_OCML_1(tan, ::tan)
ECLOSION_OCML_1(tanh, ::tanh)
ECLOSION_OCML_1(tgamma, ::tgamma)
ECLOSION_OCML_1(trunc, ::trunc)
ECLOSION_OCML_1(y0, ::y0)
ECLOSION_OCML_1(y1, ::y1)

ECLOSION_OCML_2(atan2, ::atan2)
ECLOSION_OCML_2(copysign, ::copysign)
ECLOSION_OCML_2(fdim, ::fdim)
ECLOSION_OCML_2(fmax, ::fmax)
ECLOSION_OCML_2(fmin, ::fmin)
ECLOSION_OCML_2(fmod, ::fmod)
ECLOSION_OCML_2(hypot, ::hypot)
ECLOSION_OCML_2(nextafter, ::nextafter)
ECLOSION_OCML_2(pow, ::pow)
ECLOSION_OCML_2(remainder, ::remainder)

#undef ECLOSION_OCML_2
#undef ECLOSION_OCML_1

#define ECLOSION_OCML_OTHERS(Type, bits, suffix)                               \
  ECLOSION_OCML Type __ocml_fma_##bits(Type x, Type y, Type z) {               \
    return __builtin_fma##suffix(x, y, z);                                     \
  }                                                                            \
  ECLOSION_OCML Type __ocml_ldexp_##bits(Type x, int by) {                     \
    return ::ldexp##suffix(x, by);                                             \
  }                                                                            \
  ECLOSION_OCML Type __ocml_scalbn_##bits(Type x, int by) {                    \
    return ::scalbn##suffix(x, by);                                            \
  }                                                                            \
  ECLOSION_OCML Type __ocml_pown_##bits(Type x, int by) {                      \
    return ::pow##suffix(x, (Type)by);                                         \
  }                                                                            \
  ECLOSION_OCML Type __ocml_rsqrt_##bits(Type x) {                             \
    return (Type)(1 / __builtin_sqrt((double)x));                              \
  }                                                                            \
  ECLOSION_OCML Type __ocml_rcbrt_##bits(Type x) {                             \
    return 1 / ::cbrt##suffix(x);                                              \
  }                                                                            \
  ECLOSION_OCML int __ocml_ilogb_##bits(Type x) { return ::ilogb##suffix(x); } \
  ECLOSION_OCML int __ocml_isfinite_##bits(Type x) {                           \
    return __builtin_isfinite(x);                                              \
  }                                                                            \
  ECLOSION_OCML int __ocml_isinf_##bits(Type x) { return __builtin_isinf(x); } \
  ECLOSION_OCML int __ocml_isnan_##bits(Type x) { return __builtin_isnan(x); } \
  ECLOSION_OCML int __ocml_signbit_##bits(Type x) {                            \
    return __builtin_signbit(x) != 0;                                          \
  }
ECLOSION_OCML_OTHERS(float, f32, f)
ECLOSION_OCML_OTHERS(double, f64, )
#undef ECLOSION_OCML_OTHERS

// Fast variants, exact here.
#define ECLOSION_OCML_NATIVE(name)                          \
  ECLOSION_OCML float __ocml_native_##name##_f32(float x) { \
    return __ocml_##name##_f32(x);                          \
  }
ECLOSION_OCML_NATIVE(cos)
ECLOSION_OCML_NATIVE(exp)
ECLOSION_OCML_NATIVE(exp10)
ECLOSION_OCML_NATIVE(exp2)
ECLOSION_OCML_NATIVE(log)
ECLOSION_OCML_NATIVE(log10)
ECLOSION_OCML_NATIVE(log2)
ECLOSION_OCML_NATIVE(rsqrt)
ECLOSION_OCML_NATIVE(sin)
ECLOSION_OCML_NATIVE(sqrt)
#undef ECLOSION_OCML_NATIVE

// With a rounding: rtn down, rtp up, rtz towards zero.
#define ECLOSION_OCML_ROUNDED(suffix, mode, Type, bits)                     \
  ECLOSION_OCML Type __ocml_add_##suffix##_##bits(Type x, Type y) {         \
    return eclosion_device::add<mode>(x, y);                                \
  }                                                                         \
  ECLOSION_OCML Type __ocml_sub_##suffix##_##bits(Type x, Type y) {         \
    return eclosion_device::subtract<mode>(x, y);                           \
  }                                                                         \
  ECLOSION_OCML Type __ocml_mul_##suffix##_##bits(Type x, Type y) {         \
    return eclosion_device::multiply<mode>(x, y);                           \
  }                                                                         \
  ECLOSION_OCML Type __ocml_div_##suffix##_##bits(Type x, Type y) {         \
    return eclosion_device::divide<mode>(x, y);                             \
  }                                                                         \
  ECLOSION_OCML Type __ocml_sqrt_##suffix##_##bits(Type x) {                \
    return eclosion_device::root<mode>(x);                                  \
  }                                                                         \
  ECLOSION_OCML Type __ocml_fma_##suffix##_##bits(Type x, Type y, Type z) { \
    return eclosion_device::multiply_add<mode>(x, y, z);                    \
  }
#define ECLOSION_OCML_ROUNDINGS(Type, bits)                         \
  ECLOSION_OCML_ROUNDED(rte, eclosion_device::kNearest, Type, bits) \
  ECLOSION_OCML_ROUNDED(rtn, eclosion_device::kDown, Type, bits)    \
  ECLOSION_OCML_ROUNDED(rtp, eclosion_device::kUp, Type, bits)      \
  ECLOSION_OCML_ROUNDED(rtz, eclosion_device::kTowardsZero, Type, bits)
ECLOSION_OCML_ROUNDINGS(float, f32)
ECLOSION_OCML_ROUNDINGS(double, f64)
#undef ECLOSION_OCML_ROUNDINGS
#undef ECLOSION_OCML_ROUNDED

// Conversions with a rounding.
#define ECLOSION_OCML_CONVERTED(suffix, mode)                           \
  ECLOSION_OCML float __ocml_cvt##suffix##_f32_f64(double x) {          \
    return eclosion_device::to_float<mode>(x);                          \
  }                                                                     \
  ECLOSION_OCML float __ocml_cvt##suffix##_f32_s32(int x) {             \
    return eclosion_device::to_float<mode>((long long)x);               \
  }                                                                     \
  ECLOSION_OCML float __ocml_cvt##suffix##_f32_u32(__hip_uint32_t x) {  \
    return eclosion_device::to_float<mode>((long long)x);               \
  }                                                                     \
  ECLOSION_OCML float __ocml_cvt##suffix##_f32_s64(__hip_int64_t x) {   \
    return eclosion_device::to_float<mode>((long long)x);               \
  }                                                                     \
  ECLOSION_OCML float __ocml_cvt##suffix##_f32_u64(__hip_uint64_t x) {  \
    return eclosion_device::to_float<mode>((unsigned long long)x);      \
  }                                                                     \
  ECLOSION_OCML double __ocml_cvt##suffix##_f64_s64(__hip_int64_t x) {  \
    return eclosion_device::to_double<mode>((long long)x);              \
  }                                                                     \
  ECLOSION_OCML double __ocml_cvt##suffix##_f64_u64(__hip_uint64_t x) { \
    return eclosion_device::to_double<mode>((unsigned long long)x);     \
  }
ECLOSION_OCML_CONVERTED(rtn, eclosion_device::kDown)
ECLOSION_OCML_CONVERTED(rtp, eclosion_device::kUp)
ECLOSION_OCML_CONVERTED(rtz, eclosion_device::kTowardsZero)
#undef ECLOSION_OCML_CONVERTED
