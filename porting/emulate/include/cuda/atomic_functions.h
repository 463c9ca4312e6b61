// The atomic functions of CUDA: those of both vendors and its own.
#pragma once

#include "../eclosion/atomic_names.h"

// sm_32_atomic_functions.h: 64-bit integers with a sign.
ECLOSION_ATOMIC(atomicMin, atomic_min, long long)
ECLOSION_ATOMIC(atomicMax, atomic_max, long long)
ECLOSION_ATOMIC(atomicAnd, atomic_and, long long)
ECLOSION_ATOMIC(atomicOr, atomic_or, long long)
ECLOSION_ATOMIC(atomicXor, atomic_xor, long long)

// crt/sm_70_rt.h
ECLOSION_COMPARE(unsigned short)

#undef ECLOSION_ATOMIC
#undef ECLOSION_COMPARE

// crt/sm_90_rt.h: each member is updated at once, not all of them together.
#define ECLOSION_MEMBERS(name)                                             \
  ECLOSION_FUNCTION float2 name(float2* address, float2 value) {           \
    return float2{atomicAdd(&address->x, value.x),                         \
                  atomicAdd(&address->y, value.y)};                        \
  }                                                                        \
  ECLOSION_FUNCTION float4 name(float4* address, float4 value) {           \
    return float4{                                                         \
        atomicAdd(&address->x, value.x), atomicAdd(&address->y, value.y),  \
        atomicAdd(&address->z, value.z), atomicAdd(&address->w, value.w)}; \
  }
ECLOSION_MEMBERS(atomicAdd)
ECLOSION_MEMBERS(atomicAdd_block)
ECLOSION_MEMBERS(atomicAdd_system)
#undef ECLOSION_MEMBERS

// crt/sm_90_rt.h: any type of 16 bytes that may be copied as such.
#define ECLOSION_SIXTEEN(T) \
  std::enable_if_t<         \
      sizeof(T) == 16 && alignof(T) >= 16 && __is_trivially_copyable(T), T>
#define ECLOSION_EXCHANGES(suffix)                                    \
  template <typename T>                                               \
  ECLOSION_FUNCTION ECLOSION_SIXTEEN(T)                               \
      atomicExch##suffix(T* address, T value) {                       \
    return eclosion_device::atomic_exchange(address, value);          \
  }                                                                   \
  template <typename T>                                               \
  ECLOSION_FUNCTION ECLOSION_SIXTEEN(T)                               \
      atomicCAS##suffix(T* address, T expected, T value) {            \
    return eclosion_device::atomic_compare(address, expected, value); \
  }
ECLOSION_EXCHANGES()
ECLOSION_EXCHANGES(_block)
ECLOSION_EXCHANGES(_system)
#undef ECLOSION_EXCHANGES
#undef ECLOSION_SIXTEEN
