// bfloat16 by its bits under the vendor's names.
#pragma once

struct __nv_bfloat16 {
  unsigned short bits;
};

inline __nv_bfloat16 __ushort_as_bfloat16(unsigned short bits) {
  return {bits};
}
inline float __bfloat162float(__nv_bfloat16 value) {
  return __builtin_bit_cast(float, static_cast<unsigned>(value.bits) << 16);
}
inline __nv_bfloat16 __float2bfloat16(float value) {
  const auto bits = __builtin_bit_cast(unsigned, value);
  const unsigned odd = (bits >> 16) & 1U;
  return {static_cast<unsigned short>((bits + 0x7FFFU + odd) >> 16)};
}
