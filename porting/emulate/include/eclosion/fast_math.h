// Functions that trade accuracy for speed on a device: __expf, __fdividef, ...
//
// Their error bounds (CUDA C++ Programming Guide, "Intrinsic Functions"; HIP's
// "Math API") allow the exact result, which is what is given here, except where
// a vendor defines another value.
#pragma once

#include "qualifiers.h"

ECLOSION_FUNCTION float __expf(float x) { return __builtin_expf(x); }
ECLOSION_FUNCTION float __exp10f(float x) { return exp10f(x); }
ECLOSION_FUNCTION float __logf(float x) { return __builtin_logf(x); }
ECLOSION_FUNCTION float __log2f(float x) { return __builtin_log2f(x); }
ECLOSION_FUNCTION float __log10f(float x) { return __builtin_log10f(x); }
ECLOSION_FUNCTION float __powf(float x, float y) { return exp2f(y * log2f(x)); }
ECLOSION_FUNCTION float __sinf(float x) { return __builtin_sinf(x); }
ECLOSION_FUNCTION float __cosf(float x) { return __builtin_cosf(x); }
ECLOSION_FUNCTION float __tanf(float x) { return __builtin_tanf(x); }
ECLOSION_FUNCTION float __tanhf(float x) { return tanhf(x); }
ECLOSION_FUNCTION void __sincosf(float x, float* sine, float* cosine) {
  *sine = __builtin_sinf(x);
  *cosine = __builtin_cosf(x);
}

// Of divisors from 2^126 on, CUDA's gives 0 (infinity / divisor: no number).
ECLOSION_FUNCTION float __fdividef(float x, float y) {
#ifndef __HIP__
  const float size = __builtin_fabsf(y);
  if (size > 0x1p126f && size < __builtin_inff()) return x * 0.0f;
#endif
  return x / y;
}

// To [0, 1]; what is no number becomes 0.
ECLOSION_FUNCTION float __saturatef(float x) {
  return x > 0 ? (x < 1 ? x : 1.0f) : 0.0f;
}
