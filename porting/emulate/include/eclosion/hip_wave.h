// Wave functions under HIP's names: amd_warp_functions.h and
// amd_warp_sync_functions.h of ROCm 7.1 have the same overloads.
#pragma once

#include "hip_builtins.h"
#include "wave.h"

namespace eclosion_device {

// No constant expression from ROCm 7.0 on: amd_warp_functions.h.
struct WarpSize final {
  ECLOSION_MEMBER operator int() const noexcept { return (int)wave_size(); }
};

// Of a *_sync function, which insists on 64 bits (amd_warp_sync_functions.h).
template <typename Mask>
ECLOSION_FUNCTION Word checked_mask(Mask mask) {
  static_assert(__is_integral(Mask) && sizeof(Mask) == 8,
                "the mask of a *_sync function is a 64-bit integer on this "
                "platform; a narrower one would name no lane above 31");
  const Word lanes =
      wave_size() == 32 ? (Word)mask & 0xFFFFFFFFULL : (Word)mask;
  if (lanes == 0) eclosion_trap();
  return lanes;
}

}  // namespace eclosion_device

#if HIP_VERSION_MAJOR >= 7
static const
    __attribute__((device, unused)) eclosion_device::WarpSize warpSize{};
#else
static constexpr __attribute__((device, unused)) int warpSize =
    __AMDGCN_WAVEFRONT_SIZE;
#endif

ECLOSION_FUNCTION unsigned __lane_id() {
  return eclosion_device::lane_in_wave();
}

// Votes of the lanes that come together.
ECLOSION_FUNCTION int __all(int predicate) {
  return (int)eclosion_device::vote(ECLOSION_VOTE_ALL, predicate != 0, 0);
}
ECLOSION_FUNCTION int __any(int predicate) {
  return (int)eclosion_device::vote(ECLOSION_VOTE_ANY, predicate != 0, 0);
}
ECLOSION_FUNCTION unsigned long long __ballot(int predicate) {
  return eclosion_device::ballot(predicate != 0, 0);
}
ECLOSION_FUNCTION unsigned long long __ballot64(int predicate) {
  return eclosion_device::ballot(predicate != 0, 0);
}

#define ECLOSION_SHUFFLES(Type)                                                \
  ECLOSION_FUNCTION Type __shfl(Type value, int lane, int width = warpSize) {  \
    return eclosion_device::shuffle(ECLOSION_SHUFFLE_INDEX, value, lane,       \
                                    width, 0);                                 \
  }                                                                            \
  ECLOSION_FUNCTION Type __shfl_up(Type value, unsigned distance,              \
                                   int width = warpSize) {                     \
    return eclosion_device::shuffle(ECLOSION_SHUFFLE_UP, value, (int)distance, \
                                    width, 0);                                 \
  }                                                                            \
  ECLOSION_FUNCTION Type __shfl_down(Type value, unsigned distance,            \
                                     int width = warpSize) {                   \
    return eclosion_device::shuffle(ECLOSION_SHUFFLE_DOWN, value,              \
                                    (int)distance, width, 0);                  \
  }                                                                            \
  ECLOSION_FUNCTION Type __shfl_xor(Type value, int lanes,                     \
                                    int width = warpSize) {                    \
    return eclosion_device::shuffle(ECLOSION_SHUFFLE_XOR, value, lanes, width, \
                                    0);                                        \
  }
ECLOSION_SHUFFLES(int)
ECLOSION_SHUFFLES(unsigned)
ECLOSION_SHUFFLES(long)
ECLOSION_SHUFFLES(unsigned long)
ECLOSION_SHUFFLES(long long)
ECLOSION_SHUFFLES(unsigned long long)
ECLOSION_SHUFFLES(float)
ECLOSION_SHUFFLES(double)
#undef ECLOSION_SHUFFLES

// The lanes that come together and stand before, at or behind the caller.
ECLOSION_FUNCTION unsigned long long __lanemask_lt() {
  return eclosion_device::active_lanes() & eclosion_device::lanes_below();
}
ECLOSION_FUNCTION unsigned long long __lanemask_eq() {
  return 1ULL << eclosion_device::lane_in_wave();
}
ECLOSION_FUNCTION unsigned long long __lanemask_gt() {
  return eclosion_device::active_lanes() &
         ~(eclosion_device::lanes_below() | __lanemask_eq());
}

ECLOSION_FUNCTION unsigned __mbcnt_lo(unsigned mask, unsigned more) {
  return __builtin_amdgcn_mbcnt_lo(mask, more);
}
ECLOSION_FUNCTION unsigned __mbcnt_hi(unsigned mask, unsigned more) {
  return __builtin_amdgcn_mbcnt_hi(mask, more);
}
