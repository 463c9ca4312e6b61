// Conversions between numbers with a chosen rounding (__float2int_rd, ...) and
// of bits (__float_as_int, ...).
//
// To integers they saturate. What is no number becomes 0, except, with CUDA,
// 1 << (bits - 1) where the source or the integer has 64 bits (PTX ISA, cvt).
#pragma once

#include "rounding.h"

namespace eclosion_device {

template <typename To, typename From>
ECLOSION_FUNCTION To integer_of_nan() {
#ifndef __HIP__
  if (sizeof(To) == 8 || sizeof(From) == 8) {
    return (To)(1ULL << (8 * sizeof(To) - 1));
  }
#endif
  return 0;
}

// `To` has 32 or 64 bits. Powers of two bound it, which are exact in `From`.
template <typename To, unsigned mode, typename From>
ECLOSION_FUNCTION To to_integer(From value) {
  if (value != value) return integer_of_nan<To, From>();
  constexpr bool kSigned = To(-1) < To(0);
  constexpr int kBits = 8 * sizeof(To) - (kSigned ? 1 : 0);
  constexpr To kMost = (To)(~0ULL >> (64 - kBits));
  constexpr To kLeast = kSigned ? (To)(-(long long)kMost - 1) : (To)0;
  constexpr double kEnd = 2.0 * (double)(1ULL << (kBits - 1));
  const double number = whole<mode>((double)value);
  if (number >= kEnd) return kMost;
  if (number <= (kSigned ? -kEnd : 0.0)) return kLeast;
  return (To)number;
}

}  // namespace eclosion_device

#define ECLOSION_MODES(name, To, From, expression)            \
  ECLOSION_FUNCTION To name##_rn(From value) {                \
    constexpr unsigned kMode = eclosion_device::kNearest;     \
    return eclosion_device::expression;                       \
  }                                                           \
  ECLOSION_FUNCTION To name##_rd(From value) {                \
    constexpr unsigned kMode = eclosion_device::kDown;        \
    return eclosion_device::expression;                       \
  }                                                           \
  ECLOSION_FUNCTION To name##_ru(From value) {                \
    constexpr unsigned kMode = eclosion_device::kUp;          \
    return eclosion_device::expression;                       \
  }                                                           \
  ECLOSION_FUNCTION To name##_rz(From value) {                \
    constexpr unsigned kMode = eclosion_device::kTowardsZero; \
    return eclosion_device::expression;                       \
  }

#define ECLOSION_TO_INTEGER(name, To, From) \
  ECLOSION_MODES(name, To, From, to_integer<To ECLOSION_COMMA kMode>(value))
#define ECLOSION_COMMA ,

ECLOSION_TO_INTEGER(__float2int, int, float)
ECLOSION_TO_INTEGER(__float2uint, unsigned, float)
ECLOSION_TO_INTEGER(__float2ll, long long, float)
ECLOSION_TO_INTEGER(__float2ull, unsigned long long, float)
ECLOSION_TO_INTEGER(__double2int, int, double)
ECLOSION_TO_INTEGER(__double2uint, unsigned, double)
ECLOSION_TO_INTEGER(__double2ll, long long, double)
ECLOSION_TO_INTEGER(__double2ull, unsigned long long, double)

ECLOSION_MODES(__double2float, float, double, to_float<kMode>(value))
ECLOSION_MODES(__int2float, float, int, to_float<kMode>((long long)value))
ECLOSION_MODES(__uint2float, float, unsigned, to_float<kMode>((long long)value))
ECLOSION_MODES(__ll2float, float, long long, to_float<kMode>(value))
ECLOSION_MODES(__ull2float, float, unsigned long long, to_float<kMode>(value))
ECLOSION_MODES(__ll2double, double, long long, to_double<kMode>(value))
ECLOSION_MODES(__ull2double, double, unsigned long long,
               to_double<kMode>(value))

#undef ECLOSION_TO_INTEGER
#undef ECLOSION_COMMA
#undef ECLOSION_MODES

// Exact.
ECLOSION_FUNCTION double __int2double_rn(int value) { return value; }
ECLOSION_FUNCTION double __uint2double_rn(unsigned value) { return value; }

ECLOSION_FUNCTION int __float_as_int(float value) {
  return __builtin_bit_cast(int, value);
}
ECLOSION_FUNCTION unsigned __float_as_uint(float value) {
  return __builtin_bit_cast(unsigned, value);
}
ECLOSION_FUNCTION float __int_as_float(int bits) {
  return __builtin_bit_cast(float, bits);
}
ECLOSION_FUNCTION float __uint_as_float(unsigned bits) {
  return __builtin_bit_cast(float, bits);
}
ECLOSION_FUNCTION long long __double_as_longlong(double value) {
  return __builtin_bit_cast(long long, value);
}
ECLOSION_FUNCTION double __longlong_as_double(long long bits) {
  return __builtin_bit_cast(double, bits);
}
ECLOSION_FUNCTION int __double2hiint(double value) {
  return (int)(__builtin_bit_cast(unsigned long long, value) >> 32);
}
ECLOSION_FUNCTION int __double2loint(double value) {
  return (int)__builtin_bit_cast(unsigned long long, value);
}
ECLOSION_FUNCTION double __hiloint2double(int high, int low) {
  return __builtin_bit_cast(
      double, ((unsigned long long)(unsigned)high << 32) | (unsigned)low);
}
