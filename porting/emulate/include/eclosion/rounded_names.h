// __fadd_rz, __dmul_ru, __fmaf_rd, ... under the names that both vendors use.
#pragma once

#include "rounding.h"

namespace eclosion_device {

// Keep the compiler from joining what makes a value with what uses it.
template <typename T>
ECLOSION_FUNCTION T apart(T value) {
  __asm__("" : "+x"(value));
  return value;
}

}  // namespace eclosion_device

// The four roundings of one operation; `plain`: to nearest.
#define ECLOSION_FOUR(name, Type, parameters, plain, directed) \
  ECLOSION_FUNCTION Type name##_rn parameters {                \
    using eclosion_device::apart;                              \
    return apart(plain);                                       \
  }                                                            \
  ECLOSION_FUNCTION Type name##_rd parameters {                \
    constexpr unsigned kMode = eclosion_device::kDown;         \
    return eclosion_device::directed;                          \
  }                                                            \
  ECLOSION_FUNCTION Type name##_ru parameters {                \
    constexpr unsigned kMode = eclosion_device::kUp;           \
    return eclosion_device::directed;                          \
  }                                                            \
  ECLOSION_FUNCTION Type name##_rz parameters {                \
    constexpr unsigned kMode = eclosion_device::kTowardsZero;  \
    return eclosion_device::directed;                          \
  }

#define ECLOSION_OPERATIONS(Type, letter, fused, suffix)                      \
  ECLOSION_FOUR(__##letter##add, Type, (Type x, Type y), apart(x) + apart(y), \
                add<kMode>(x, y))                                             \
  ECLOSION_FOUR(__##letter##sub, Type, (Type x, Type y), apart(x) - apart(y), \
                subtract<kMode>(x, y))                                        \
  ECLOSION_FOUR(__##letter##mul, Type, (Type x, Type y), apart(x) * apart(y), \
                multiply<kMode>(x, y))                                        \
  ECLOSION_FOUR(__##letter##div, Type, (Type x, Type y), apart(x) / apart(y), \
                divide<kMode>(x, y))                                          \
  ECLOSION_FOUR(__##letter##rcp, Type, (Type x), 1 / apart(x),                \
                divide<kMode>((Type)1, x))                                    \
  ECLOSION_FOUR(__##letter##sqrt, Type, (Type x), __builtin_sqrt##suffix(x),  \
                root<kMode>(x))                                               \
  ECLOSION_FOUR(fused, Type, (Type x, Type y, Type z),                        \
                __builtin_fma##suffix(x, y, z), multiply_add<kMode>(x, y, z))

ECLOSION_OPERATIONS(float, f, __fmaf, f)
ECLOSION_OPERATIONS(double, d, __fma, )

// Denormal numbers are never flushed here, so these are the same.
ECLOSION_FOUR(__fmaf_ieee, float, (float x, float y, float z),
              __builtin_fmaf(x, y, z), multiply_add<kMode>(x, y, z))

#undef ECLOSION_OPERATIONS
#undef ECLOSION_FOUR

ECLOSION_FUNCTION float __frsqrt_rn(float x) {
  return (float)(1 / __builtin_sqrt((double)x));
}
