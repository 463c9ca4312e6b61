// Arithmetic and conversions with a chosen rounding.
//
// The processor's rounding mode is changed around one instruction in one piece
// of assembly, so the compiler can neither move nor fold what is between.
#pragma once

#include "qualifiers.h"

namespace eclosion_device {

// The processor's control word: all exceptions masked, and a rounding.
constexpr unsigned kNearest = 0x1F80;
constexpr unsigned kDown = 0x3F80;
constexpr unsigned kUp = 0x5F80;
constexpr unsigned kTowardsZero = 0x7F80;

// One instruction under a rounding; `extra` are its inputs.
#define ECLOSION_ROUNDED(mode, instruction, result, constraint, ...)          \
  do {                                                                        \
    const unsigned chosen = mode;                                             \
    unsigned before;                                                          \
    __asm__ volatile("stmxcsr %[before]\n\tldmxcsr %[chosen]\n\t" instruction \
                     "\n\tldmxcsr %[before]"                                  \
                     : [out] constraint(result), [before] "=m"(before)        \
                     : [chosen] "m"(chosen), __VA_ARGS__);                    \
  } while (0)

#define ECLOSION_ARITHMETIC(name, Type, instruction)                  \
  template <unsigned mode>                                            \
  ECLOSION_FUNCTION Type name(Type x, Type y) {                       \
    Type result;                                                      \
    ECLOSION_ROUNDED(mode, instruction " %[y], %[x], %[out]", result, \
                     "=&x", [x] "x"(x), [y] "x"(y));                  \
    return result;                                                    \
  }
ECLOSION_ARITHMETIC(add, float, "vaddss")
ECLOSION_ARITHMETIC(add, double, "vaddsd")
ECLOSION_ARITHMETIC(subtract, float, "vsubss")
ECLOSION_ARITHMETIC(subtract, double, "vsubsd")
ECLOSION_ARITHMETIC(multiply, float, "vmulss")
ECLOSION_ARITHMETIC(multiply, double, "vmulsd")
ECLOSION_ARITHMETIC(divide, float, "vdivss")
ECLOSION_ARITHMETIC(divide, double, "vdivsd")
#undef ECLOSION_ARITHMETIC

#define ECLOSION_FUSED(Type, root_instruction, fused_instruction)          \
  template <unsigned mode>                                                 \
  ECLOSION_FUNCTION Type root(Type x) {                                    \
    Type result;                                                           \
    ECLOSION_ROUNDED(mode, root_instruction " %[x], %[x], %[out]", result, \
                     "=&x", [x] "x"(x));                                   \
    return result;                                                         \
  }                                                                        \
  template <unsigned mode>                                                 \
  ECLOSION_FUNCTION Type multiply_add(Type x, Type y, Type z) {            \
    ECLOSION_ROUNDED(mode, fused_instruction " %[z], %[y], %[out]", x,     \
                     "+&x", [z] "x"(z), [y] "x"(y));                       \
    return x;                                                              \
  }
ECLOSION_FUSED(float, "vsqrtss", "vfmadd213ss")
ECLOSION_FUSED(double, "vsqrtsd", "vfmadd213sd")
#undef ECLOSION_FUSED

// Between types; only what the 64-bit processor has one instruction for.
template <unsigned mode>
ECLOSION_FUNCTION float to_float(double value) {
  float result;
  ECLOSION_ROUNDED(mode, "vcvtsd2ss %[value], %[value], %[out]", result,
                   "=&x", [value] "x"(value));
  return result;
}
template <unsigned mode>
ECLOSION_FUNCTION float to_float(long long value) {
  float result;
  ECLOSION_ROUNDED(mode, "vcvtsi2ssq %[value], %%xmm0, %[out]", result,
                   "=&x", [value] "r"(value));
  return result;
}
template <unsigned mode>
ECLOSION_FUNCTION double to_double(long long value) {
  double result;
  ECLOSION_ROUNDED(mode, "vcvtsi2sdq %[value], %%xmm0, %[out]", result,
                   "=&x", [value] "r"(value));
  return result;
}

// Half the value with the last bit kept as a sticky one rounds as the value
// itself does; doubling is exact.
template <unsigned mode>
ECLOSION_FUNCTION float to_float(unsigned long long value) {
  if ((long long)value >= 0) return to_float<mode>((long long)value);
  return 2 * to_float<mode>((long long)((value >> 1) | (value & 1)));
}
template <unsigned mode>
ECLOSION_FUNCTION double to_double(unsigned long long value) {
  if ((long long)value >= 0) return to_double<mode>((long long)value);
  return 2 * to_double<mode>((long long)((value >> 1) | (value & 1)));
}

// To a whole number; the compiler's builtin of the instruction that rounds.
template <unsigned mode>
ECLOSION_FUNCTION double whole(double value) {
  if constexpr (mode == kNearest) return __builtin_roundeven(value);
  if constexpr (mode == kDown) return __builtin_floor(value);
  if constexpr (mode == kUp) return __builtin_ceil(value);
  return __builtin_trunc(value);
}

}  // namespace eclosion_device
