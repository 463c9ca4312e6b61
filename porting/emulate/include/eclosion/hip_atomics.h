// Atomics under HIP's names: amd_hip_atomic.h and amd_hip_unsafe_atomics.h of
// ROCm 7.1 have the same overloads. There are none for a block alone.
#pragma once

#include "atomics.h"

// For the device and for the system: one memory here.
#define ECLOSION_ATOMIC(name, function, Type)                       \
  ECLOSION_FUNCTION Type name(Type* address, Type value) {          \
    return eclosion_device::function(address, value);               \
  }                                                                 \
  ECLOSION_FUNCTION Type name##_system(Type* address, Type value) { \
    return eclosion_device::function(address, value);               \
  }
#define ECLOSION_COMPARE(Type)                                                 \
  ECLOSION_FUNCTION Type atomicCAS(Type* address, Type expected, Type value) { \
    return eclosion_device::atomic_compare(address, expected, value);          \
  }                                                                            \
  ECLOSION_FUNCTION Type atomicCAS_system(Type* address, Type expected,        \
                                          Type value) {                        \
    return eclosion_device::atomic_compare(address, expected, value);          \
  }
#define ECLOSION_INTEGER_ATOMICS(Type)               \
  ECLOSION_ATOMIC(atomicAdd, atomic_add, Type)       \
  ECLOSION_ATOMIC(atomicSub, atomic_sub, Type)       \
  ECLOSION_ATOMIC(atomicExch, atomic_exchange, Type) \
  ECLOSION_ATOMIC(atomicMin, atomic_min, Type)       \
  ECLOSION_ATOMIC(atomicMax, atomic_max, Type)       \
  ECLOSION_ATOMIC(atomicAnd, atomic_and, Type)       \
  ECLOSION_ATOMIC(atomicOr, atomic_or, Type)         \
  ECLOSION_ATOMIC(atomicXor, atomic_xor, Type)       \
  ECLOSION_COMPARE(Type)
#define ECLOSION_FLOATING_ATOMICS(Type)              \
  ECLOSION_ATOMIC(atomicAdd, atomic_plus, Type)      \
  ECLOSION_ATOMIC(atomicSub, atomic_minus, Type)     \
  ECLOSION_ATOMIC(atomicExch, atomic_exchange, Type) \
  ECLOSION_ATOMIC(atomicMin, atomic_min, Type)       \
  ECLOSION_ATOMIC(atomicMax, atomic_max, Type)       \
  ECLOSION_COMPARE(Type)                             \
  ECLOSION_NAMED(unsafeAtomicAdd, atomic_plus, Type) \
  ECLOSION_NAMED(unsafeAtomicMin, atomic_min, Type)  \
  ECLOSION_NAMED(unsafeAtomicMax, atomic_max, Type)  \
  ECLOSION_NAMED(safeAtomicAdd, atomic_plus, Type)   \
  ECLOSION_NAMED(safeAtomicMin, atomic_min, Type)    \
  ECLOSION_NAMED(safeAtomicMax, atomic_max, Type)
#define ECLOSION_NAMED(name, function, Type)               \
  ECLOSION_FUNCTION Type name(Type* address, Type value) { \
    return eclosion_device::function(address, value);      \
  }

namespace eclosion_device {

template <typename T>
ECLOSION_FUNCTION T atomic_minus(volatile T* address, T value) {
  return atomic_plus(address, -value);
}

// For the builtins below: where they act, announced.
template <typename T>
ECLOSION_FUNCTION T* announced(T* address) {
  announce(address, sizeof(T));
  return address;
}

}  // namespace eclosion_device

ECLOSION_INTEGER_ATOMICS(int)
ECLOSION_INTEGER_ATOMICS(unsigned)
ECLOSION_INTEGER_ATOMICS(unsigned long)
ECLOSION_INTEGER_ATOMICS(unsigned long long)
ECLOSION_FLOATING_ATOMICS(float)
ECLOSION_FLOATING_ATOMICS(double)
ECLOSION_COMPARE(unsigned short)
ECLOSION_ATOMIC(atomicMin, atomic_min, long long)
ECLOSION_ATOMIC(atomicMax, atomic_max, long long)
ECLOSION_NAMED(atomicInc, atomic_increment, unsigned)
ECLOSION_NAMED(atomicDec, atomic_decrement, unsigned)
ECLOSION_FUNCTION void atomicAddNoRet(float* address, float value) {
  eclosion_device::atomic_plus(address, value);
}

#undef ECLOSION_NAMED
#undef ECLOSION_FLOATING_ATOMICS
#undef ECLOSION_INTEGER_ATOMICS
#undef ECLOSION_COMPARE
#undef ECLOSION_ATOMIC

// The compiler's builtins for AMD devices.
template <typename T, typename... Scope>
ECLOSION_FUNCTION unsigned __builtin_amdgcn_atomic_inc32(T* address,
                                                         unsigned limit,
                                                         Scope...) {
  return (unsigned)eclosion_device::atomic_increment(address, (T)limit);
}
template <typename T, typename... Scope>
ECLOSION_FUNCTION unsigned __builtin_amdgcn_atomic_dec32(T* address,
                                                         unsigned limit,
                                                         Scope...) {
  return (unsigned)eclosion_device::atomic_decrement(address, (T)limit);
}
ECLOSION_FUNCTION float __builtin_amdgcn_global_atomic_fadd_f32(float* address,
                                                                float value) {
  return eclosion_device::atomic_plus(address, value);
}
ECLOSION_FUNCTION double __builtin_amdgcn_global_atomic_fadd_f64(
    double* address, double value) {
  return eclosion_device::atomic_plus(address, value);
}
ECLOSION_FUNCTION float __builtin_amdgcn_flat_atomic_fadd_f32(float* address,
                                                              float value) {
  return eclosion_device::atomic_plus(address, value);
}
ECLOSION_FUNCTION double __builtin_amdgcn_flat_atomic_fadd_f64(double* address,
                                                               double value) {
  return eclosion_device::atomic_plus(address, value);
}

// The compiler's builtins, which know this processor. A macro does not expand
// in itself, so the name in each is the builtin.
#define __hip_atomic_load(address, ...) \
  __hip_atomic_load(::eclosion_device::announced(address), __VA_ARGS__)
#define __hip_atomic_store(address, ...) \
  __hip_atomic_store(::eclosion_device::announced(address), __VA_ARGS__)
#define __hip_atomic_exchange(address, ...) \
  __hip_atomic_exchange(::eclosion_device::announced(address), __VA_ARGS__)
#define __hip_atomic_compare_exchange_strong(address, ...)                    \
  __hip_atomic_compare_exchange_strong(::eclosion_device::announced(address), \
                                       __VA_ARGS__)
#define __hip_atomic_compare_exchange_weak(address, ...)                    \
  __hip_atomic_compare_exchange_weak(::eclosion_device::announced(address), \
                                     __VA_ARGS__)
#define __hip_atomic_fetch_add(address, ...) \
  __hip_atomic_fetch_add(::eclosion_device::announced(address), __VA_ARGS__)
#define __hip_atomic_fetch_sub(address, ...) \
  __hip_atomic_fetch_sub(::eclosion_device::announced(address), __VA_ARGS__)
#define __hip_atomic_fetch_and(address, ...) \
  __hip_atomic_fetch_and(::eclosion_device::announced(address), __VA_ARGS__)
#define __hip_atomic_fetch_or(address, ...) \
  __hip_atomic_fetch_or(::eclosion_device::announced(address), __VA_ARGS__)
#define __hip_atomic_fetch_xor(address, ...) \
  __hip_atomic_fetch_xor(::eclosion_device::announced(address), __VA_ARGS__)
#define __hip_atomic_fetch_min(address, ...) \
  __hip_atomic_fetch_min(::eclosion_device::announced(address), __VA_ARGS__)
#define __hip_atomic_fetch_max(address, ...) \
  __hip_atomic_fetch_max(::eclosion_device::announced(address), __VA_ARGS__)
