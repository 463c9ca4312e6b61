// The functions of <math.h> for the device: the C library's own, in both
// precisions.
#pragma once

#include "qualifiers.h"

extern "C" {

#define ECLOSION_LIBM(...) __attribute__((device)) __VA_ARGS__ noexcept;

#define ECLOSION_UNARY(name)         \
  ECLOSION_LIBM(double name(double)) \
  ECLOSION_LIBM(float name##f(float))
#define ECLOSION_BINARY(name)                \
  ECLOSION_LIBM(double name(double, double)) \
  ECLOSION_LIBM(float name##f(float, float))

ECLOSION_UNARY(acos)
ECLOSION_UNARY(acosh)
ECLOSION_UNARY(asin)
ECLOSION_UNARY(asinh)
ECLOSION_UNARY(atan)
ECLOSION_UNARY(atanh)
ECLOSION_UNARY(cbrt)
ECLOSION_UNARY(ceil)
ECLOSION_UNARY(cos)
ECLOSION_UNARY(cosh)
ECLOSION_UNARY(erf)
ECLOSION_UNARY(erfc)
ECLOSION_UNARY(exp)
ECLOSION_UNARY(exp10)
ECLOSION_UNARY(exp2)
ECLOSION_UNARY(expm1)
ECLOSION_UNARY(fabs)
ECLOSION_UNARY(floor)
ECLOSION_UNARY(j0)
ECLOSION_UNARY(j1)
ECLOSION_UNARY(lgamma)
ECLOSION_UNARY(log)
ECLOSION_UNARY(log10)
ECLOSION_UNARY(log1p)
ECLOSION_UNARY(log2)
ECLOSION_UNARY(logb)
ECLOSION_UNARY(nearbyint)
ECLOSION_UNARY(rint)
ECLOSION_UNARY(round)
ECLOSION_UNARY(sin)
ECLOSION_UNARY(sinh)
ECLOSION_UNARY(sqrt)
ECLOSION_UNARY(tan)
ECLOSION_UNARY(tanh)
ECLOSION_UNARY(tgamma)
ECLOSION_UNARY(trunc)
ECLOSION_UNARY(y0)
ECLOSION_UNARY(y1)

ECLOSION_BINARY(atan2)
ECLOSION_BINARY(copysign)
ECLOSION_BINARY(fdim)
ECLOSION_BINARY(fmax)
ECLOSION_BINARY(fmin)
ECLOSION_BINARY(fmod)
ECLOSION_BINARY(hypot)
ECLOSION_BINARY(nextafter)
ECLOSION_BINARY(pow)
ECLOSION_BINARY(remainder)

ECLOSION_LIBM(double fma(double, double, double))
ECLOSION_LIBM(float fmaf(float, float, float))
ECLOSION_LIBM(double frexp(double, int*))
ECLOSION_LIBM(float frexpf(float, int*))
ECLOSION_LIBM(double ldexp(double, int))
ECLOSION_LIBM(float ldexpf(float, int))
ECLOSION_LIBM(double scalbn(double, int))
ECLOSION_LIBM(float scalbnf(float, int))
ECLOSION_LIBM(double scalbln(double, long))
ECLOSION_LIBM(float scalblnf(float, long))
ECLOSION_LIBM(int ilogb(double))
ECLOSION_LIBM(int ilogbf(float))
ECLOSION_LIBM(double jn(int, double))
ECLOSION_LIBM(float jnf(int, float))
ECLOSION_LIBM(double yn(int, double))
ECLOSION_LIBM(float ynf(int, float))
ECLOSION_LIBM(long lrint(double))
ECLOSION_LIBM(long lrintf(float))
ECLOSION_LIBM(long long llrint(double))
ECLOSION_LIBM(long long llrintf(float))
ECLOSION_LIBM(long lround(double))
ECLOSION_LIBM(long lroundf(float))
ECLOSION_LIBM(long long llround(double))
ECLOSION_LIBM(long long llroundf(float))
ECLOSION_LIBM(double modf(double, double*))
ECLOSION_LIBM(float modff(float, float*))
ECLOSION_LIBM(double nan(const char*))
ECLOSION_LIBM(float nanf(const char*))
ECLOSION_LIBM(double remquo(double, double, int*))
ECLOSION_LIBM(float remquof(float, float, int*))
ECLOSION_LIBM(void sincos(double, double*, double*))
ECLOSION_LIBM(void sincosf(float, float*, float*))

ECLOSION_LIBM(int abs(int))
ECLOSION_LIBM(long labs(long))
ECLOSION_LIBM(long long llabs(long long))

#undef ECLOSION_BINARY
#undef ECLOSION_UNARY
#undef ECLOSION_LIBM

}  // extern "C"
