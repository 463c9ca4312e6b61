// The compiler's arithmetic builtins for AMD devices, as functions. "AMD
// Instinct MI300 ISA", chapter "Instructions", says what each computes; those
// that a device approximates within an ulp are rounded correctly here.
#pragma once

#include "qualifiers.h"

namespace eclosion_device {

inline constexpr double kTwoPi = 6.283185307179586476925;

template <typename T>
ECLOSION_FUNCTION T middle_of(T a, T b, T c) {
  const T low = b < a ? b : a;
  const T high = b < a ? a : b;
  return c < low ? low : c > high ? high : c;
}

ECLOSION_FUNCTION unsigned byte_distance(unsigned a, unsigned b) {
  unsigned sum = 0;
  for (int shift = 0; shift < 32; shift += 8) {
    const int left = (int)(a >> shift & 255);
    const int right = (int)(b >> shift & 255);
    sum += (unsigned)(left < right ? right - left : left - right);
  }
  return sum;
}

// One byte of the 8 of `high` and `low`, or a constant.
ECLOSION_FUNCTION unsigned picked_byte(unsigned high, unsigned low,
                                       unsigned which) {
  const unsigned long long both = (unsigned long long)high << 32 | low;
  if (which >= 13) return 255;
  if (which == 12) return 0;
  if (which >= 8) {  // the sign of one half of a word
    return (both >> (16 * (which - 8) + 15) & 1) != 0 ? 255 : 0;
  }
  return (unsigned)(both >> (8 * which)) & 255;
}

}  // namespace eclosion_device

ECLOSION_BOTH float __builtin_amdgcn_rcpf(float x) { return 1.0F / x; }
ECLOSION_BOTH double __builtin_amdgcn_rcp(double x) { return 1.0 / x; }
ECLOSION_BOTH float __builtin_amdgcn_rsqf(float x) {
  return (float)(1.0 / __builtin_sqrt((double)x));
}
ECLOSION_BOTH double __builtin_amdgcn_rsq(double x) {
  return 1.0 / __builtin_sqrt(x);
}
ECLOSION_BOTH float __builtin_amdgcn_sqrtf(float x) {
  return __builtin_sqrtf(x);
}
ECLOSION_BOTH double __builtin_amdgcn_sqrt(double x) {
  return __builtin_sqrt(x);
}
ECLOSION_BOTH float __builtin_amdgcn_exp2f(float x) {
  return __builtin_exp2f(x);
}
ECLOSION_BOTH float __builtin_amdgcn_logf(float x) {
  return __builtin_log2f(x);
}
// Of turns, not of radians.
ECLOSION_BOTH float __builtin_amdgcn_sinf(float x) {
  return (float)__builtin_sin(x * eclosion_device::kTwoPi);
}
ECLOSION_BOTH float __builtin_amdgcn_cosf(float x) {
  return (float)__builtin_cos(x * eclosion_device::kTwoPi);
}
ECLOSION_BOTH float __builtin_amdgcn_fractf(float x) {
  return __builtin_fminf(x - __builtin_floorf(x), 0x1.fffffep-1F);
}
ECLOSION_BOTH double __builtin_amdgcn_fract(double x) {
  return __builtin_fmin(x - __builtin_floor(x), 0x1.fffffffffffffp-1);
}
ECLOSION_BOTH float __builtin_amdgcn_ldexpf(float x, int by) {
  return __builtin_ldexpf(x, by);
}
ECLOSION_BOTH double __builtin_amdgcn_ldexp(double x, int by) {
  return __builtin_ldexp(x, by);
}
ECLOSION_BOTH float __builtin_amdgcn_frexp_mantf(float x) {
  int exponent;
  return __builtin_frexpf(x, &exponent);
}
ECLOSION_BOTH double __builtin_amdgcn_frexp_mant(double x) {
  int exponent;
  return __builtin_frexp(x, &exponent);
}
ECLOSION_BOTH int __builtin_amdgcn_frexp_expf(float x) {
  int exponent = 0;
  if (__builtin_isfinite(x)) __builtin_frexpf(x, &exponent);
  return exponent;
}
ECLOSION_BOTH int __builtin_amdgcn_frexp_exp(double x) {
  int exponent = 0;
  if (__builtin_isfinite(x)) __builtin_frexp(x, &exponent);
  return exponent;
}
ECLOSION_FUNCTION float __builtin_amdgcn_fmed3f(float a, float b, float c) {
  return eclosion_device::middle_of(a, b, c);
}

ECLOSION_BOTH unsigned __builtin_amdgcn_alignbit(unsigned high, unsigned low,
                                                 unsigned shift) {
  return (unsigned)(((unsigned long long)high << 32 | low) >> (shift & 31));
}
ECLOSION_BOTH unsigned __builtin_amdgcn_alignbyte(unsigned high, unsigned low,
                                                  unsigned bytes) {
  return __builtin_amdgcn_alignbit(high, low, 8 * (bytes & 3));
}
ECLOSION_FUNCTION unsigned __builtin_amdgcn_perm(unsigned high, unsigned low,
                                                 unsigned selector) {
  unsigned result = 0;
  for (int shift = 0; shift < 32; shift += 8) {
    result |= eclosion_device::picked_byte(high, low, selector >> shift & 255)
              << shift;
  }
  return result;
}
ECLOSION_BOTH unsigned __builtin_amdgcn_ubfe(unsigned word, unsigned first,
                                             unsigned count) {
  return word >> (first & 31) & ((1U << (count & 31)) - 1);
}
ECLOSION_BOTH int __builtin_amdgcn_sbfe(int word, unsigned first,
                                        unsigned count) {
  const unsigned bits = count & 31;
  const unsigned field = __builtin_amdgcn_ubfe((unsigned)word, first, bits);
  return bits == 0 ? 0 : (int)(field << (32 - bits)) >> (32 - bits);
}
ECLOSION_FUNCTION unsigned __builtin_amdgcn_sad_u8(unsigned a, unsigned b,
                                                   unsigned more) {
  return eclosion_device::byte_distance(a, b) + more;
}
