// Half floats of the host's compiler under the vendor's names.
#pragma once

using __half = _Float16;

inline float __half2float(__half value) { return value; }
inline __half __float2half(float value) { return static_cast<__half>(value); }
inline __half __ushort_as_half(unsigned short bits) {
  return __builtin_bit_cast(__half, bits);
}
