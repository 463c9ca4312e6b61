// HIP's names of the data paths between lanes.
#pragma once

#include "hip_builtins.h"

ECLOSION_FUNCTION unsigned __hip_ds_bpermute(int address, unsigned value) {
  return (unsigned)eclosion_device::pull(address, (int)value);
}
ECLOSION_FUNCTION float __hip_ds_bpermutef(int address, float value) {
  return __builtin_bit_cast(
      float, eclosion_device::pull(address, __builtin_bit_cast(int, value)));
}
ECLOSION_FUNCTION unsigned __hip_ds_permute(int address, unsigned value) {
  return (unsigned)eclosion_device::push(address, (int)value);
}
ECLOSION_FUNCTION float __hip_ds_permutef(int address, float value) {
  return __builtin_bit_cast(
      float, eclosion_device::push(address, __builtin_bit_cast(int, value)));
}

template <int kPattern>
ECLOSION_FUNCTION unsigned __hip_ds_swizzle_N(unsigned value) {
  return (unsigned)eclosion_device::swizzle((int)value, kPattern);
}
template <int kPattern>
ECLOSION_FUNCTION float __hip_ds_swizzlef_N(float value) {
  return __builtin_bit_cast(
      float,
      eclosion_device::swizzle(__builtin_bit_cast(int, value), kPattern));
}
template <int kControl, int kRows, int kBanks, bool kZeroes>
ECLOSION_FUNCTION int __hip_move_dpp_N(int value) {
  return eclosion_device::move_dpp(0, value, kControl, kRows, kBanks, kZeroes);
}
#define __hip_ds_swizzle(src, pattern) __hip_ds_swizzle_N<(pattern)>((src))
#define __hip_ds_swizzlef(src, pattern) __hip_ds_swizzlef_N<(pattern)>((src))
#define __hip_move_dpp(src, dpp_ctrl, row_mask, bank_mask, bound_ctrl) \
  __hip_move_dpp_N<(dpp_ctrl), (row_mask), (bank_mask), (bound_ctrl)>((src))
