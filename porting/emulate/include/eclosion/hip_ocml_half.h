// The device library's functions on half precision, which the vendor's
// hip_fp16.h is made of: computed in float and rounded once.
#pragma once

#include "hip_ocml.h"

extern "C" {
typedef _Float16 __2f16 __attribute__((ext_vector_type(2)));
typedef short __2i16 __attribute__((ext_vector_type(2)));
}

#define ECLOSION_HALF_1(name)                                          \
  ECLOSION_OCML _Float16 __ocml_##name##_f16(_Float16 x) {             \
    return (_Float16)__ocml_##name##_f32((float)x);                    \
  }                                                                    \
  ECLOSION_OCML __2f16 __ocml_##name##_2f16(__2f16 x) {                \
    return __2f16{__ocml_##name##_f16(x.x), __ocml_##name##_f16(x.y)}; \
  }
ECLOSION_HALF_1(ceil)
ECLOSION_HALF_1(cos)
ECLOSION_HALF_1(exp)
ECLOSION_HALF_1(exp10)
ECLOSION_HALF_1(exp2)
ECLOSION_HALF_1(fabs)
ECLOSION_HALF_1(floor)
ECLOSION_HALF_1(log)
ECLOSION_HALF_1(log10)
ECLOSION_HALF_1(log2)
ECLOSION_HALF_1(rint)
ECLOSION_HALF_1(rsqrt)
ECLOSION_HALF_1(sin)
ECLOSION_HALF_1(sqrt)
ECLOSION_HALF_1(trunc)
#undef ECLOSION_HALF_1

ECLOSION_OCML _Float16 __ocml_fmax_f16(_Float16 x, _Float16 y) {
  return (_Float16)__ocml_fmax_f32((float)x, (float)y);
}
ECLOSION_OCML _Float16 __ocml_fmin_f16(_Float16 x, _Float16 y) {
  return (_Float16)__ocml_fmin_f32((float)x, (float)y);
}
ECLOSION_OCML _Float16 __ocml_pown_f16(_Float16 x, int by) {
  return (_Float16)__ocml_pown_f32((float)x, by);
}
ECLOSION_OCML __2f16 __ocml_pown_2f16(__2f16 x, __2i16 by) {
  return __2f16{__ocml_pown_f16(x.x, by.x), __ocml_pown_f16(x.y, by.y)};
}

// In float a product of two halves is exact, and in double its sum with a third
// is as far as a half could tell; on the way from there to float the bits that
// are lost leave a sticky one, so that the half is rounded once.
namespace eclosion_device {

ECLOSION_FUNCTION float sticky(double value) {
  const float cut = to_float<kTowardsZero>(value);
  const unsigned bits = __builtin_bit_cast(unsigned, cut);
  return (double)cut == value || value != value
             ? cut
             : __builtin_bit_cast(float, bits | 1);
}

}  // namespace eclosion_device

ECLOSION_OCML _Float16 __ocml_fma_f16(_Float16 x, _Float16 y, _Float16 z) {
  const double sum = (double)((float)x * (float)y) + (double)(float)z;
  return (_Float16)eclosion_device::sticky(sum);
}
ECLOSION_OCML __2f16 __ocml_fma_2f16(__2f16 x, __2f16 y, __2f16 z) {
  return __2f16{__ocml_fma_f16(x.x, y.x, z.x), __ocml_fma_f16(x.y, y.y, z.y)};
}

ECLOSION_OCML int __ocml_isinf_f16(_Float16 x) {
  return __builtin_isinf((float)x);
}
ECLOSION_OCML int __ocml_isnan_f16(_Float16 x) {
  return __builtin_isnan((float)x);
}
// Of pairs, true is all bits.
ECLOSION_OCML __2i16 __ocml_isinf_2f16(__2f16 x) {
  return __2i16{(short)-__ocml_isinf_f16(x.x), (short)-__ocml_isinf_f16(x.y)};
}
ECLOSION_OCML __2i16 __ocml_isnan_2f16(__2f16 x) {
  return __2i16{(short)-__ocml_isnan_f16(x.x), (short)-__ocml_isnan_f16(x.y)};
}

// From float with a rounding: the nearest half, or its neighbour where that is
// on the wrong side.
namespace eclosion_device {

ECLOSION_FUNCTION _Float16 half_beside(_Float16 value, bool up) {
  const unsigned short bits = __builtin_bit_cast(unsigned short, value);
  if ((bits & 0x7FFF) == 0) {
    return __builtin_bit_cast(_Float16, (unsigned short)(up ? 1 : 0x8001));
  }
  const bool grows = up == ((bits & 0x8000) == 0);
  return __builtin_bit_cast(_Float16,
                            (unsigned short)(grows ? bits + 1 : bits - 1));
}

ECLOSION_FUNCTION _Float16 half_down(float value) {
  const _Float16 nearest = (_Float16)value;
  return (float)nearest > value ? half_beside(nearest, false) : nearest;
}

ECLOSION_FUNCTION _Float16 half_up(float value) {
  const _Float16 nearest = (_Float16)value;
  return (float)nearest < value ? half_beside(nearest, true) : nearest;
}

}  // namespace eclosion_device

ECLOSION_OCML _Float16 __ocml_cvtrtn_f16_f32(float x) {
  return eclosion_device::half_down(x);
}
ECLOSION_OCML _Float16 __ocml_cvtrtp_f16_f32(float x) {
  return eclosion_device::half_up(x);
}
ECLOSION_OCML _Float16 __ocml_cvtrtz_f16_f32(float x) {
  return x < 0 ? eclosion_device::half_up(x) : eclosion_device::half_down(x);
}

// a.x * b.x + a.y * b.y + c; `saturates` keeps it within [0, 1].
ECLOSION_OCML float __ockl_fdot2(__2f16 a, __2f16 b, float c, bool saturates) {
  const float sum = (float)a.x * (float)b.x + (float)a.y * (float)b.y + c;
  return !saturates ? sum : __builtin_fminf(__builtin_fmaxf(sum, 0), 1);
}
