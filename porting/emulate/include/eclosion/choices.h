// min and max of numbers, for host and device, with the mixed types that the
// vendors take.
#pragma once

#include "qualifiers.h"

#define ECLOSION_CHOICE(Type, Left, Right)                      \
  ECLOSION_BOTH Type min(Left left, Right right) {              \
    return (Type)right < (Type)left ? (Type)right : (Type)left; \
  }                                                             \
  ECLOSION_BOTH Type max(Left left, Right right) {              \
    return (Type)left < (Type)right ? (Type)right : (Type)left; \
  }

// Mixed signs are compared as unsigned, as the vendors' headers do.
#define ECLOSION_CHOICES(Signed, Unsigned)      \
  ECLOSION_CHOICE(Signed, Signed, Signed)       \
  ECLOSION_CHOICE(Unsigned, Unsigned, Unsigned) \
  ECLOSION_CHOICE(Unsigned, Signed, Unsigned)   \
  ECLOSION_CHOICE(Unsigned, Unsigned, Signed)

ECLOSION_CHOICES(int, unsigned)
ECLOSION_CHOICES(long, unsigned long)
ECLOSION_CHOICES(long long, unsigned long long)

#undef ECLOSION_CHOICES
#undef ECLOSION_CHOICE

// A number is chosen before what is none, and +0 counts as more than -0.
#define ECLOSION_NUMBER_CHOICE(Type, Left, Right, suffix)   \
  ECLOSION_BOTH Type min(Left left, Right right) {          \
    return __builtin_fmin##suffix((Type)left, (Type)right); \
  }                                                         \
  ECLOSION_BOTH Type max(Left left, Right right) {          \
    return __builtin_fmax##suffix((Type)left, (Type)right); \
  }

ECLOSION_NUMBER_CHOICE(float, float, float, f)
ECLOSION_NUMBER_CHOICE(double, double, double, )
ECLOSION_NUMBER_CHOICE(double, float, double, )
ECLOSION_NUMBER_CHOICE(double, double, float, )

#undef ECLOSION_NUMBER_CHOICE

ECLOSION_BOTH unsigned umin(unsigned left, unsigned right) {
  return min(left, right);
}
ECLOSION_BOTH unsigned umax(unsigned left, unsigned right) {
  return max(left, right);
}
ECLOSION_BOTH long long llmin(long long left, long long right) {
  return min(left, right);
}
ECLOSION_BOTH long long llmax(long long left, long long right) {
  return max(left, right);
}
ECLOSION_BOTH unsigned long long ullmin(unsigned long long left,
                                        unsigned long long right) {
  return min(left, right);
}
ECLOSION_BOTH unsigned long long ullmax(unsigned long long left,
                                        unsigned long long right) {
  return max(left, right);
}
