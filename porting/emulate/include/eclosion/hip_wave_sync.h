// Wave functions with a mask, under HIP's names. All lanes that a mask names
// come with the same mask. As with the vendor's, a program may switch them off;
// of ROCm 6 it has to switch them on.
#pragma once

#include "hip_wave.h"

#if HIP_VERSION_MAJOR >= 7 ? !defined(HIP_DISABLE_WARP_SYNC_BUILTINS) \
                           : defined(HIP_ENABLE_WARP_SYNC_BUILTINS)

ECLOSION_FUNCTION unsigned long long __activemask() {
  return eclosion_device::active_lanes();
}

#if HIP_VERSION_MAJOR >= 7
ECLOSION_FUNCTION void __syncwarp() { __builtin_amdgcn_wave_barrier(); }
template <typename Mask>
ECLOSION_FUNCTION void __syncwarp(Mask mask) {
  eclosion_device::vote(ECLOSION_VOTE_SYNC, 0,
                        eclosion_device::checked_mask(mask));
}
#endif

template <typename Mask>
ECLOSION_FUNCTION unsigned long long __ballot_sync(Mask mask, int predicate) {
  return eclosion_device::ballot(predicate != 0,
                                 eclosion_device::checked_mask(mask));
}
template <typename Mask>
ECLOSION_FUNCTION int __all_sync(Mask mask, int predicate) {
  return (int)eclosion_device::vote(ECLOSION_VOTE_ALL, predicate != 0,
                                    eclosion_device::checked_mask(mask));
}
template <typename Mask>
ECLOSION_FUNCTION int __any_sync(Mask mask, int predicate) {
  return (int)eclosion_device::vote(ECLOSION_VOTE_ANY, predicate != 0,
                                    eclosion_device::checked_mask(mask));
}

// Matches compare the bits of 4 or 8 bytes of arithmetic types.
#define ECLOSION_MATCHABLE(T)                                             \
  static_assert((__is_integral(T) || __is_floating_point(T)) &&           \
                    (sizeof(T) == 4 || sizeof(T) == 8),                   \
                "a match is of an integer or a floating-point number of " \
                "4 or 8 bytes")
template <typename T>
ECLOSION_FUNCTION unsigned long long __match_any(T value) {
  ECLOSION_MATCHABLE(T);
  return eclosion_device::match_any(value, 0);
}
template <typename Mask, typename T>
ECLOSION_FUNCTION unsigned long long __match_any_sync(Mask mask, T value) {
  ECLOSION_MATCHABLE(T);
  return eclosion_device::match_any(value, eclosion_device::checked_mask(mask));
}
template <typename T>
ECLOSION_FUNCTION unsigned long long __match_all(T value, int* is_same) {
  ECLOSION_MATCHABLE(T);
  return eclosion_device::match_all(value, 0, is_same);
}
template <typename Mask, typename T>
ECLOSION_FUNCTION unsigned long long __match_all_sync(Mask mask, T value,
                                                      int* is_same) {
  ECLOSION_MATCHABLE(T);
  return eclosion_device::match_all(value, eclosion_device::checked_mask(mask),
                                    is_same);
}
#undef ECLOSION_MATCHABLE

// Of every type that the function without a mask takes.
#define ECLOSION_SHUFFLE_SYNC(name, plain, Argument, KIND)                   \
  template <typename Mask, typename T>                                       \
  ECLOSION_FUNCTION T name(Mask mask, T value, Argument argument,            \
                           int width = warpSize) {                           \
    static_assert(sizeof(decltype(plain(value, argument, width))) != 0, ""); \
    return eclosion_device::shuffle(KIND, value, (int)argument, width,       \
                                    eclosion_device::checked_mask(mask));    \
  }
ECLOSION_SHUFFLE_SYNC(__shfl_sync, __shfl, int, ECLOSION_SHUFFLE_INDEX)
ECLOSION_SHUFFLE_SYNC(__shfl_up_sync, __shfl_up, unsigned, ECLOSION_SHUFFLE_UP)
ECLOSION_SHUFFLE_SYNC(__shfl_down_sync, __shfl_down, unsigned,
                      ECLOSION_SHUFFLE_DOWN)
ECLOSION_SHUFFLE_SYNC(__shfl_xor_sync, __shfl_xor, int, ECLOSION_SHUFFLE_XOR)
#undef ECLOSION_SHUFFLE_SYNC

#if HIP_VERSION_MAJOR >= 7
namespace eclosion_device {

// Where the mask has a gap, or does not begin at lane 0, the vendor's functions
// up to 7.1 ask of each value whether it is 0, and give 0 or 1: the operations
// are && and || there (amd_warp_sync_functions.h, __reduce_or_sync).
template <typename T>
ECLOSION_FUNCTION T reduce_bits(int kind, T value, Word lanes) {
#if HIP_VERSION_MAJOR == 7 && HIP_VERSION_MINOR <= 1
  const bool has_gap = (lanes & (lanes + 1)) != 0;
  if (has_gap && (lanes & (lanes - 1)) != 0) {
    return (T)vote(kind, value != 0, lanes);
  }
#endif
  return reduce(kind, value, lanes);
}

}  // namespace eclosion_device

#define ECLOSION_REDUCE(name, Type, call)                                    \
  template <typename Mask>                                                   \
  ECLOSION_FUNCTION Type name(Mask mask, Type value) {                       \
    const eclosion_device::Word lanes = eclosion_device::checked_mask(mask); \
    return eclosion_device::call;                                            \
  }
#define ECLOSION_REDUCE_ORDERED(Type)                                \
  ECLOSION_REDUCE(__reduce_add_sync, Type,                           \
                  reduce(ECLOSION_VOTE_ADD, value, lanes))           \
  ECLOSION_REDUCE(__reduce_min_sync, Type, reduce_min(value, lanes)) \
  ECLOSION_REDUCE(__reduce_max_sync, Type, reduce_max(value, lanes))
#define ECLOSION_REDUCE_BITS(Type)                              \
  ECLOSION_REDUCE(__reduce_and_sync, Type,                      \
                  reduce_bits(ECLOSION_VOTE_AND, value, lanes)) \
  ECLOSION_REDUCE(__reduce_or_sync, Type,                       \
                  reduce_bits(ECLOSION_VOTE_OR, value, lanes))  \
  ECLOSION_REDUCE(__reduce_xor_sync, Type,                      \
                  reduce_bits(ECLOSION_VOTE_XOR, value, lanes))

ECLOSION_REDUCE_ORDERED(int)
ECLOSION_REDUCE_ORDERED(unsigned)
ECLOSION_REDUCE_BITS(unsigned)
#if defined(HIP_ENABLE_EXTRA_WARP_SYNC_TYPES)
ECLOSION_REDUCE_ORDERED(long long)
ECLOSION_REDUCE_ORDERED(unsigned long long)
ECLOSION_REDUCE_BITS(int)
ECLOSION_REDUCE_BITS(long long)
ECLOSION_REDUCE_BITS(unsigned long long)
#endif
#undef ECLOSION_REDUCE_BITS
#undef ECLOSION_REDUCE_ORDERED
#undef ECLOSION_REDUCE
#endif

#endif  // the vendor has them
