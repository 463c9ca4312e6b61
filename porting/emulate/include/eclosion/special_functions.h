// Mathematical functions of both vendors that the C library does not have:
// rsqrt, sinpi, erfinv, normcdf, norm3d, cyl_bessel_i0, ... in both precisions.
//
// In double they are right to a few units in the last place; in float they are
// computed in double and rounded once.
#pragma once

#include "qualifiers.h"

namespace eclosion_device {

constexpr double kPi = 3.14159265358979323846;
constexpr double kRootOfTwo = 1.41421356237309504880;
constexpr double kRootOfPi = 1.77245385090551602730;

// What is left of x after the next half, of which `halves` counts modulo 4; an
// exact reduction.
ECLOSION_BOTH double past_half(double x, int* halves) {
  const double turns = x - 2 * __builtin_rint(x / 2);  // in [-1, 1]
  const double count = __builtin_rint(2 * turns);      // in [-2, 2]
  *halves = (int)count & 3;
  return turns - count / 2;
}

ECLOSION_BOTH void sine_and_cosine_of_pi(double x, double* sine,
                                         double* cosine) {
  if (__builtin_isinf(x) || x != x) {
    *sine = *cosine = __builtin_nan("");
    return;
  }
  int halves;
  const double rest = kPi * past_half(x, &halves);
  const double s = sin(rest);
  const double c = cos(rest);
  const double sines[4] = {s, c, -s, -c};
  const double cosines[4] = {c, -s, -c, s};
  // Zeros have the sign of the argument in a sine and none in a cosine.
  *sine = sines[halves] == 0 ? __builtin_copysign(0.0, x) : sines[halves];
  *cosine = cosines[halves] + 0.0;
}

// x with erfc(x) = y for y in (0, 1]: a guess, and Halley's steps from it.
ECLOSION_BOTH double inverse_erfc_of_small(double y) {
  const double guess_log = -log(y * (2 - y));
  const double part = 2 / (kPi * 0.147) - guess_log / 2;
  double x = sqrt(sqrt(part * part + guess_log / 0.147) - part);
  if (y < 1e-3) {
    const double tail = -log(y * kRootOfPi);
    x = sqrt(tail - log(tail) / 2);
  }
  for (int step = 0; step < 8; ++step) {
    const double slope = 2 / kRootOfPi * exp(-x * x);
    const double wrong = (erfc(x) - y) / slope;
    const double change = wrong / (1 - x * wrong);
    x += change;
    if (__builtin_fabs(change) <= 1e-16 * x) break;
  }
  return x;
}

// x with erf(x) = y for a size of y of 0.5 at most.
ECLOSION_BOTH double inverse_small_erf(double y) {
  double x = y * kRootOfPi / 2;
  for (int step = 0; step < 8 && __builtin_fabs(x) > 1e-8; ++step) {
    const double wrong = (erf(x) - y) / (2 / kRootOfPi * exp(-x * x));
    const double change = wrong / (1 + x * wrong);
    x -= change;
    if (__builtin_fabs(change) <= 1e-16 * __builtin_fabs(x)) break;
  }
  return x;
}

ECLOSION_BOTH double inverse_erfc(double y) {
  if (!(y >= 0 && y <= 2)) return __builtin_nan("");
  if (y == 0) return __builtin_inf();
  if (y == 2) return -__builtin_inf();
  // Near 1 the error of erfc is that of a whole, not of the small result.
  if (y > 0.5 && y < 1.5) return inverse_small_erf(1 - y);
  return y <= 1 ? inverse_erfc_of_small(y) : -inverse_erfc_of_small(2 - y);
}

ECLOSION_BOTH double inverse_erf(double y) {
  const double size = __builtin_fabs(y);
  if (size < 0.5) return inverse_small_erf(y);
  return __builtin_copysign(inverse_erfc(1 - size), y);  // exact
}

// exp(x * x) * erfc(x)
ECLOSION_BOTH double scaled_erfc(double x) {
  if (x < 10) {
    const double square = x * x;
    const double rest = __builtin_fma(x, x, -square);
    const double power = exp(square);
    if (__builtin_isinf(power)) return power;
    return (power + power * rest) * erfc(x);
  }
  double fraction = x;
  for (int term = 60; term > 0; --term) fraction = x + term / 2.0 / fraction;
  return 1 / (kRootOfPi * fraction);
}

// The series of the modified Bessel function; all of its terms have one sign.
ECLOSION_BOTH double bessel_i(int order, double x) {
  if (__builtin_isinf(x)) return order == 0 ? __builtin_inf() : x;
  const long double quarter = (long double)x * x / 4;
  long double term = order == 0 ? 1 : (long double)x / 2;
  long double sum = term;
  for (int k = 1; __builtin_fabsl(term) > 1e-19L * __builtin_fabsl(sum); ++k) {
    term *= quarter / ((long double)k * (k + order));
    sum += term;
    if (__builtin_isinf((double)sum)) break;
  }
  return (double)sum;
}

// erfc(-x / sqrt(2)) / 2, corrected for what the division leaves over.
ECLOSION_BOTH double normal_distribution(double x) {
  if (!__builtin_isfinite(x)) return x > 0 ? 1 : x < 0 ? 0 : x;
  constexpr double kHigh = -0.70710678118654757274;
  constexpr double kLow = 4.833646656726457e-17;
  const double argument = x * kHigh;
  const double rest = __builtin_fma(x, kHigh, -argument) + x * kLow;
  const double slope = 2 / kRootOfPi * exp(-argument * argument);
  return (erfc(argument) - slope * rest) / 2;
}

// The length of a vector without overflow on the way.
template <typename T>
ECLOSION_BOTH double length(int count, const T* values) {
  double most = 0;
  bool is_nan = false;
  for (int i = 0; i < count; ++i) {
    const double size = __builtin_fabs((double)values[i]);
    if (__builtin_isinf(size)) return size;
    is_nan = is_nan || size != size;
    most = size > most ? size : most;
  }
  if (is_nan) return __builtin_nan("");
  if (most == 0) return 0;
  int exponent;
  frexp(most, &exponent);
  double sum = 0;
  for (int i = 0; i < count; ++i) {
    const double part = ldexp((double)values[i], -exponent);
    sum = __builtin_fma(part, part, sum);
  }
  return ldexp(sqrt(sum), exponent);
}

}  // namespace eclosion_device

// One function of one argument in both precisions.
#define ECLOSION_SPECIAL(name, expression)   \
  ECLOSION_BOTH double name(double x) {      \
    using namespace eclosion_device;         \
    return expression;                       \
  }                                          \
  ECLOSION_BOTH float name##f(float value) { \
    return (float)name((double)value);       \
  }

ECLOSION_SPECIAL(rsqrt, 1 / __builtin_sqrt(x))
ECLOSION_SPECIAL(rcbrt, 1 / cbrt(x))
ECLOSION_SPECIAL(erfinv, inverse_erf(x))
ECLOSION_SPECIAL(erfcinv, inverse_erfc(x))
ECLOSION_SPECIAL(erfcx, scaled_erfc(x))
ECLOSION_SPECIAL(normcdf, normal_distribution(x))
ECLOSION_SPECIAL(normcdfinv, -kRootOfTwo* inverse_erfc(2 * x))
ECLOSION_SPECIAL(cyl_bessel_i0, bessel_i(0, x))
ECLOSION_SPECIAL(cyl_bessel_i1, bessel_i(1, x))
#undef ECLOSION_SPECIAL

ECLOSION_BOTH void sincospi(double x, double* sine, double* cosine) {
  eclosion_device::sine_and_cosine_of_pi(x, sine, cosine);
}
ECLOSION_BOTH void sincospif(float x, float* sine, float* cosine) {
  double s;
  double c;
  eclosion_device::sine_and_cosine_of_pi(x, &s, &c);
  *sine = (float)s;
  *cosine = (float)c;
}
ECLOSION_BOTH double sinpi(double x) {
  double sine;
  double cosine;
  sincospi(x, &sine, &cosine);
  return sine;
}
ECLOSION_BOTH double cospi(double x) {
  double sine;
  double cosine;
  sincospi(x, &sine, &cosine);
  return cosine;
}
ECLOSION_BOTH float sinpif(float x) { return (float)sinpi((double)x); }
ECLOSION_BOTH float cospif(float x) { return (float)cospi((double)x); }

#define ECLOSION_LENGTHS(Type, suffix)                                 \
  ECLOSION_BOTH Type norm##suffix(int count, const Type* values) {     \
    return (Type)eclosion_device::length(count, values);               \
  }                                                                    \
  ECLOSION_BOTH Type rnorm##suffix(int count, const Type* values) {    \
    return (Type)(1 / eclosion_device::length(count, values));         \
  }                                                                    \
  ECLOSION_BOTH Type norm3d##suffix(Type x, Type y, Type z) {          \
    const Type values[3] = {x, y, z};                                  \
    return norm##suffix(3, values);                                    \
  }                                                                    \
  ECLOSION_BOTH Type rnorm3d##suffix(Type x, Type y, Type z) {         \
    const Type values[3] = {x, y, z};                                  \
    return rnorm##suffix(3, values);                                   \
  }                                                                    \
  ECLOSION_BOTH Type norm4d##suffix(Type x, Type y, Type z, Type w) {  \
    const Type values[4] = {x, y, z, w};                               \
    return norm##suffix(4, values);                                    \
  }                                                                    \
  ECLOSION_BOTH Type rnorm4d##suffix(Type x, Type y, Type z, Type w) { \
    const Type values[4] = {x, y, z, w};                               \
    return rnorm##suffix(4, values);                                   \
  }                                                                    \
  ECLOSION_BOTH Type rhypot##suffix(Type x, Type y) {                  \
    const Type values[2] = {x, y};                                     \
    return rnorm##suffix(2, values);                                   \
  }
ECLOSION_LENGTHS(double, )
ECLOSION_LENGTHS(float, f)
#undef ECLOSION_LENGTHS

ECLOSION_BOTH float fdividef(float x, float y) { return x / y; }
