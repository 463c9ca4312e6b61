// Dot products of packed integers: amd_mixed_dot and the builtins behind it.
#pragma once

#include <hip/hip_vector_types.h>

#include "qualifiers.h"

namespace eclosion_device {

// Element `at` of `count` in a word, with its sign if it has one.
ECLOSION_FUNCTION long long element(unsigned word, int at, int count,
                                    bool is_signed) {
  const int bits = 32 / count;
  const unsigned high = word << (32 - bits * (at + 1));
  return is_signed ? (int)high >> (32 - bits)
                   : (long long)(high >> (32 - bits));
}

// The sum of products and `more`, cut at the ends of 32 bits if it `saturates`.
ECLOSION_FUNCTION unsigned dot(unsigned a, unsigned b, long long more,
                               int count, bool is_signed, bool saturates) {
  long long sum = more;
  for (int at = 0; at < count; ++at) {
    sum += element(a, at, count, is_signed) * element(b, at, count, is_signed);
  }
  const long long most = is_signed ? 0x7FFFFFFFLL : 0xFFFFFFFFLL;
  const long long least = is_signed ? -0x80000000LL : 0;
  if (saturates && sum > most) return (unsigned)most;
  if (saturates && sum < least) return (unsigned)least;
  return (unsigned)sum;
}

}  // namespace eclosion_device

#define ECLOSION_DOT(Vector, Sum, count, is_signed)                         \
  ECLOSION_FUNCTION Sum amd_mixed_dot(Vector a, Vector b, Sum more,         \
                                      bool saturates) {                     \
    return (Sum)eclosion_device::dot(__builtin_bit_cast(unsigned, a),       \
                                     __builtin_bit_cast(unsigned, b), more, \
                                     count, is_signed, saturates);          \
  }
ECLOSION_DOT(short2, int, 2, true)
ECLOSION_DOT(ushort2, unsigned, 2, false)
ECLOSION_DOT(char4, int, 4, true)
ECLOSION_DOT(uchar4, unsigned, 4, false)
ECLOSION_DOT(int, int, 8, true)
ECLOSION_DOT(unsigned, unsigned, 8, false)
#undef ECLOSION_DOT

ECLOSION_FUNCTION int __builtin_amdgcn_sdot4(int a, int b, int more,
                                             bool saturates) {
  return (int)eclosion_device::dot((unsigned)a, (unsigned)b, more, 4, true,
                                   saturates);
}
ECLOSION_FUNCTION unsigned __builtin_amdgcn_udot4(unsigned a, unsigned b,
                                                  unsigned more,
                                                  bool saturates) {
  return eclosion_device::dot(a, b, more, 4, false, saturates);
}
ECLOSION_FUNCTION int __builtin_amdgcn_sdot8(int a, int b, int more,
                                             bool saturates) {
  return (int)eclosion_device::dot((unsigned)a, (unsigned)b, more, 8, true,
                                   saturates);
}
ECLOSION_FUNCTION unsigned __builtin_amdgcn_udot8(unsigned a, unsigned b,
                                                  unsigned more,
                                                  bool saturates) {
  return eclosion_device::dot(a, b, more, 8, false, saturates);
}
