// atomicAdd and its like under the names that both vendors use, each with the
// variants for a block and for the system.
#pragma once

#include "atomics.h"

#define ECLOSION_ATOMIC(name, function, Type)                       \
  ECLOSION_FUNCTION Type name(Type* address, Type value) {          \
    return eclosion_device::function(address, value);               \
  }                                                                 \
  ECLOSION_FUNCTION Type name##_block(Type* address, Type value) {  \
    return eclosion_device::function(address, value);               \
  }                                                                 \
  ECLOSION_FUNCTION Type name##_system(Type* address, Type value) { \
    return eclosion_device::function(address, value);               \
  }

#define ECLOSION_COMPARE(Type)                                                 \
  ECLOSION_FUNCTION Type atomicCAS(Type* address, Type expected, Type value) { \
    return eclosion_device::atomic_compare(address, expected, value);          \
  }                                                                            \
  ECLOSION_FUNCTION Type atomicCAS_block(Type* address, Type expected,         \
                                         Type value) {                         \
    return eclosion_device::atomic_compare(address, expected, value);          \
  }                                                                            \
  ECLOSION_FUNCTION Type atomicCAS_system(Type* address, Type expected,        \
                                          Type value) {                        \
    return eclosion_device::atomic_compare(address, expected, value);          \
  }

#define ECLOSION_INTEGER_ATOMICS(Type)               \
  ECLOSION_ATOMIC(atomicAdd, atomic_add, Type)       \
  ECLOSION_ATOMIC(atomicExch, atomic_exchange, Type) \
  ECLOSION_ATOMIC(atomicMin, atomic_min, Type)       \
  ECLOSION_ATOMIC(atomicMax, atomic_max, Type)       \
  ECLOSION_ATOMIC(atomicAnd, atomic_and, Type)       \
  ECLOSION_ATOMIC(atomicOr, atomic_or, Type)         \
  ECLOSION_ATOMIC(atomicXor, atomic_xor, Type)       \
  ECLOSION_COMPARE(Type)

ECLOSION_INTEGER_ATOMICS(int)
ECLOSION_INTEGER_ATOMICS(unsigned)
ECLOSION_INTEGER_ATOMICS(unsigned long long)

ECLOSION_ATOMIC(atomicSub, atomic_sub, int)
ECLOSION_ATOMIC(atomicSub, atomic_sub, unsigned)
ECLOSION_ATOMIC(atomicInc, atomic_increment, unsigned)
ECLOSION_ATOMIC(atomicDec, atomic_decrement, unsigned)

ECLOSION_ATOMIC(atomicAdd, atomic_plus, float)
ECLOSION_ATOMIC(atomicAdd, atomic_plus, double)
ECLOSION_ATOMIC(atomicExch, atomic_exchange, float)

#undef ECLOSION_INTEGER_ATOMICS
// ECLOSION_ATOMIC and ECLOSION_COMPARE stay for what one vendor has more; its
// headers undefine them.
